import Postgres
import School
import TestKit
import Testing

/// The database (`may_give_role`) and the server, which words the refusals, both hold who may give which role.
@Suite struct RoleTable {
    @Test func `the server and the database agree on every role and standing`() async throws {
        try await withSchool { school in
            let connection = try BlockingConnection(school.ownerURL)
            let roles = try connection.query(
                """
                select m.words[1] as role from pg_constraint as c
                 cross join lateral regexp_matches(pg_get_constraintdef(c.oid), '''([A-Za-z]+)''', 'g') as m (words)
                 where c.conrelid = 'school.person_role'::regclass and c.conname = 'person_role_role'
                """
            ).map { try $0.text("role") }
            #expect(roles.count == 8)
            // So that all are answered.
            try school.sql(
                "grant execute on function school.may_give_role(text) to school_standing")
            for standing in Standing.allCases {
                for role in roles {
                    let rows = try connection.query(
                        "select school.may_give_role(\(role)) as may_give",
                        as: school.caller(as: standing).identity)
                    let mayGive = try rows[0].bool("may_give")
                    #expect(mayGive == standing.mayManage(role), "\(standing): \(role)")
                }
            }
        }
    }
}

extension TestSchool {
    fileprivate func caller(as standing: Standing) -> Caller {
        Caller(
            organizationID: hillside, personID: Persona.ada.personID, standings: [standing],
            app: standing == .app ? "com.example.quiz" : nil)
    }
}
