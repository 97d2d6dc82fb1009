import Postgres
import School

/// What apps save, look up and remove on behalf of a person; the rules are in
/// `SQL/functions/catalog/native_contexts.sql`.
extension Statement {
    static func saveNative(_ contexts: JSONDocument) -> Statement {
        "select school.save_native_contexts(\(contexts))"
    }

    static func removeNative(_ path: [String]) -> Statement {
        "select school.remove_native_contexts(\(path))"
    }

    /// Every existing context along a path, deeper than the last one of the previous page.
    static func onPath(
        _ path: [String], in organization: OrganizationID, languages: [String], after: [String]?,
        limit: Int
    ) -> Statement {
        """
        \(fragment: found(
            "school.contexts_on_path(\(path), \(languages), \(after?.count))", in: organization))
         limit \(limit)
        """
    }

    static func nativeChildren(
        of path: [String], in organization: OrganizationID, languages: [String],
        after: (order: Double, path: [String])?, limit: Int
    ) -> Statement {
        found(
            """
            school.children_for_app(\(path), \(languages), \(after?.order), \(after?.path), \(limit))
            """, in: organization)
    }

    private static func found(
        _ contexts: Statement, in organization: OrganizationID
    ) -> Statement {
        """
        select c.kind as "origin", c.identifier_path, c.title, c.type,
               c.custom_type_name, c.display_order,
               c.is_assignable,
               c.progress_reporting_capabilities,
               c.suggested_age,
               c.suggested_completion_time, c.summary, b.topic,
               c.universal_link_url as "universalLinkURL", b.has_children,
               c.created_at, c.updated_at
          from \(fragment: contexts) as b
          join school.context as c
            on c.organization_id = \(organization) and c.context_id = b.context_id
         order by b.place
        """
    }
}
