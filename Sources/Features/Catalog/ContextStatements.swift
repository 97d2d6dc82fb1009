import Postgres
import School

/// What developers publish. Paths are below the app; a document is an array of objects whose keys are columns.
extension Statement {
    /// Writes all contexts, or writes none and returns what is wrong.
    static func offer(
        _ document: JSONDocument, _ environment: Environment, keyDigest: [UInt8]
    ) -> Statement {
        """
        select school.offer_contexts(\(environment.rawValue), \(document), \(keyDigest)) as mistake
        """
    }

    /// One context as the Catalog API shows it, with numbers as strings, as in its samples.
    static func published(
        _ bundleID: String, _ path: [String], _ locale: String, in organization: OrganizationID,
        _ environment: Environment
    ) -> Statement {
        """
        select json_build_object('contexts', json_build_array(json_build_object(
            'data', json_strip_nulls(json_build_object(
                'identifierPath', c.bundle_id || c.identifier_path, 'title', c.title, 'type', c.type,
                'customTypeName', c.custom_type_name, 'displayOrder', trim_scale(c.display_order::numeric)::text,
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
         where c.organization_id = \(organization) and c.environment = \(environment.rawValue)
           and c.bundle_id = \(bundleID) and c.identifier_path = \(path) and c.locale = \(locale)
           and c.kind = 'catalog' and c.deleted_at is null
        """
    }

    /// Two strings; a range without an upper bound has 2^63 - 1 there.
    private static func bounds(_ column: Statement) -> Statement {
        """
        json_build_array(coalesce((\(fragment: column))[1], 0)::text,
                         coalesce((\(fragment: column))[2], 9223372036854775807)::text)
        """
    }

    /// Marks a context and its descendants in the locale as deleted, and counts them.
    static func withdraw(
        _ bundleID: String, _ path: [String], _ locale: String, _ environment: Environment
    ) -> Statement {
        """
        select school.withdraw_contexts(\(environment.rawValue), \(bundleID), \(path), \(locale)) as count
        """
    }
}
