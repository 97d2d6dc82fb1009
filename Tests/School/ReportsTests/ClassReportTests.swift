import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("GET /v1/classes/{id}/report")
struct ClassReportTests {
    private func report(
        _ school: TestSchool, _ query: String = "", as persona: Persona = .tom,
        accept: String = "application/json", of name: String? = nil
    ) async throws -> Answer {
        try await school.get(
            "/v1/classes/\(name ?? school.biology.uuid.description)/report\(query)", as: persona,
            headers: [("Accept", accept)])
    }

    private func titles(_ report: JSONValue) -> [String] {
        (report["handouts"]?.array ?? []).compactMap { $0["title"]?.text }
    }

    private func name(_ handout: GivenHandout, _ title: String, _ school: TestSchool) throws {
        try school.sql(
            """
            update school.handout set title = \(title), updated_at = \(school.ago(600))
             where handout_id = \(handout.id)
            """)
    }

    @Test func `has the figures of every task, newest handout first`() async throws {
        try await withSchool { school in
            let old = try school.newHandout(publishedAt: school.ago(300), dueAt: school.ago(200))
            try name(old, "Old", school)
            let new = try school.newHandout(path: ["new"], to: [.sue])
            try name(new, "New", school)
            try await school.upload([
                school.result(60, progress: 0.2, seconds: 100, Item.score(2, of: 10)),
                school.result(40, progress: 0.6, seconds: 50, Item.score(8, of: 10)),
            ])
            _ = try await school.put("/v1/assignments/\(old.task.uuid)/done", as: .sam)
            let report = try await report(school).json
            #expect(report["class"]?["id"]?.text == school.biology.uuid.description)
            #expect(titles(report) == ["New", "Old"])
            let task = report["handouts"]?[1]?["tasks"]?[0]
            #expect(task?["taskId"]?.text == old.task.uuid.description)
            #expect(task?["students"] == 2)
            #expect(task?["studentsDone"] == 1)
            #expect(task?["studentsLate"] == 2)
            #expect(task?["studentsOverdue"] == 1, "the other one did it, too late")
            #expect(task?["primaryKind"] == "score")
            let handout = try await school.report(old).json
            #expect(task?["classAverage"] == handout.average())
            #expect(agree(task?["classAverage"]?["progress"], 0.4))
            let chosen = report["handouts"]?[0]?["tasks"]?[0]
            #expect(chosen?["students"] == 1)
            #expect(chosen?["classAverage"]?["studentsWithData"] == 0)
            #expect(report.noteCodes == ["nothing_reported"])
            let table = try await self.report(school, accept: "text/csv").text
            #expect(table.split(separator: "\r\n").count == 3)
            #expect(table.contains(",Old,"))
        }
    }

    @Test func `accepts the school's id of a class, and begins and ends where asked`()
        async throws
    {
        try await withSchool { school in
            for (days, title) in [(1, "Yesterday"), (3, "Three days ago"), (9, "Long ago")] {
                let handout = try school.newHandout(publishedAt: school.ago(days * 1440))
                try name(handout, title, school)
            }
            let all = try await report(school, of: "source:class-Biology").json
            #expect(titles(all) == ["Yesterday", "Three days ago", "Long ago"])
            let from = school.ago(5 * 1440).description
            let to = school.ago(2 * 1440).description
            let some = try await report(school, "?from=\(from)&to=\(to)").json
            #expect(titles(some) == ["Three days ago"])
            let day = to.prefix(10)
            let days = try await report(school, "?from=\(from.prefix(10))&to=\(day)").json
            #expect(titles(days) == ["Three days ago"])
            #expect(titles(try await report(school, "?from=2100-01-01").json) == [])
            let wrong = try await report(school, "?from=spring")
            #expect(wrong.status == 400)
        }
    }

    @Test func `since omits what did not change, and names what is gone`() async throws {
        try await withSchool { school in
            let first = try school.newHandout()
            let second = try school.newHandout(path: ["second"])
            let third = try school.newHandout(path: ["third"])
            for (handout, title) in [(first, "First"), (second, "Second"), (third, "Third")] {
                try name(handout, title, school)
            }
            try await school.upload([school.attempt(at: ["second"])])
            try school.settle()
            let since = "?since=\(school.ago(60))"
            #expect(titles(try await report(school, since).json) == [])
            #expect(titles(try await report(school).json).count == 3)

            try await school.upload([school.attempt(at: ["second"], seconds: 999)])
            #expect(titles(try await report(school, since).json) == ["Second"])
            try school.settle()
            _ = try await school.put("/v1/assignments/\(third.task.uuid)/opened", as: .sam)
            #expect(titles(try await report(school, since).json) == ["Third"])
            try school.settle()
            try school.sql(
                "update school.handout set due_at = \(school.ago(5)) where handout_id = \(first.id)"
            )
            try school.sql(
                "update school.handout set updated_at = \(school.ago(600)), version = 9")
            try school.settle()
            #expect(titles(try await report(school, since).json) == ["First"], "it is late now")
            let deleted = try await school.delete("/v1/handouts/\(second.id.uuid)", as: .cora)
            #expect(deleted.status == 204)
            let gone = try await report(school, since).json
            #expect(gone["removedHandoutIds"] == [.text(second.id.uuid.description)])
            #expect(!titles(gone).contains("Second"))
        }
    }

    @Test func `pausing a student changes all of it`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            _ = try school.newHandout(path: ["second"])
            try school.settle()
            let since = "?since=\(school.ago(60))"
            #expect(titles(try await report(school, since).json) == [])
            let paused = try await school.post(
                "/v1/people/\(school.id(.sue).uuid)/progress-pause", as: .ada)
            #expect(paused.status < 300)
            let changed = try await report(school, since).json
            #expect(titles(changed).count == 2)
            #expect(changed.noteCodes.contains("progress_off"))
        }
    }

    @Test func `has neither drafts nor scheduled handouts, nor the other environment`() async throws
    {
        try await withSchool { school in
            let draft = try school.newHandout()
            try school.sql(
                "update school.handout set publish_at = null where handout_id = \(draft.id)")
            _ = try school.newHandout(publishedAt: school.ago(-60))
            _ = try school.newHandout(environment: "development")
            #expect(titles(try await report(school).json) == [])
        }
    }

    @Test func `an archived class's is available to its last teachers`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([school.attempt()])
            try school.sql(
                "update school.class set archived_at = now() where class_id = \(school.biology)")
            try school.sql(
                "update school.seat set left_at = now() where class_id = \(school.biology)")
            let report = try await report(school).json
            #expect(titles(report).count == 1)
            let task = report["handouts"]?[0]?["tasks"]?[0]
            #expect(task?["classAverage"]?["studentsWithData"] == 1)
            #expect(task?["students"] == 2, "who sat in it then")
            let cells = try await school.report(handout).json
            #expect(cells.cell(of: .sam)["attempts"] == 1)
            #expect(cells.cell(of: .sue)["attempts"] == 0)
            #expect(try await self.report(school, as: .tess).status == 404)
        }
    }

    @Test func `is for the class's teachers`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            #expect(try await report(school, as: .cora).status == 200)
            for persona in [Persona.tess, .otto] {
                #expect(try await report(school, as: persona).status == 404)
            }
            for persona in [Persona.ada, .petra, .sam, .exporter, .samsApp] {
                let answer = try await report(school, as: persona)
                #expect(answer.status == 403)
                #expect(answer.json["detail"]?.text?.contains("through what was assigned") == true)
            }
            #expect(try await report(school, of: "source:nothing").status == 404)
        }
    }
}
