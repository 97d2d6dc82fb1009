import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("GET /v1/handouts/{id}/report")
struct HandoutReportTests {
    @Test func `figures are the same as computed by hand`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([
                school.result(60, progress: 0.2, seconds: 100, Item.score(2, of: 10)),
                school.result(40, progress: 0.6, seconds: 50, Item.score(8, of: 10)),
            ])
            try await school.upload(
                [school.result(50, progress: 1, seconds: 30, Item.score(5, of: 20))], as: .suesApp)
            let report = try await school.report(handout).json
            #expect(report["handout"]?["id"]?.text == handout.id.uuid.description)
            #expect(report["tasks"]?[0]?["primaryKind"]?.text == "score")
            let average = report.average()
            #expect(agree(average["progress"], (0.2 + 0.6 + 1) / 3))
            #expect(agree(average["durationSeconds"], (150 + 30) / 2))
            #expect(agree(average["score"], (0.8 + 0.25) / 2))
            #expect(average["quantity"] == .null)
            #expect(average["positiveShare"] == .null)
            #expect(average["studentsWithData"]?.int64 == 2)
            let sam = report.cell(of: .sam)
            #expect(sam["attempts"]?.int64 == 2)
            #expect(agree(sam["progress"], 0.6))
            #expect(agree(sam["durationSeconds"], 150))
            #expect(sam["primaryItem"]?["score"]?.int64 == 8)
            #expect(report.noteCodes == [])
        }
    }

    @Test func `quantity and binary are averaged over each student's latest attempt`()
        async throws
    {
        try await withSchool { school in
            let quantity = try school.newHandout(path: ["q"])
            let binary = try school.newHandout(path: ["b"])
            try await school.upload([
                school.result(60, Item.quantity(100), at: ["q"]),
                school.result(50, Item.quantity(3), at: ["q"]),
                school.result(60, Item.binary(true), at: ["b"]),
                school.result(50, Item.binary(false), at: ["b"]),
            ])
            try await school.upload(
                [
                    school.result(60, Item.quantity(-4), at: ["q"]),
                    school.result(60, Item.binary(true), at: ["b"]),
                ], as: .suesApp)
            let first = try await school.report(quantity).json
            #expect(agree(first.average()["quantity"], (3 - 4) / 2.0))
            #expect(first.average()["score"] == .null)
            let second = try await school.report(binary).json
            #expect(agree(second.average()["positiveShare"], 0.5))
        }
    }

    @Test func `only students with data count`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([
                school.result(40, progress: 0.8, seconds: 10, Item.score(9, of: 10))
            ])
            let report = try await school.report(handout).json
            #expect(agree(report.average()["progress"], 0.8))
            #expect(agree(report.average()["score"], 0.9))
            #expect(agree(report.average()["durationSeconds"], 10))
            #expect(report.average()["studentsWithData"]?.int64 == 1)
            let sue = report.cell(of: .sue)
            #expect(sue["attempts"]?.int64 == 0)
            #expect(sue["progress"] == .null)
            #expect(sue["durationSeconds"] == .null)
            #expect(sue["primaryItem"] == .null)
        }
    }

    @Test func `figures of different kinds have no average`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([school.result(40, Item.score(9, of: 10))])
            try await school.upload([school.result(40, Item.quantity(9))], as: .suesApp)
            let report = try await school.report(handout).json
            #expect(report["tasks"]?[0]?["mixedPrimaryKinds"] == true)
            #expect(report["tasks"]?[0]?["primaryKind"] == .null)
            #expect(report.average()["score"] == .null)
            #expect(report.average()["quantity"] == .null)
            #expect(agree(report.average()["progress"], 0.5))
            #expect(report.noteCodes == ["mixed_primary_kinds"])
            #expect(report["notes"]?[0]?["taskId"]?.text == handout.task.uuid.description)
        }
    }

    @Test func `work done after the due time, or not at all, is late`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(dueAt: school.ago(30))
            let open = try school.newHandout(dueAt: school.ago(-60))
            let endless = try school.newHandout()
            for (persona, minutes) in [(Persona.sam, 40), (.sue, 20)] {
                try school.sql(
                    """
                    insert into school.assignment (organization_id, task_id, person_id, opened_at, done_at)
                    values (\(school.hillside), \(handout.task), \(school.id(persona)),
                            \(school.ago(45)), \(school.ago(minutes)))
                    """)
            }
            let report = try await school.report(handout).json
            #expect(report.cell(of: .sam)["late"] == false)
            #expect(report.cell(of: .sue)["late"] == true)
            #expect(report.cell(of: .sam)["openedAt"]?.text != nil)
            #expect(report.cell(of: .sam)["doneAt"]?.text != nil)
            #expect(try await school.report(open).json.cell(of: .sam)["late"] == false)
            #expect(try await school.report(endless).json.cell(of: .sam)["late"] == false)
            try school.sql("delete from school.assignment")
            #expect(try await school.report(handout).json.cell(of: .sam)["late"] == true)
        }
    }

    @Test func `notes say what is missing`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            #expect(try await school.report(handout).json.noteCodes == ["nothing_reported"])
            try school.sql(
                "update school.person set is_progress_paused = true where person_id = \(school.id(.sue))"
            )
            try school.sql(
                """
                insert into school.context (organization_id, context_id, environment, bundle_id,
                       identifier_path, locale, title, type, deleted_at)
                values (\(school.hillside), gen_random_uuid(), 'production', \(school.quizzler),
                        \(TestSchool.context), 'en', 'Check', 'quiz', now())
                """)
            let report = try await school.report(handout).json
            #expect(report.noteCodes == ["context_withdrawn", "progress_off"])
            #expect(report.cell(of: .sue)["progressOff"] == true)
            #expect(report.cell(of: .sam)["progressOff"] == false)
        }
    }

    @Test func `unassigned work is in no report`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(publishedAt: school.ago(50))
            let earlier = try school.newHandout(publishedAt: school.ago(100))
            try await school.upload([
                school.result(90, progress: 0.9), school.result(40, progress: 0.1),
            ])
            let report = try await school.report(handout).json
            #expect(report.cell(of: .sam)["attempts"]?.int64 == 1)
            #expect(agree(report.average()["progress"], 0.1))
            #expect(try await school.report(earlier).json.cell(of: .sam)["attempts"]?.int64 == 2)
        }
    }

    @Test func `students come by name, only chosen ones, and former ones with something to show`()
        async throws
    {
        try await withSchool { school in
            let everybody = try school.newHandout()
            let chosen = try school.newHandout(to: [.sue])
            func names(_ handout: GivenHandout) async throws -> [String] {
                let students = try await school.report(handout).json["tasks"]?[0]?["students"]
                return (students?.array ?? []).compactMap { $0["givenName"]?.text }
            }
            #expect(try await names(everybody) == ["Sam", "Sue"])
            #expect(try await names(chosen) == ["Sue"])
            try await school.upload([school.result(40)], as: .suesApp)
            try school.sql("update school.seat set left_at = now() where role = 'student'")
            #expect(try await names(everybody) == ["Sue"])
        }
    }

    @Test func `a handout of several tasks has them in order, and one without tasks is empty`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            try school.newTask(
                of: handout.id, in: school.biology, path: ["second"], title: "Second", position: 2)
            try await school.upload([school.result(40, progress: 0.3, at: ["second"])])
            let report = try await school.report(handout).json
            let titles = report["tasks"]?.array?.compactMap { $0["title"]?.text }
            #expect(titles == ["Check", "Second"])
            #expect(report.cell(of: .sam, task: 0)["attempts"]?.int64 == 0)
            #expect(report.cell(of: .sam, task: 1)["attempts"]?.int64 == 1)
            #expect(agree(report.average(1)["progress"], 0.3))
            try school.sql("delete from school.activity")
            try school.sql("delete from school.task")
            let empty = try await school.report(handout)
            #expect(empty.status == 200)
            #expect(empty.json["tasks"] == [])
        }
    }
}
