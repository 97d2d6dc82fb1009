import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("How many attempts count")
struct AttemptLimitTests {
    /// Attempts one after another, each half a second long.
    private func attempts(
        _ school: TestSchool, _ numbers: Range<Int>, since began: Timestamp,
        at path: [String] = TestSchool.context
    ) -> [JSONValue] {
        numbers.map { number in
            func moment(_ part: Int64) -> Timestamp {
                Timestamp(milliseconds: began.milliseconds + Int64(number) * 1000 + part)
            }
            return school.attempt(
                UUID(milliseconds: 6, random: (6, UInt64(number))), at: path, from: moment(0),
                to: .some(moment(500)), seconds: 0.25)
        }
    }

    private func count(_ school: TestSchool, _ handout: GivenHandout) throws -> Int {
        try school.sql(
            """
            select count(*) as count from school.activity_assignment
             where handout_id = \(handout.id) and is_shown
            """)[0].int("count")
    }

    @Test func `the first thousand at a context count, and the others are silently dropped`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            _ = try school.newHandout(path: ["other"])
            let began = school.ago(60)
            for start in [0, 500] {
                try await school.upload(
                    attempts(school, start..<start + 500, since: began))
            }
            #expect(try count(school, handout) == 1000)
            let counted = try await school.upload([school.attempt(at: ["other"])])
            let dropped = try await school.upload(
                attempts(school, 1000..<1003, since: began) + [school.attempt(at: ["other"])])
            #expect(dropped.status == 202)
            #expect(dropped.body == counted.body)
            #expect(try count(school, handout) == 1000)
            #expect(try school.storedCount() == 1002)
            #expect(try school.sql("select from school.activity_assignment").count == 1002)
        }
    }

    @Test func `parts of those that count still merge, and deletions make room`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            let began = school.ago(60)
            try await school.upload(attempts(school, 0..<1, since: began))
            try school.sql("update school.assignment_figures set attempts = 1000")
            let again = school.attempt(
                UUID(milliseconds: 6, random: (6, 0)), from: began, to: .some(school.ago(59)),
                ranges: [[0, 1]])
            try await school.upload([again] + attempts(school, 1..<2, since: began))
            let stored = try school.sql("select progress from school.activity_assignment")
            #expect(try stored.map { try $0.double("progress") } == [1])
            try school.sql("update school.assignment_figures set attempts = 1")
            _ = try await school.post(
                "/v1/people/\(Persona.sam.personID.uuid)/progress-pause", as: .ada)
            _ = try await school.delete(
                "/v1/people/\(Persona.sam.personID.uuid)/progress-pause", as: .ada)
            try await school.upload(attempts(school, 1..<2, since: began))
            #expect(try count(school, handout) == 1)
            let figures = try school.sql("select attempts from school.assignment_figures")
            #expect(try figures.map { try $0.int("attempts") } == [1])
        }
    }

    @Test func `attempts that ended before anything in them counts are not a way around it`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            let began = school.ago(60)
            // All of them are changed long after the last one began, so only the last is shown.
            let overlapping = (0..<1500).map { number in
                school.attempt(
                    UUID(milliseconds: 8, random: (8, UInt64(number))),
                    from: Timestamp(milliseconds: began.milliseconds + Int64(number)),
                    to: .some(school.ago(50)))
            }
            for start in [0, 500, 1000] {
                try await school.upload(Array(overlapping[start..<start + 500]))
            }
            #expect(try count(school, handout) == 1)
            #expect(try school.sql("select from school.activity_assignment").count == 1000)
            #expect(try school.storedCount() == 1000)
            try await school.upload([school.attempt(from: school.ago(40))])
            #expect(try school.storedCount() == 1000)
        }
    }
}
