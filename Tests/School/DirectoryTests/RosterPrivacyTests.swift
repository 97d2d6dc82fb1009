import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// A roster that is recorded retroactively reveals nothing that nobody had assigned then.
@Suite struct PrivacyOfRosters {
    @Test func `a beginning in the past opens no assignment before it was recorded`() async throws {
        try await withSchool { school in
            _ = try school.newHandout(publishedAt: school.ago(3000))
            let ben = "/v1/classes/\(school.biology.uuid)/students/source:sis-ben"
            let made = try await school.put(ben, as: .ada, json: ["joinedOn": school.day(-5)])
            #expect(made.status == 201)
            let before = school.attempt(from: school.ago(90), to: .some(school.ago(60)))
            try await school.upload([before], as: .bensApp)
            #expect(
                try school.storedCount(of: .ben) == 0, "Ben's earlier work is nobody's business")
            try await school.upload(
                [school.attempt(from: school.ago(0), to: .some(nil))], as: .bensApp)
            #expect(try school.storedCount(of: .ben) == 1)
            try await school.upload([before], as: .samsApp)
            #expect(try school.storedCount(of: .sam) == 1, "it counts for those who sat there")
        }
    }

    @Test func `neither does an earlier beginning of a seat, nor a stay recorded afterwards`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout(publishedAt: school.ago(3000))
            let ben = "/v1/classes/\(school.biology.uuid)/students/source:sis-ben"
            _ = try await school.put(
                ben, as: .ada, json: ["joinedOn": school.day(-9), "leftOn": school.day(0)])
            _ = try await school.put(ben, as: .ada, json: ["joinedOn": school.day(3)])
            let moved = try await school.put(ben, as: .ada, json: ["joinedOn": school.day(0)])
            #expect(moved.status == 200)
            try await school.upload(
                [
                    school.attempt(from: school.ago(2000), to: .some(school.ago(1900))),
                    school.attempt(from: school.ago(90), to: .some(school.ago(60))),
                ], as: .bensApp)
            #expect(try school.storedCount(of: .ben) == 0)
        }
    }

    @Test func `directory managers cannot get around it with a plain statement`() async throws {
        try await withSchool { school in
            let seats: Statement = """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at)
                values (\(school.hillside), \(school.biology), \(school.id(.ben)), 'student',
                        now() - interval '5 days')
                """
            #expect(throws: PostgresError.self) {
                try school.sql(seats, as: school.caller(.petra))
            }
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role, left_at)
                values (\(school.hillside), \(school.biology), \(school.id(.ben)), 'student', null)
                """, as: school.caller(.petra))
            try school.sql(
                """
                update school.seat set joined_at = now() - interval '5 days'
                 where class_id = \(school.biology) and person_id = \(school.id(.ben))
                """, as: school.caller(.petra))
            let recorded = try school.sql(
                """
                select recorded_at > now() - interval '1 hour' as late from school.seat
                 where class_id = \(school.biology) and person_id = \(school.id(.ben))
                """)
            #expect(try recorded[0].bool("late"))
            #expect(throws: PostgresError.self) {
                try school.sql(
                    "update school.seat set recorded_at = null", as: school.caller(.petra))
            }
        }
    }
}
