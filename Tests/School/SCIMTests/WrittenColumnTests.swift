import JSONBytes
import Postgres
import School
import TestKit
import Testing

@testable import SCIM

/// What SCIM writes of people and classes.
@Suite struct WrittenColumns {
    private func names(_ school: TestSchool, _ statement: Statement) throws -> Set<String> {
        Set(try school.sql(statement).map { try $0.text("name") })
    }

    @Test func `SCIM writes each column of people, or leaves it alone`() async throws {
        let alone: Set<String> = ["source_id", "password_policy", "name_order", "origin"]
        let user: JSONObject = JSONObject([
            ("userName", "nora@hillside.example"),
            ("name", ["givenName": "Nora", "familyName": "Novak"]),
        ])
        let sent = Set(try UserDraft(user).columns.members.map(\.key))
        try await withSchool { school in
            let written = try names(
                school, "select unnest(school.written_columns('person')) as name")
            for column in written.subtracting(sent.union(alone)).sorted() {
                Issue.record(
                    "Name person.\(column) in UserDraft.columns, or here if SCIM does not know it.")
            }
            #expect(sent.isDisjoint(with: alone) && sent.isSubset(of: written))
            let granted = try names(
                school,
                """
                select column_name::text as name from information_schema.column_privileges
                 where table_schema = 'school' and table_name = 'person' and grantee = 'school_directory_writer'
                   and privilege_type = 'INSERT' and column_name not in ('organization_id', 'person_id')
                """)
            #expect(granted == sent, "SQL/policies/scim.sql grants what SCIM writes")
        }
    }
}
