import Postgres
import School
import Values

/// A search in the catalog.
struct CatalogQuery: Sendable {
    /// Words, all of which have to begin words of a context.
    let words: String
    let environment: String
    let bundleID: String?
    let topic: String?
    /// In years.
    let age: Int?
    /// The longest suggested completion time.
    let minutesMax: Int?
    /// A kind of progress that apps report.
    let kind: String?
    let languages: [String]
}

/// What teachers see of the catalog: one row for each path, in the locale that suits the reader best. The functions
/// of `SQL/functions/catalog/browsing.sql` decide which rows, and in what order.
extension Statement {
    private static func shown(
        _ contexts: Statement, in organization: OrganizationID, and more: Statement? = nil
    ) -> Statement {
        """
        select c.context_id as "id", c.kind as "origin", c.bundle_id,
               c.identifier_path, c.locale, c.title, c.type,
               c.custom_type_name, c.display_order,
               c.is_assignable,
               c.progress_reporting_capabilities,
               c.suggested_age,
               c.suggested_completion_time, c.summary, b.topic,
               c.universal_link_url as "universalLinkURL",
               c.minimum_bundle_version, b.has_children,
               case when c.kind = 'native' and c.thumbnail_id is not null
                      or exists (select from school.thumbnail as t
                                  where t.organization_id = c.organization_id
                                    and t.environment = c.environment and t.bundle_id = c.bundle_id
                                    and t.thumbnail_id = c.thumbnail_id)
                    then concat('/v1/catalog/contexts/', c.context_id, '/thumbnail') end as "thumbnail"
               \(optional: more)
          from \(fragment: contexts) as b
          join school.context as c
            on c.organization_id = \(organization) and c.context_id = b.context_id
         order by b.place
        """
    }

    /// The root contexts, by bundle id.
    static func apps(
        in organization: OrganizationID, _ environment: String, languages: [String],
        after: String?, limit: Int
    ) -> Statement {
        shown(
            "school.browse_apps(\(environment), \(languages), \(after), \(limit))",
            in: organization)
    }

    /// Whether a context exists in any locale.
    static func isThere(_ bundleID: String, _ path: [String], _ environment: String) -> Statement {
        "select school.browse_context(\(environment), \(bundleID), \(path)) as is_there"
    }

    /// What is shown under a context, by display order and then by identifier.
    static func children(
        of path: [String], app bundleID: String, in organization: OrganizationID,
        _ environment: String, languages: [String], after: (order: Double, path: [String])?,
        limit: Int
    ) -> Statement {
        shown(
            """
            school.browse_children(\(environment), \(bundleID), \(path), \(languages), \(after?.order),
                                   \(after?.path), \(limit))
            """, in: organization)
    }

    /// The results of a query, best first.
    static func found(
        by query: CatalogQuery, in organization: OrganizationID, after: (rank: Double, id: UUID)?,
        limit: Int
    ) -> Statement {
        shown(
            """
            school.search_contexts(
                \(query.words), \(query.environment), \(query.bundleID), \(query.topic), \(query.age),
                \(query.minutesMax), \(query.kind), \(query.languages), \(after?.rank), \(after?.id),
                \(limit))
            """, in: organization, and: ", b.rank")
    }

    /// The picture of a context, if the caller can see it.
    static func picture(of context: Statement, in organization: OrganizationID) -> Statement {
        """
        select t.media_type, t.bytes
          from school.context as c
          join school.thumbnail as t
            on t.organization_id = c.organization_id and t.environment = c.environment
           and t.bundle_id = c.bundle_id and t.thumbnail_id = c.thumbnail_id
         where c.organization_id = \(organization) and c.context_id = \(fragment: context)
           and c.kind = 'catalog'
        union all
        select n.media_type, n.bytes
          from school.native_thumbnail as n
         where n.organization_id = \(organization) and n.context_id = \(fragment: context)
           and n.bytes is not null
        """
    }
}
