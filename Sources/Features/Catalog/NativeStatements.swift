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
        select \(fragment: columns)
          from \(fragment: contexts) as b
          join school.context as c
            on c.organization_id = \(organization) and c.context_id = b.context_id
         order by b.place
        """
    }

    private static let columns: Statement = """
        c.kind as "origin", c.identifier_path, c.title, c.type,
               c.custom_type_name, c.display_order,
               c.is_assignable,
               c.progress_reporting_capabilities,
               c.suggested_age,
               c.suggested_completion_time, c.summary, b.topic,
               c.universal_link_url as "universalLinkURL",
               coalesce((select jsonb_agg((e.place -> 'path') - 0 order by e.nth)
                           from jsonb_array_elements(c.presentable_paths) with ordinality as e (place, nth)),
                        '[]') as "navigationPaths",
               c.thumbnail_id is not null as "hasThumbnail",
               b.has_children, c.created_at, c.updated_at
        """

    /// What changed after a cursor, with three columns more than are shown.
    static func changes(
        after cursor: ContextCursor, in organization: OrganizationID, languages: [String],
        limit: Int
    ) -> Statement {
        """
        select \(fragment: columns), b.is_own, b.change, b.path
          from school.changed_contexts(\(languages), \(cursor.catalog), \(cursor.own), \(limit)) as b
          left join school.context as c
            on c.organization_id = \(organization) and c.context_id = b.context_id
         order by b.is_own, b.change
        """
    }

    // MARK: Pictures

    /// Stores a picture to be read later; without bytes it only checks whether the context is there.
    static func acceptNative(_ bytes: [UInt8]?, at path: [String]) -> Statement {
        """
        select school.accept_native_thumbnail(
                   \(path), \(bytes), \(NativeThumbnail.countMax), \(NativeThumbnail.waitingMax)) as outcome
        """
    }

    static func removeNativeThumbnail(at path: [String]) -> Statement {
        "select school.remove_native_thumbnail(\(path))"
    }

    /// The id of the context that the app finds at a path.
    static func contextForApp(_ path: [String], languages: [String]) -> Statement {
        "(select school.context_for_app(\(path), \(languages)))"
    }

    static func claimNativeThumbnail() -> Statement {
        "select organization_id, context_id, bytes from school.claim_native_thumbnail()"
    }

    /// Stores the picture that was read; `nil` if it was none.
    static func finishNativeThumbnail(
        _ row: Row, _ picture: (type: String, bytes: [UInt8])?
    ) throws -> Statement {
        """
        select school.finish_native_thumbnail(
                   \(try row.uuid("organization_id")), \(try row.uuid("context_id")),
                   \(picture?.type), \(picture?.bytes))
        """
    }
}
