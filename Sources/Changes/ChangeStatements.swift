import Postgres
import School
import Values

extension Statement {
    /// The feed of the caller's organization.
    static var feed: Statement {
        "select feed_id, forgotten_through, settled_before from school.my_feed()"
    }

    /// The changes that the caller may see, in the order of positions.
    ///
    /// - Parameter end: the first transaction that is not shown yet.
    static func changes(
        after position: FeedPosition, before end: Int64, limit: Int,
        in organization: OrganizationID
    ) -> Statement {
        """
        select kind, subject_id as id, what, noted_at as at, transaction::text::bigint as transaction
          from school.change
         where organization_id = \(organization)
           and (transaction, kind, subject_id)
               > (\(position.transaction)::text::xid8, \(position.last?.kind ?? ""), \(position.lastID))
           and transaction < \(end)::text::xid8
         order by transaction, kind, subject_id
         limit \(limit)
        """
    }
}

extension FeedPosition {
    /// The smallest id stands for none.
    fileprivate var lastID: UUID { last?.id ?? UUID(high: 0, low: 0) }
}
