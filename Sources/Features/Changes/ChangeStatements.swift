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

    /// The latest change of something, and who made it, as far as the caller sees that person; `nil` if nothing of that
    /// kind has such an id.
    static func latestChange(
        of id: String, kind: String, in organization: OrganizationID
    ) -> Statement? {
        let changes: Statement
        switch (kind, UUID(id)) {
        case ("app", _):
            changes = """
                select a.organization_id, a.edited_at as at, a.edited_by as changed_by from school.app as a
                 where a.organization_id = \(organization) and a.adam_id = \(id)
                """
        case ("announcement", let id?):
            changes = """
                select a.organization_id, a.edited_at as at, a.edited_by as changed_by
                  from school.announcement as a
                 where a.organization_id = \(organization) and a.announcement_id = \(id)
                """
        case (_, let id?):
            changes = """
                select c.organization_id, c.noted_at as at, c.changed_by from school.change as c
                 where c.organization_id = \(organization) and c.kind = \(kind) and c.subject_id = \(id)
                 order by c.transaction desc limit 1
                """
        default: return nil
        }
        return """
            select c.at,
                   (select json_build_object(
                               'id', p.person_id, 'givenName', p.given_name, 'familyName', p.family_name,
                               'nameOrder', coalesce(p.name_order, (select school.my_name_order())))
                      from school.person as p
                     where p.organization_id = c.organization_id and p.person_id = c.changed_by) as changed_by
              from (\(fragment: changes)) as c
             where c.at > school.moment() - interval '1 day'
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
