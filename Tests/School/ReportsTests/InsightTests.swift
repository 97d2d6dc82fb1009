import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("GET /v1/classes/{id}/insights")
struct InsightTests {
    @Test func `a week is compared with the student's own weeks before, in figures`()
        async throws
    {
        try await withSchool { school in
            let weeks = WeeksOfWork(school: school)
            try weeks.past(1...4, done: 4)
            let now = try weeks.give(0)
            try weeks.note(now, done: 1)
            let answer = try await weeks.answer().json
            #expect(
                try await weeks.findings() == [
                    "Sue nothingDone: nothingDone", "Sam fellBehind: lessDone",
                ])
            let sam = answer["students"]?[1]
            #expect(
                sam?["thisWeek"] == [
                    "tasks": 4, "done": 1, "late": 3, "early": 0, "recorded": 4,
                    "durationSeconds": 0,
                ])
            #expect(
                sam?["before"] == [
                    "weeks": 4, "tasks": 16, "done": 16, "late": 0, "early": 0, "recorded": 16,
                    "durationSeconds": 0,
                ])
            #expect(answer["class"]?["name"] == "Biology")
            #expect(answer["week"]?["from"]?.text == (try weeks.day(0)).description)
            #expect(answer["week"]?["over"] == true)
            #expect(
                answer["week"]?["countedUntil"]?.text
                    == (try weeks.moment(-1, hours: 0)).description)
            #expect(answer["weeksBefore"] == 4)
            #expect(answer["handouts"]?.array?.count == 1)
            #expect(answer["handouts"]?[0]?["id"]?.text == now.handout.id.uuid.description)
            #expect(answer.noteCodes == [])
            let sunday = Day(daysSince1970: try weeks.day(0).daysSince1970 + 6)
            #expect(
                try await weeks.answer("?week=\(sunday)").json["students"] == answer["students"])
        }
    }

    @Test(arguments: [
        // Done before, of 8; done this week, of 4; hours after they were due; what is said.
        (4, 4, -1, "spedUp: moreDone"), (4, 4, -48, "spedUp: moreDone, moreEarly"),
        (4, 3, -1, nil), (4, 2, -1, nil), (4, 2, -48, "spedUp: moreEarly"),
        (4, 0, -1, "nothingDone: nothingDone"), (8, 2, -48, "fellBehind: lessDone"),
        (8, 4, -1, nil), (8, 4, 3, "fellBehind: moreLate"), (8, 2, -1, "fellBehind: lessDone"),
        (8, 3, -1, nil),
        (8, 0, -1, "nothingDone: nothingDone"), (0, 0, -1, "nothingDone: nothingDone"),
    ])
    func `a share differs by a third and by one task`(
        before: Int, done: Int, hours: Int, said: String?
    ) async throws {
        try await withSchool { school in
            let weeks = WeeksOfWork(school: school)
            try weeks.past(1...2, done: before / 2)
            try weeks.note(try weeks.give(0), done: done, hoursAfterDue: hours)
            let findings = try await weeks.findings().filter { $0.hasPrefix("Sam") }
            #expect(findings == (said.map { ["Sam \($0)"] } ?? []))
        }
    }

    @Test func `less time is said where not everything is done`() async throws {
        try await withSchool { school in
            let weeks = WeeksOfWork(school: school)
            try weeks.past(1...2, done: 3)
            for week in 1...2 { try await weeks.work(week, seconds: 1500) }
            let now = try weeks.give(0)
            try weeks.note(now, done: 3)
            #expect(try await weeks.findings().contains("Sam fellBehind: lessTime"))
            try await weeks.work(0, seconds: 700)
            #expect(try await weeks.findings().contains("Sam fellBehind: lessTime"))
            let sam = try await weeks.answer().json["students"]?[1]
            #expect(sam?["thisWeek"]?["durationSeconds"] == 700)
            #expect(sam?["before"]?["durationSeconds"] == 3000)
            try await weeks.work(0, seconds: 60)
            #expect(try await weeks.findings() == ["Sue nothingDone: nothingDone"])
        }
    }

    @Test func `nothing is said with fewer than two weeks before`() async throws {
        try await withSchool { school in
            let weeks = WeeksOfWork(school: school)
            try weeks.note(try weeks.give(0), done: 1)
            #expect(try await weeks.findings() == [])
            try weeks.past(3...3, done: 4)
            let answer = try await weeks.answer().json
            #expect(answer["students"] == [] && answer["weeksBefore"] == 1)
            #expect(answer.noteCodes == ["few_weeks"])
            try weeks.past(5...5, done: 4)
            #expect(try await weeks.findings() == [], "that is too long ago")
            try weeks.past(2...2, done: 4)
            #expect(try await weeks.findings().count == 2)
            #expect(try await weeks.answer().json["weeksBefore"] == 2)
        }
    }

    @Test func `a week is counted as it stood when it ended`() async throws {
        try await withSchool { school in
            let weeks = WeeksOfWork(school: school)
            try weeks.past(1...2, done: 4)
            let now = try weeks.give(0)
            try weeks.note(now, done: 1)
            let before = try await weeks.answer().json["students"]
            let later = WeeksOfWork.Work(
                handout: now.handout, tasks: Array(now.tasks.dropFirst()), due: now.due)
            try weeks.note(later, done: 3, hoursAfterDue: 120)
            #expect(try await weeks.answer().json["students"] == before)
            try school.sql("delete from school.assignment where task_id = any (\(later.tasks))")
            try weeks.note(later, done: 3, hoursAfterDue: 3)
            #expect(try await weeks.findings().last == "Sam fellBehind: moreLate")
        }
    }

    @Test(arguments: ["Pacific/Kiritimati", "Europe/Berlin", "Pacific/Pago_Pago"])
    func `a week ends with the Sunday of the school's time zone`(zone: String) async throws {
        try await withSchool { school in
            try school.sql("update school.organization set time_zone = \(zone)")
            let weeks = WeeksOfWork(school: school)
            try weeks.past(1...2, done: 4)
            let end = try weeks.moment(-1, hours: 0)
            try weeks.give(0, path: "last", dueAt: end)
            try weeks.give(
                0, path: "next", dueAt: Timestamp(milliseconds: end.milliseconds + 1))
            let undated = try weeks.give(0, path: "undated")
            try school.sql(
                "update school.handout set due_at = null where handout_id = \(undated.handout.id)")
            #expect(try await weeks.answer().json["handouts"]?.array?.count == 2)
            let sam = try await weeks.answer().json["students"]?[0]
            #expect(sam?["thisWeek"]?["tasks"] == 8)
            #expect(sam?["thisWeek"]?["late"] == 4, "without a due time nothing is late")
        }
    }

    @Test func `only students who had the work before it was due are compared`() async throws {
        try await withSchool { school in
            let weeks = WeeksOfWork(school: school)
            try weeks.past(1...2, done: 4)
            try weeks.give(0, to: [.sue])
            #expect(try await weeks.findings() == ["Sue nothingDone: nothingDone"])
            try weeks.give(0, path: "whole")
            #expect(try await weeks.findings().count == 2)
            try school.sql(
                """
                update school.seat set joined_at = \(weeks.moment(1, hours: 100))
                 where person_id = \(school.id(.sue))
                """)
            #expect(
                try await weeks.findings() == ["Sam nothingDone: nothingDone"],
                "her earlier weeks were before she came")
            try school.sql(
                "update school.seat set left_at = now() where person_id = \(school.id(.sam))")
            #expect(try await weeks.findings() == [])
        }
    }

    @Test func `nothing is said of students with progress off`() async throws {
        try await withSchool { school in
            let weeks = WeeksOfWork(school: school)
            try weeks.past(1...2, done: 4)
            try weeks.note(try weeks.give(0), done: 1)
            #expect(try await weeks.findings().last == "Sam fellBehind: lessDone")
            let paused = try await school.post(
                "/v1/people/\(school.id(.sam).uuid)/progress-pause", as: .ada)
            #expect(paused.status < 300)
            let answer = try await weeks.answer()
            #expect(!answer.text.contains(school.id(.sam).uuid.description))
            #expect(try await weeks.findings() == ["Sue nothingDone: nothingDone"])
            #expect(answer.json.noteCodes == ["progress_off"])
            try school.sql("update school.organization set is_student_progress_enabled = false")
            #expect(try await weeks.findings() == [])
        }
    }

    @Test func `work that was not assigned changes no answer`() async throws {
        try await withSchool { school in
            let weeks = WeeksOfWork(school: school)
            try weeks.past(1...2, done: 4)
            try weeks.note(try weeks.give(0), done: 1)
            func said() async throws -> [JSONValue?] {
                let json = try await weeks.answer().json
                return [json["students"], json["handouts"], json["weeksBefore"], json["notes"]]
            }
            let before = try await said()
            try await school.upload([school.result(50, seconds: 999, at: ["unassigned"])])
            for change: Statement in [
                "publish_at = null", "publish_at = now() + interval '1 day'",
                "environment = 'development'", "deleted_at = now()",
                "class_id = \(school.chemistry)",
            ] {
                let hidden = try weeks.give(0, path: "hidden")
                #expect(try await said() != before)
                try school.sql("set session_replication_role = replica")
                try school.sql(
                    "update school.handout set \(fragment: change) where handout_id = \(hidden.handout.id)"
                )
                try school.sql("set session_replication_role = origin")
                #expect(try await said() == before)
            }
        }
    }

    @Test func `it is for the class's teachers, of an archived one the last`() async throws {
        try await withSchool { school in
            let weeks = WeeksOfWork(school: school)
            try weeks.past(1...2, done: 4)
            try weeks.note(try weeks.give(0), done: 1)
            let toms = try await weeks.answer().json["students"]
            #expect(toms?.array?.count == 2)
            #expect(try await weeks.answer(as: .cora).json["students"] == toms)
            let bySource = try await weeks.answer(of: "source:class-Biology")
            #expect(bySource.json["students"] == toms)
            for persona in [Persona.tess, .otto] {
                #expect(try await weeks.answer(as: persona).status == 404)
            }
            for persona in [Persona.ada, .petra, .mara, .sam, .exporter, .samsApp, .tomsApp] {
                #expect(try await weeks.answer(as: persona).status == 403)
                let all = try await school.get("/v1/me/insights", as: persona)
                #expect(all.status == 403)
            }
            #expect(try await weeks.answer(of: "source:nothing").status == 404)
            try school.sql(
                "update school.class set archived_at = now() where class_id = \(school.biology)")
            try school.sql(
                "update school.seat set left_at = now() where class_id = \(school.biology)")
            #expect(try await weeks.answer().json["students"] == toms)
            #expect(try await weeks.answer(as: .tess).status == 404)
        }
    }

    @Test func `a day has to be one, and to have come`() async throws {
        try await withSchool { school in
            let weeks = WeeksOfWork(school: school)
            let ahead = Day(daysSince1970: try weeks.day(0).daysSince1970 + 30)
            for (query, reason) in [
                ("?week=spring", "week: "), ("?week=2026-02-30", "week: "),
                ("?week=\(ahead)", "week: This day is in the future"),
                ("?week=9999-12-31", "week: This day is in the future"),
                ("?from=2026-01-01", "from: This call has no such parameter."),
            ] {
                let answer = try await weeks.answer(query)
                #expect(answer.status == 400)
                #expect(answer.json["detail"]?.text?.hasPrefix(reason) == true)
            }
            let early = try await weeks.answer("?week=0001-01-01")
            #expect(early.status == 200 && early.json["students"] == [])
            #expect(try await weeks.answer("").status == 200)
        }
    }

    @Test func `over all classes, students are counted`() async throws {
        try await withSchool { school in
            // Week -1 is this one.
            let weeks = WeeksOfWork(school: school)
            try weeks.past(0...1, done: 4)
            #expect(try await school.get("/v1/me/insights", as: .tom).json["classes"] == [])
            let now = try weeks.give(-1, dueAt: school.ago(0))
            try weeks.note(now, done: 1)
            let answer = try await school.get("/v1/me/insights", as: .tom).json
            #expect(
                answer["classes"] == [
                    [
                        "id": .text(school.biology.uuid.description), "name": "Biology",
                        "nothingDone": 1, "fellBehind": 1, "spedUp": 0,
                    ]
                ])
            #expect(answer["from"]?.text == (try weeks.day(-1)).description)
            let own = try await weeks.answer("").json
            #expect(own["week"]?["over"] == false && own["students"]?.array?.count == 2)
            #expect(try await school.get("/v1/me/insights", as: .tess).json["classes"] == [])
            try school.sql("update school.class set archived_at = now()")
            #expect(try await school.get("/v1/me/insights", as: .tom).json["classes"] == [])
        }
    }
}
