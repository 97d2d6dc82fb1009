import API
import Postgres
import School
import Values

/// Where a page of people by their last sign-in ended.
struct SignInPosition: Sendable {
    /// `nil` among those who never signed in, who come last.
    let moment: Timestamp?
    let id: UUID

    /// `nil` on the first page.
    init?(_ page: Page) throws {
        guard !page.isFirst else { return nil }
        guard page.after.count == 2, let id = UUID(page.after[1]) else {
            throw Problem.foreignPageToken
        }
        moment = Timestamp(page.after[0])
        guard moment != nil || page.after[0].isEmpty else { throw Problem.foreignPageToken }
        self.id = id
    }

    @Sendable static func key(_ row: Row) throws -> [String] {
        [
            try row.optionalTimestamp("last_sign_in_at")?.description ?? "",
            try row.uuid("id").description,
        ]
    }
}

extension Statement {
    /// People in the order of their last sign-ins, the latest first.
    ///
    /// - Parameter conditions: each begins with `and`.
    static func peopleBySignIn(
        of organization: OrganizationID, _ conditions: [Statement], after: SignInPosition?,
        limit: Int
    ) -> Statement {
        let next: Statement? = after.map { after in
            guard let moment = after.moment else {
                return "where signed.at is null and listed.id > \(after.id)"
            }
            return """
                where signed.at < \(moment) or signed.at = \(moment) and listed.id > \(after.id)
                   or signed.at is null
                """
        }
        return """
            select listed.*, signed.at as last_sign_in_at
              from (\(fragment: Directory.people.selection)
                     where person.organization_id = \(organization)
                           \(fragment: conditions.joined(by: " "))) as listed
             cross join lateral (
                   select school.last_sign_in_at(listed.id)::timestamptz(3) as at) as signed
             \(optional: next)
             order by signed.at desc nulls last, listed.id limit \(limit)
            """
    }
}
