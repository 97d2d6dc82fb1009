import Postgres
import School
import Values

extension Statement {
    /// The feed of the caller's organization.
    static var feed: Statement {
        "select feed_id, forgotten_through, ends_before from school.my_feed()"
    }

    /// The changes that the caller may see, in the order of positions.
    ///
    /// A transaction that the caller sees has a change that the caller sees. So each of the transactions that are read
    /// adds to the answer, except the one in which the last answer ended.
    ///
    /// - Parameter end: the first position that is not shown yet.
    static func changes(
        after position: FeedPosition, before end: Int64, limit: Int,
        in organization: OrganizationID
    ) -> Statement {
        """
        select c.kind, c.subject_id as id, c.what, c.noted_at as at, t.position
          from (select t.transaction, t.position from school.change_transaction as t
                 where t.organization_id = \(organization)
                   and t.position >= \(position.number) and t.position < \(end)
                 order by t.position limit \(limit + 1)) as t
         cross join lateral (
               select * from school.change as c
                where c.organization_id = \(organization) and c.transaction = t.transaction
                  and (c.kind, c.subject_id)
                      > (case when t.position = \(position.number) then \(position.last?.kind ?? "")::text else '' end,
                         case when t.position = \(position.number) then \(position.lastID)::uuid
                              else \(UUID.least)::uuid end)
                order by c.kind, c.subject_id limit \(limit)) as c
         order by t.position, c.kind, c.subject_id
         limit \(limit)
        """
    }

    /// The latest change of something, and who made it, as far as the caller sees that person.
    static func latestChange(
        of id: UUID, kind: String, in organization: OrganizationID
    ) -> Statement {
        """
        select c.noted_at as at,
               (select json_build_object(
                           'id', p.person_id, 'givenName', p.given_name, 'familyName', p.family_name,
                           'nameOrder', coalesce(p.name_order, (select school.my_name_order())))
                  from school.person as p
                 where p.organization_id = c.organization_id and p.person_id = c.changed_by) as changed_by
          from school.change as c
         where c.organization_id = \(organization) and c.kind = \(kind) and c.subject_id = \(id)
           and c.noted_at > school.moment() - interval '1 day'
         order by c.transaction desc limit 1
        """
    }
}

extension FeedPosition {
    /// The smallest id stands for none.
    fileprivate var lastID: UUID { last?.id ?? .least }
}

extension UUID {
    fileprivate static let least = UUID(high: 0, low: 0)
}
