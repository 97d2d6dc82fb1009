import API
import Postgres
import School
import Values

/// Where a page of people by name ended.
struct NamePosition: Sendable {
    let familyName: String
    let givenName: String
    let id: UUID

    /// `nil` on the first page.
    init?(_ page: Page) throws {
        guard !page.isFirst else { return nil }
        guard page.after.count == 3, let id = UUID(page.after[2]) else {
            throw Problem.foreignPageToken
        }
        familyName = page.after[0]
        givenName = page.after[1]
        self.id = id
    }

    @Sendable static func key(_ row: Row) throws -> [String] {
        [
            try row.text("family_name"), try row.text("given_name"),
            try row.uuid("id").description,
        ]
    }
}

extension Statement {
    /// Family name, given name and id in the order of the Unicode Collation Algorithm, whatever the locale of the
    /// database: accents and case matter only between names that are otherwise the same. The index `person_by_name`
    /// has it.
    private static let nameOrder: Statement = """
        person.family_name collate "und-x-icu", person.given_name collate "und-x-icu", person.person_id
        """

    /// People in the order of their names.
    ///
    /// - Parameters:
    ///   - standing: whose list it is, if that of a teacher is to begin at the teacher's classes.
    ///   - conditions: each begins with `and`.
    static func peopleByName(
        of organization: OrganizationID, for standing: Standing? = nil, _ conditions: [Statement],
        after: NamePosition?, limit: Int
    ) -> Statement {
        let next: Statement? = after.map {
            "and (\(fragment: nameOrder)) > (\($0.familyName), \($0.givenName), \($0.id))"
        }
        if let reach = standing.flatMap(Directory.people.reach) {
            return Directory.people.list(
                of: organization, reaching: reach, conditions,
                ListOrder(columns: nameOrder, next: next), limit: limit)
        }
        return """
            \(fragment: Directory.people.selection)
             where person.organization_id = \(organization)
                   \(fragment: conditions.joined(by: " ")) \(optional: next)
             order by \(fragment: nameOrder) limit \(limit)
            """
    }
}
