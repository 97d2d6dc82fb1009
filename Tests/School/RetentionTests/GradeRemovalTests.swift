import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Grades that other systems wrote go by a rule of their own.
@Suite struct GradeRemoval {
    private let alive: Statement = "select from school.grade where deleted_at is null"

    @Test func `old grades are announced, and go in steps when the thirty days are over`()
        async throws
    {
        try await withSchool { school in
            for item in ["One", "Two", "Three"] {
                try school.newGrade(of: .sam, item: item, comment: "Weak", daysAgo: 800)
            }
            try school.newGrade(of: .sue, item: "One", daysAgo: 100)
            try school.newGrade(of: .sue, item: "Two", daysAgo: 720)
            try await school.setRules(["kind": "grades", "years": 2])
            #expect(
                try await school.rule("grades")?["going"] == 100, "one is old within thirty days")
            try school.letNightPass()
            #expect(try school.count(alive) == 5, "the thirty days are not over")
            try school.waitForRules()
            #expect(try school.letNightPass(limit: 2) == 3, "two, one and none")
            #expect(try school.count(alive) == 2)
            let left = try school.sql(
                """
                select num_nonnulls(score, text_score, comment, more) as left from school.grade
                 where deleted_at is not null
                """)
            #expect(try left.map { try $0.int("left") } == [0, 0, 0])
            #expect(try await school.get("/v1/grades", as: .sam).items.isEmpty)
            #expect(try await school.get("/v1/grades", as: .tom).items.count == 2)
            #expect(try await school.get("/v1/graded-items", as: .tom).items.count == 3)
            let events = try school.details("retention")
            #expect(events.count == 1 && events[0]["removed"]?["grades"] == 3)
            let night = try await school.get("/v1/retention", as: .ada).json["lastNight"]
            #expect(night?["removed"]?["grades"] == 3)
            #expect(try await school.rule("grades")?["removedBefore"]?.text != nil)
        }
    }

    @Test func `no day of a system keeps a grade for good, or brings an old one back`() async throws
    {
        try await withSchool { school in
            let future = try school.newGrade(of: .sam, item: "Future", daysAgo: -2_000_000)
            try school.newGrade(of: .sam, item: "New", daysAgo: -30)
            try school.sql(
                """
                update school.grade set created_at = now() - interval '3 years' where grade_id = \(future)
                """)
            let old = try school.newGrade(of: .sam, item: "Old", daysAgo: 500)
            try await school.setRules(["kind": "grades", "days": 365])
            try school.waitForRules()
            try school.letNightPass()
            let left = try school.sql(
                "select grade_id as id from school.grade where deleted_at is null")
            #expect(left.count == 1)
            // The system sends it again, with its old day.
            try school.sql(
                """
                update school.grade set deleted_at = null, score = 1 where grade_id = any (\([future, old]))
                """)
            try school.letNightPass()
            #expect(try school.count(alive) == 1)
        }
    }

    @Test func `a hold on a person or a class keeps grades, until it is lifted`() async throws {
        try await withSchool { school in
            for student in [Persona.sam, .sue] { try school.newGrade(of: student, daysAgo: 800) }
            try school.newGrade(of: .ben, in: school.chemistry, daysAgo: 800)
            let sams = try await school.hold("person", school.id(.sam).uuid)
            let chemistry = try await school.hold("class", school.chemistry.uuid)
            #expect(sams.status == 201 && chemistry.status == 201)
            // Of a class that is held, grades stay even of someone who never sat in it.
            try school.newGrade(of: .sue, in: school.chemistry, item: "Guest", daysAgo: 800)
            try await school.setRules(["kind": "grades", "years": 2])
            #expect(try await school.rule("grades")?["going"] == 100, "whatever is held")
            try school.waitForRules()
            try school.letNightPass()
            #expect(try school.count(alive) == 3)
            for hold in [sams, chemistry] {
                let path = "/v1/retention/holds/\(hold.json["id"]?.text ?? "")"
                #expect(try await school.delete(path, as: .ada).status == 204)
            }
            try school.letNightPass()
            #expect(try school.count(alive) == 0)
        }
    }

    @Test func `other schools and other kinds keep what they have`() async throws {
        try await withSchool { school in
            try school.newGrade(of: .sam, daysAgo: 800)
            try await school.setRules(["kind": "activities", "years": 1])
            #expect(
                try await school.setRules(["kind": "grades", "years": 1], as: .olga).status == 200)
            try school.waitForRules()
            try school.letNightPass()
            #expect(try school.count(alive) == 1)
        }
    }
}
