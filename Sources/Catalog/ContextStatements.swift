import Postgres
import School

/// What developers publish. Paths are below the app; a document is an array of objects whose keys are columns.
extension Statement {
    private static func sent(_ document: JSONDocument) -> Statement {
        """
        jsonb_to_recordset(\(document)) as n (
            bundle_id text, identifier_path text[], locale text, title text, type text,
            custom_type_name text, display_order float8, is_assignable boolean,
            progress_reporting_capabilities jsonb, suggested_age integer[],
            suggested_completion_time integer[], summary text, thumbnail_id text, topic text,
            universal_link_url text, minimum_bundle_version text, keywords text[],
            presentable_locales text[], presentable_paths jsonb, standards_alignments text[])
        """
    }

    /// One context of the call whose parent is neither in the call nor in the catalog, if there is any.
    static func orphans(
        _ document: JSONDocument, in organization: OrganizationID, _ environment: String
    ) -> Statement {
        """
        with sent as (select bundle_id, identifier_path, locale from \(fragment: sent(document)))
        select n.identifier_path, n.locale from sent as n
         where cardinality(n.identifier_path) > 0
           and not exists (
               select from sent as p
                where p.locale = n.locale
                  and p.identifier_path = n.identifier_path[1:cardinality(n.identifier_path) - 1])
           and not exists (
               select from school.context as c
                where c.organization_id = \(organization) and c.environment = \(environment)
                  and c.bundle_id = n.bundle_id and c.locale = n.locale and c.kind = 'catalog'
                  and c.identifier_path = n.identifier_path[1:cardinality(n.identifier_path) - 1]
                  and c.deleted_at is null)
         order by n.identifier_path limit 1
        """
    }

    static func publish(
        _ document: JSONDocument, in organization: OrganizationID, _ environment: String
    ) -> Statement {
        """
        insert into school.context
               (organization_id, context_id, kind, environment, bundle_id, identifier_path, locale, title,
                type, custom_type_name, display_order, is_assignable, progress_reporting_capabilities,
                suggested_age, suggested_completion_time, summary, thumbnail_id, topic,
                universal_link_url, minimum_bundle_version, keywords, presentable_locales,
                presentable_paths, standards_alignments)
        select \(organization), school.new_id(), 'catalog', \(environment), n.bundle_id,
               n.identifier_path, n.locale, n.title, n.type, n.custom_type_name, n.display_order,
               n.is_assignable, n.progress_reporting_capabilities, n.suggested_age,
               n.suggested_completion_time, n.summary, n.thumbnail_id, n.topic,
               n.universal_link_url, n.minimum_bundle_version, n.keywords, n.presentable_locales,
               n.presentable_paths, n.standards_alignments
          from \(fragment: sent(document))
         order by cardinality(n.identifier_path), n.identifier_path, n.locale
        on conflict (organization_id, environment, bundle_id, identifier_path, locale)
              where kind = 'catalog' and deleted_at is null
        do update set
            title = excluded.title, type = excluded.type,
            custom_type_name = excluded.custom_type_name, display_order = excluded.display_order,
            is_assignable = excluded.is_assignable,
            progress_reporting_capabilities = excluded.progress_reporting_capabilities,
            suggested_age = excluded.suggested_age,
            suggested_completion_time = excluded.suggested_completion_time,
            summary = excluded.summary, thumbnail_id = excluded.thumbnail_id,
            topic = excluded.topic, universal_link_url = excluded.universal_link_url,
            minimum_bundle_version = excluded.minimum_bundle_version,
            keywords = excluded.keywords, presentable_locales = excluded.presentable_locales,
            presentable_paths = excluded.presentable_paths,
            standards_alignments = excluded.standards_alignments
        """
    }

    /// A parent of a context of the call that has more than 2,000 children in a locale, if there is any.
    static func crowded(
        _ document: JSONDocument, in organization: OrganizationID, _ environment: String
    ) -> Statement {
        """
        select p.path from (
            select distinct n.bundle_id, n.locale,
                   n.identifier_path[1:cardinality(n.identifier_path) - 1] as path
              from \(fragment: sent(document)) where cardinality(n.identifier_path) > 0) as p
         where (select count(*) from school.context as c
                 where c.organization_id = \(organization) and c.environment = \(environment)
                   and c.bundle_id = p.bundle_id and c.parent_path = p.path and c.locale = p.locale
                   and c.kind = 'catalog' and c.deleted_at is null) > 2000
         limit 1
        """
    }

    /// One context as the Catalog API shows it, numbers as strings like in its samples.
    static func published(
        _ bundleID: String, _ path: [String], _ locale: String, in organization: OrganizationID,
        _ environment: String
    ) -> Statement {
        """
        select json_build_object('contexts', json_build_array(json_build_object(
            'data', json_strip_nulls(json_build_object(
                'identifierPath', c.bundle_id || c.identifier_path, 'title', c.title, 'type', c.type,
                'customTypeName', c.custom_type_name, 'displayOrder', c.display_order::text,
                'isAssignable', c.is_assignable,
                'progressReportingCapabilities', c.progress_reporting_capabilities,
                'suggestedAge', \(fragment: bounds("c.suggested_age")),
                'suggestedCompletionTime', \(fragment: bounds("c.suggested_completion_time")),
                'summary', c.summary, 'thumbnailId', c.thumbnail_id, 'topic', c.topic,
                'universalLinkURL', c.universal_link_url)),
            'metadata', json_strip_nulls(json_build_object(
                'locale', c.locale, 'minimumBundleVersion', c.minimum_bundle_version,
                'keywords', nullif(c.keywords, '{}'),
                'presentableLocales', coalesce(nullif(c.presentable_locales, '{}'), array[c.locale]),
                'presentablePaths', coalesce(c.presentable_paths,
                    case when c.parent_path is not null then jsonb_build_array(
                        jsonb_build_object('path', c.bundle_id || c.parent_path)) end),
                'standardsAlignments', nullif(c.standards_alignments, '{}'))))))::text as body
          from school.context as c
         where c.organization_id = \(organization) and c.environment = \(environment)
           and c.bundle_id = \(bundleID) and c.identifier_path = \(path) and c.locale = \(locale)
           and c.kind = 'catalog' and c.deleted_at is null
        """
    }

    /// Two strings; what has no bound above says so with 2^63 - 1.
    private static func bounds(_ column: Statement) -> Statement {
        """
        json_build_array(coalesce((\(fragment: column))[1], 0)::text,
                         coalesce((\(fragment: column))[2], 9223372036854775807)::text)
        """
    }

    /// Marks a context and its descendants deleted; what handouts assign stays in them with its title.
    static func withdraw(
        _ bundleID: String, _ path: [String], _ locale: String, in organization: OrganizationID,
        _ environment: String
    ) -> Statement {
        """
        update school.context as c set deleted_at = school.moment()
         where c.organization_id = \(organization) and c.environment = \(environment)
           and c.bundle_id = \(bundleID) and c.locale = \(locale)
           and c.identifier_path[1:\(path.count)] = \(path)
           and c.kind = 'catalog' and c.deleted_at is null
           and exists (select from school.context as r
                        where r.organization_id = c.organization_id
                          and r.environment = c.environment and r.bundle_id = c.bundle_id
                          and r.locale = c.locale and r.identifier_path = \(path)
                          and r.kind = 'catalog' and r.deleted_at is null)
        """
    }
}
