import Postgres
import School

/// What teachers see of the catalog: one row for each path, in the locale that suits the reader best.
extension Statement {
    private static let columns: Statement = """
        select c.context_id as "id", c.bundle_id as "bundleId", c.identifier_path as "identifierPath",
               c.locale, c.title, c.type, c.custom_type_name as "customTypeName",
               c.display_order as "displayOrder", c.is_assignable as "isAssignable",
               c.progress_reporting_capabilities as "progressReportingCapabilities",
               c.suggested_age as "suggestedAge",
               c.suggested_completion_time as "suggestedCompletionTime", c.summary,
               (select a.topic
                  from generate_series(cardinality(c.identifier_path), 0, -1) as depth
                  join school.context as a
                    on a.organization_id = c.organization_id and a.environment = c.environment
                   and a.bundle_id = c.bundle_id and a.locale = c.locale
                   and a.identifier_path = c.identifier_path[1:depth]
                   and a.kind = 'catalog' and a.deleted_at is null
                 where a.topic is not null order by depth desc limit 1) as "topic",
               c.universal_link_url as "universalLinkURL",
               c.minimum_bundle_version as "minimumBundleVersion",
               exists (select from school.context as k
                        where k.organization_id = c.organization_id and k.bundle_id = c.bundle_id
                          and k.environment = c.environment and k.parent_path = c.identifier_path
                          and k.deleted_at is null) as "hasChildren"
        """

    /// How badly a locale suits a reader: 0 is the first choice itself; its language alone is worse than any
    /// locale that is named, and any locale is better than none.
    private static func rank(_ languages: [String]) -> Statement {
        """
        coalesce((select min(case when c.locale = w.locale then 0
                                  when w.locale = any (c.presentable_locales) then 1
                                  when split_part(c.locale, '-', 1) = split_part(w.locale, '-', 1) then 2
                             end + 3 * w.place)
                    from unnest(\(languages)::text[]) with ordinality as w (locale, place)),
                 case when 'mul' = any (c.presentable_locales) then 100000 else 100001 end)
        """
    }

    /// The root contexts, by bundle id.
    static func apps(
        in organization: OrganizationID, _ environment: String, languages: [String],
        after: String?, limit: Int
    ) -> Statement {
        """
        \(fragment: columns)
          from (select distinct on (c.bundle_id) c.*
                  from school.context as c
                 where c.organization_id = \(organization) and c.environment = \(environment)
                   and c.identifier_path = '{}' and c.kind = 'catalog' and c.deleted_at is null
                   and c.bundle_id > \(after ?? "")
                 order by c.bundle_id, \(fragment: rank(languages)), c.locale) as c
         order by c.bundle_id limit \(limit)
        """
    }

    /// Whether a context is there in any locale.
    static func exists(
        _ bundleID: String, _ path: [String], in organization: OrganizationID,
        _ environment: String
    ) -> Statement {
        """
        select from school.context as c
         where c.organization_id = \(organization) and c.environment = \(environment)
           and c.bundle_id = \(bundleID) and c.identifier_path = \(path)
           and c.kind = 'catalog' and c.deleted_at is null
         limit 1
        """
    }

    /// The children of a context, by display order and then by identifier.
    static func children(
        of path: [String], app bundleID: String, in organization: OrganizationID,
        _ environment: String, languages: [String], after: (order: Double, path: [String])?,
        limit: Int
    ) -> Statement {
        let next: Statement? = after.map {
            "where (c.display_order, c.identifier_path) > (\($0.order), \($0.path))"
        }
        return """
            \(fragment: columns)
              from (select distinct on (c.identifier_path) c.*
                      from school.context as c
                     where c.organization_id = \(organization) and c.environment = \(environment)
                       and c.bundle_id = \(bundleID) and c.parent_path = \(path)
                       and c.kind = 'catalog' and c.deleted_at is null
                     order by c.identifier_path, \(fragment: rank(languages)), c.locale) as c
             \(optional: next)
             order by c.display_order, c.identifier_path limit \(limit)
            """
    }
}
