import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("Times and ranges that touch")
struct TouchingTests {
    private func moment(_ base: Timestamp, _ milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: base.milliseconds + milliseconds)
    }

    /// Whether a part is stored that lasts from one moment to another, in milliseconds around a given moment.
    private func isStored(
        _ school: TestSchool, around base: Timestamp, from start: Int64, to end: Int64
    ) async throws -> Bool {
        try school.sql("delete from school.activity")
        try await school.upload([
            school.attempt(
                from: moment(base, start), to: .some(moment(base, end)), seconds: 0,
                modified: moment(base, end))
        ])
        return try school.storedCount() == 1
    }

    @Test(arguments: ["lock", "completion", "deletion", "leaving", "archive", "lifted lock"])
    func `a part that begins at exactly the close does not count, one just before does`(
        close: String
    ) async throws {
        try await withSchool { school in
            let handout = try school.newHandout(publishedAt: school.ago(120))
            let base = school.ago(60)
            switch close {
            case "lock": try school.sql("update school.handout set locked_at = \(base)")
            case "completion": try school.sql("update school.handout set completed_at = \(base)")
            case "deletion": try school.sql("update school.handout set deleted_at = \(base)")
            case "leaving":
                try school.sql(
                    "update school.seat set left_at = \(base) where person_id = \(school.id(.sam))")
            case "archive":
                try school.sql(
                    "update school.class set archived_at = \(base) where class_id = \(school.biology)"
                )
            default:
                try school.sql(
                    """
                    insert into school.handout_lock (organization_id, handout_id, locked_at, unlocked_at)
                    values (\(school.hillside), \(handout.id), \(base), \(moment(base, 60_000)))
                    """)
            }
            #expect(try await isStored(school, around: base, from: -1, to: -1))
            #expect(try await isStored(school, around: base, from: 0, to: 0) == false)
            #expect(try await isStored(school, around: base, from: 0, to: 1000) == false)
        }
    }

    @Test func `a part that ends at exactly the opening counts, one just before does not`()
        async throws
    {
        try await withSchool { school in
            let base = school.ago(60)
            _ = try school.newHandout(publishedAt: base)
            #expect(try await isStored(school, around: base, from: -1000, to: 0))
            #expect(try await isStored(school, around: base, from: 0, to: 0))
            #expect(try await isStored(school, around: base, from: -1000, to: -1) == false)
        }
    }

    @Test(
        arguments: [
            [[[0, 0.4], [0.4, 0.8]]], [[[0, 0.4]], [[0.4, 0.8]]], [[[0.4, 0.8]], [[0, 0.4]]],
            [[[0, 0.4], [0.2, 0.6]], [[0.6, 0.8], [0.4, 0.5]]],
            [[[0, 0.1], [0.1, 0.2], [0.2, 0.3]], [[0.3, 0.8]]],
        ])
    func `adjoining ranges become one, in one part or in several`(parts: [[[Double]]]) async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            let id = UUID.v7()
            for ranges in parts {
                try await school.upload([school.attempt(id, ranges: ranges)])
            }
            let row = try school.sql(
                "select progress from school.activity_assignment")[0]
            #expect(try row.optionalDouble("progress") == 0.8)
            let report = try await school.get(
                "/v1/handouts/\(handout.id.uuid)/report", as: .tom)
            #expect(report.text.contains("\"progress\":0.8,"))
        }
    }
}
