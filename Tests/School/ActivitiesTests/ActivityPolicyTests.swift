import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Asked of the database directly, bypassing the server.
@Suite("Who sees activities, according to the database alone")
struct ActivityPolicyTests {
    private static let tables: [(name: String, count: Statement)] = [
        ("activity", "select count(*) as count from school.activity"),
        ("activity_item", "select count(*) as count from school.activity_item"),
        ("activity_assignment", "select count(*) as count from school.activity_assignment"),
    ]

    /// How many rows of each table the caller sees; `nil` if the caller may not even ask.
    private func counts(_ school: TestSchool, _ caller: Caller) throws -> [Int?] {
        try Self.tables.map { table in
            do {
                return try school.sql(table.count, as: caller)[0].int("count")
            } catch let PostgresError.server(server) where server.sqlState == "42501" {
                return nil
            }
        }
    }

    /// Sam's and Sue's attempts in Biology, which exist.
    private func fill(_ school: TestSchool) async throws {
        _ = try school.newHandout()
        for app in [Persona.samsApp, .suesApp] {
            try await school.upload(
                [
                    school.attempt(primary: [
                        "kind": "quantity", "identifier": "q", "title": "Q", "quantity": 1,
                    ])
                ], as: app)
        }
        for table in Self.tables {
            #expect(try school.sql(table.count)[0].int("count") == 2, "\(table.name)")
        }
    }

    @Test func `teachers of the class see them, and nobody else's teachers do`() async throws {
        try await withSchool { school in
            try await fill(school)
            #expect(try counts(school, school.caller(.tom)) == [2, 2, 2])
            #expect(try counts(school, school.caller(.cora)) == [2, 2, 2])
            #expect(try counts(school, school.caller(.tess)) == [0, 0, 0])
            #expect(try counts(school, school.caller(.otto)) == [0, 0, 0])
        }
    }

    @Test func `students see their own`() async throws {
        try await withSchool { school in
            try await fill(school)
            #expect(try counts(school, school.caller(.sam)) == [1, 1, 1])
            #expect(try counts(school, school.caller(.ben)) == [0, 0, 0])
            #expect(try counts(school, school.caller(.omar)) == [0, 0, 0])
        }
    }

    @Test func `the exporter sees those of its organization`() async throws {
        try await withSchool { school in
            try await fill(school)
            #expect(try counts(school, school.caller(.exporter)) == [2, 2, 2])
            let stranger = Caller(
                organizationID: school.elsewhere, personID: nil, standings: [.exporter])
            #expect(try counts(school, stranger) == [0, 0, 0])
        }
    }

    @Test func `a roster reader sees which attempts count in classes whose results it was granted`()
        async throws
    {
        try await withSchool { school in
            try await fill(school)
            let account = ServiceAccountID(UUID.v7())
            try school.sql(
                """
                insert into school.service_account (organization_id, service_account_id, name, role,
                       secret_digest)
                values (\(school.hillside), \(account), 'Grader', 'rosterReader', sha256('secret'))
                """)
            let caller = Caller(
                organizationID: school.hillside, personID: nil, serviceAccountID: account,
                standings: [.rosterReader])
            #expect(try counts(school, caller) == [nil, nil, 0])
            for (group, readsResults, expected) in [
                (school.biology, false, 0), (school.chemistry, true, 0), (school.biology, true, 2),
            ] {
                try school.sql("delete from school.gradebook_grant")
                try school.sql(
                    """
                    insert into school.gradebook_grant (organization_id, service_account_id, class_id, reads_results)
                    values (\(school.hillside), \(account), \(group), \(readsResults))
                    """)
                #expect(try counts(school, caller) == [nil, nil, expected])
            }
        }
    }

    @Test(
        arguments: Standing.allCases.filter {
            ![.teacher, .student, .exporter, .rosterReader].contains($0)
        })
    func `all other standings may not even ask`(standing: Standing) async throws {
        try await withSchool { school in
            try await fill(school)
            let caller = Caller(
                organizationID: school.hillside, personID: school.id(.tom), standings: [standing],
                app: school.quizzler)
            #expect(try counts(school, caller) == [nil, nil, nil])
        }
    }

    @Test func `a former teacher of the class no longer sees them`() async throws {
        try await withSchool { school in
            try await fill(school)
            try school.sql(
                """
                update school.seat set left_at = \(school.ago(1)) where person_id = \(school.id(.tom))
                """)
            #expect(try counts(school, school.caller(.tom)) == [0, 0, 0])
            #expect(try counts(school, school.caller(.cora)) == [2, 2, 2])
        }
    }

    @Test func `those of an archived class are visible to its last teachers`() async throws {
        try await withSchool { school in
            try await fill(school)
            try school.sql(
                """
                update school.class set archived_at = \(school.ago(5))
                 where class_id = \(school.biology)
                """)
            try school.sql(
                """
                update school.seat set left_at = \(school.ago(1)) where person_id = \(school.id(.tom))
                """)
            #expect(try counts(school, school.caller(.tom)) == [2, 2, 2])
        }
    }

    @Test func `when two teachers assign the same context, each sees what counted for their own`()
        async throws
    {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at)
                values (\(school.hillside), \(school.chemistry), \(school.id(.sam)), 'student',
                        now() - interval '60 days')
                """)
            _ = try school.newHandout(publishedAt: school.ago(100))
            _ = try school.newHandout(
                in: school.chemistry, by: .tess, publishedAt: school.ago(50))
            try await school.upload([
                school.attempt(from: school.ago(90), to: .some(school.ago(80))),
                school.attempt(from: school.ago(60), to: .some(school.ago(40))),
            ])
            #expect(try school.storedCount() == 2)
            #expect(try counts(school, school.caller(.tom))[0] == 2)
            #expect(try counts(school, school.caller(.tess))[0] == 1)
            #expect(try counts(school, school.caller(.tess))[2] == 1)
        }
    }

    @Test func `nobody writes activities with a plain statement`() async throws {
        try await withSchool { school in
            try await fill(school)
            for persona in [Persona.tom, .sam, .ada, .exporter, .samsApp] {
                #expect(throws: PostgresError.self) {
                    try school.sql(
                        "update school.activity_assignment set progress = 1",
                        as: school.caller(persona))
                }
                #expect(throws: PostgresError.self) {
                    try school.sql("delete from school.activity", as: school.caller(persona))
                }
            }
            #expect(
                try school.sql("select from school.activity_assignment where progress = 0.5").count
                    == 2)
        }
    }
}
