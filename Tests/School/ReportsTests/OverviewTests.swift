import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("GET /v1/me/overview")
struct OverviewTests {
    private static let lists = ["dueThisWeek", "late", "toReview"]

    /// The titles in each list.
    private func titles(
        _ school: TestSchool, as persona: Persona = .tom
    ) async throws -> [String: [String]] {
        let answer = try await school.get("/v1/me/overview", as: persona)
        #expect(answer.status == 200)
        return Self.lists.reduce(into: [:]) { titles, list in
            titles[list] = (answer.json[list]?.array ?? []).compactMap { $0["title"]?.text }
        }
    }

    private func handout(
        _ school: TestSchool, _ title: String, in classID: ClassID = TestIDs.biology,
        dueAt: Timestamp? = nil
    ) throws -> GivenHandout {
        let given = try school.newHandout(in: classID, dueAt: dueAt)
        try school.sql(
            "update school.handout set title = \(title) where handout_id = \(given.id)")
        return given
    }

    private func markDone(
        _ school: TestSchool, _ handout: GivenHandout, by persona: Persona,
        at moment: Timestamp? = nil
    ) async throws {
        let path = "/v1/assignments/\(handout.task.uuid)/done"
        #expect(try await school.put(path, as: persona).status == 200)
        try school.sql(
            """
            update school.assignment set done_at = coalesce(\(moment), done_at)
             where task_id = \(handout.task) and person_id = \(school.id(persona))
            """)
    }

    /// When the day begins that many days after today, where the organization is.
    private func dayBegins(_ school: TestSchool, _ days: Int) throws -> Timestamp {
        try school.sql(
            """
            select (((now() at time zone time_zone)::date + \(Int32(days)))::timestamp at time zone time_zone)
                       ::timestamptz(3) as moment
              from school.organization where organization_id = \(school.hillside)
            """)[0].timestamp("moment")
    }

    @Test(arguments: ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
    func `a week ends with the sixth day after today in the school's time zone`(
        zone: String
    ) async throws {
        try await withSchool { school in
            try school.sql("update school.organization set time_zone = \(zone)")
            let end = try dayBegins(school, 7)
            let last = Timestamp(milliseconds: end.milliseconds - 1)
            _ = try handout(school, "Last", dueAt: last)
            _ = try handout(school, "Next week", dueAt: end)
            _ = try handout(school, "Soon", dueAt: school.ago(-1))
            _ = try handout(school, "Over", dueAt: school.ago(1))
            _ = try handout(school, "At no time")
            let seen = try await titles(school)
            #expect(seen == ["dueThisWeek": ["Soon", "Last"], "late": ["Over"], "toReview": []])
            #expect(try await titles(school, as: .cora) == seen)
        }
    }

    @Test func `late is what a student who has it has not done`() async throws {
        try await withSchool { school in
            let one = try handout(school, "One", dueAt: school.ago(20))
            _ = try handout(school, "Other", dueAt: school.ago(10))
            #expect(try await titles(school)["late"] == ["Other", "One"])
            for persona in [Persona.sam, .sue] { try await markDone(school, one, by: persona) }
            #expect(try await titles(school)["late"] == ["Other"])
            let answer = try await school.get("/v1/me/overview", as: .tom)
            let item = answer.json["late"]?[0]
            #expect(item?["className"] == "Biology")
            #expect(item?["counts"] == ["assigned": 2, "done": 0, "late": 2, "overdue": 2])
            #expect(item?["studentsToReview"] == 0)
            #expect(item?["lastDoneAt"]?.isNull == true)
        }
    }

    @Test func `to review is what was done in seven days and not given back since`()
        async throws
    {
        try await withSchool { school in
            let new = try handout(school, "New")
            let old = try handout(school, "Old")
            let returned = try handout(school, "Returned")
            try await markDone(school, new, by: .sam, at: school.ago(60 * 24 * 7 - 5))
            try await markDone(school, old, by: .sam, at: school.ago(60 * 24 * 7 + 5))
            try await markDone(school, returned, by: .sam)
            #expect(try await titles(school)["toReview"] == ["Returned", "New"])
            let path =
                "/v1/handouts/\(returned.id.uuid)/students/source:sis-sam/tasks/\(returned.task.uuid)/return"
            let answer = try await school.put(path, as: .cora, json: ["note": "Well done"])
            #expect(answer.status == 200)
            #expect(try await titles(school)["toReview"] == ["New"])
            try await markDone(school, returned, by: .sue)
            let item = try await school.get("/v1/me/overview", as: .tom).json["toReview"]?[0]
            #expect(item?["title"] == "Returned")
            #expect(item?["studentsToReview"] == 1)
            #expect(item?["lastDoneAt"]?.text != nil)
        }
    }

    private static let changes: [Statement] = [
        "update school.handout set completed_at = now()",
        "update school.handout set completed_at = now(), archived_at = now()",
        "update school.handout set publish_at = null",
        "update school.handout set publish_at = now() + interval '1 day'",
        "update school.handout set deleted_at = now()",
        "update school.class set archived_at = now()",
        "update school.handout set environment = 'development'",
    ]

    @Test(arguments: changes)
    func `what is over, a draft, or of a class that rests is left out`(
        change: Statement
    ) async throws {
        try await withSchool { school in
            let soon = try handout(school, "Soon", dueAt: school.ago(-60))
            _ = try handout(school, "Late", dueAt: school.ago(60))
            try await markDone(school, soon, by: .sam)
            let before = try await titles(school)
            #expect(before == ["dueThisWeek": ["Soon"], "late": ["Late"], "toReview": ["Soon"]])
            try school.sql(change)
            #expect(try await titles(school).values.allSatisfy(\.isEmpty))
        }
    }

    @Test func `who does not teach the class sees nothing of it`() async throws {
        try await withSchool { school in
            let soon = try handout(school, "Soon", dueAt: school.ago(-60))
            _ = try handout(school, "Late", dueAt: school.ago(60))
            let other = try handout(
                school, "Chemistry", in: school.chemistry, dueAt: school.ago(-9))
            try await markDone(school, soon, by: .sam)
            try await markDone(school, other, by: .ben)
            let toms = ["dueThisWeek": ["Soon"], "late": ["Late"], "toReview": ["Soon"]]
            #expect(try await titles(school) == toms)
            let tesss = ["dueThisWeek": ["Chemistry"], "late": [], "toReview": ["Chemistry"]]
            #expect(try await titles(school, as: .tess) == tesss)
            #expect(try await titles(school, as: .otto).values.allSatisfy(\.isEmpty))
            for persona in [Persona.ada, .petra, .mara, .sam, .exporter, .samsApp, .tomsApp] {
                #expect(try await school.get("/v1/me/overview", as: persona).status == 403)
            }
            try school.sql(
                "update school.seat set left_at = now() where person_id = \(school.id(.tom))")
            #expect(try await titles(school).values.allSatisfy(\.isEmpty))
            #expect(try await titles(school, as: .cora) == toms)
        }
    }

    @Test func `a list has at most a hundred`() async throws {
        try await withSchool { school in
            let given = try school.newHandout()
            try school.sql(
                """
                insert into school.handout (organization_id, handout_id, class_id, author_id, title,
                                            created_at, publish_at, due_at)
                select h.organization_id, school.new_id(), h.class_id, h.author_id, 'Number ' || n,
                       h.created_at, h.publish_at, now() + n * interval '1 minute'
                  from school.handout as h cross join generate_series(1, 101) as n
                 where h.handout_id = \(given.id)
                """)
            let titles = try await titles(school)["dueThisWeek"] ?? []
            #expect(titles == (1...100).map { "Number \($0)" })
        }
    }
}
