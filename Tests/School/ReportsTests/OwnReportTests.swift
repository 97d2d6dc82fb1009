import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("One student over handouts")
struct OwnReportTests {
    private func ofStudent(
        _ school: TestSchool, _ person: String, as persona: Persona = .tom,
        in taught: String = "source:class-Biology", accept: String = "application/json"
    ) async throws -> Answer {
        try await school.get(
            "/v1/classes/\(taught)/students/\(person)/report", as: persona,
            headers: [("Accept", accept)])
    }

    private func own(
        _ school: TestSchool, as persona: Persona?, _ query: String = "",
        accept: String = "application/json"
    ) async throws -> Answer {
        try await school.get("/v1/me/report\(query)", as: persona, headers: [("Accept", accept)])
    }

    private func tasks(_ report: JSONValue) -> [String] {
        (report["handouts"]?.array ?? []).flatMap { $0["tasks"]?.array ?? [] }
            .compactMap { $0["taskId"]?.text }
    }

    @Test func `a teacher and the student read the cells of the handout's report`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(dueAt: school.ago(5))
            try await school.upload([
                school.result(60, progress: 0.2, seconds: 100, Item.score(2, of: 10)),
                school.result(40, progress: 0.6, seconds: 50, Item.binary(true)),
            ])
            try await school.upload([school.attempt(seconds: 7)], as: .suesApp)
            let cell = try await school.report(handout).json.cell(of: .sam)
            let teachers = try await ofStudent(school, "source:sis-sam").json
            let sams = try await own(school, as: .sam).json
            for report in [teachers, sams] {
                #expect(report["student"]?["givenName"] == "Sam")
                #expect(report["handouts"]?[0]?["className"] == "Biology")
                let task = report["handouts"]?[0]?["tasks"]?[0] ?? nil
                for name in [
                    "openedAt", "doneAt", "attempts", "progress", "durationSeconds", "late",
                    "beforeJoined", "primaryItem", "returned",
                ] {
                    #expect(task[name] == cell[name], "\(name)")
                }
            }
            for answer in [
                try await ofStudent(school, "source:sis-sam", accept: "text/csv"),
                try await own(school, as: .sam, accept: "text/csv"),
            ] {
                let lines = answer.text.split(separator: "\r\n")
                #expect(lines.count == 2)
                #expect(lines.last?.contains(",150,true,false,,,,binary,") == true)
            }
        }
    }

    @Test func `a student sees the given handouts of their classes, and nobody else's work`()
        async throws
    {
        try await withSchool { school in
            let biology = try school.newHandout()
            let sues = try school.newHandout(path: ["sue"], to: [.sue])
            let chemistry = try school.newHandout(in: school.chemistry, by: .tess, path: ["c"])
            try await school.upload([school.attempt()], as: .suesApp)
            #expect(tasks(try await own(school, as: .sam).json) == [biology.task.uuid.description])
            let sue = tasks(try await own(school, as: .sue).json)
            #expect(Set(sue) == [biology.task.uuid.description, sues.task.uuid.description])
            #expect(
                tasks(try await own(school, as: .ben).json) == [chemistry.task.uuid.description])
            let sams = try await own(school, as: .sam).json
            #expect(sams["handouts"]?[0]?["tasks"]?[0]?["attempts"] == 0)
        }
    }

    @Test func `a class's teacher sees of a student only what counts in that class`() async throws {
        try await withSchool { school in
            let biology = try school.newHandout()
            let chemistry = try school.newHandout(in: school.chemistry, by: .tess)
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at)
                values (\(school.hillside), \(school.chemistry), \(school.id(.sam)), 'student',
                        \(school.ago(500)))
                """)
            try await school.upload([school.attempt()])
            let toms = try await ofStudent(school, "source:sis-sam").json
            #expect(tasks(toms) == [biology.task.uuid.description])
            let tesss = try await ofStudent(
                school, "source:sis-sam", as: .tess, in: "source:class-Chemistry"
            ).json
            #expect(tasks(tesss) == [chemistry.task.uuid.description])
            #expect(tesss["handouts"]?[0]?["tasks"]?[0]?["attempts"] == 1)
            let foreign = try await ofStudent(
                school, "source:sis-sam", as: .tom, in: "source:class-Chemistry")
            #expect(foreign.status == 404)
        }
    }

    @Test func `a student who left is shown if there is something to show`() async throws {
        try await withSchool { school in
            let worked = try school.newHandout()
            _ = try school.newHandout(path: ["never touched"])
            try await school.upload([school.attempt()])
            try school.sql(
                "update school.seat set left_at = now() where person_id = \(school.id(.sam))")
            let report = try await ofStudent(school, "source:sis-sam").json
            #expect(tasks(report) == [worked.task.uuid.description])
            #expect(tasks(try await own(school, as: .sam).json) == [])
        }
    }

    @Test func `notes say that progress is off and a context withdrawn`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try school.sql(
                """
                insert into school.context (organization_id, context_id, environment, bundle_id,
                       identifier_path, locale, title, type, deleted_at)
                values (\(school.hillside), gen_random_uuid(), 'production', \(school.quizzler),
                        \(TestSchool.context), 'en', 'Check', 'quiz', now())
                """)
            try school.sql(
                "update school.person set is_progress_paused = true where person_id = \(school.id(.sam))"
            )
            for report in [
                try await own(school, as: .sam).json,
                try await ofStudent(school, "source:sis-sam").json,
            ] {
                #expect(report["student"]?["progressOff"] == true)
                #expect(report.noteCodes == ["context_withdrawn", "progress_off"])
                #expect(report["notes"]?[0]?["taskId"]?.text == handout.task.uuid.description)
            }
        }
    }

    @Test func `who has no access to a student's report`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            for person in ["source:sis-ben", "source:nobody", school.id(.omar).uuid.description] {
                #expect(try await ofStudent(school, person).status == 404, "\(person)")
            }
            #expect(try await ofStudent(school, "source:sis-cora").status == 404)
            #expect(try await ofStudent(school, "source:sis-sam", as: .tess).status == 404)
            for persona in [Persona.ada, .petra, .sam, .exporter, .samsApp] {
                #expect(try await ofStudent(school, "source:sis-sam", as: persona).status == 403)
            }
            for persona in [Persona.ada, .tom, .exporter, .samsApp] {
                #expect(try await own(school, as: persona).status == 403)
            }
            #expect(try await own(school, as: nil).status == 401)
            let narrow = try await own(school, as: .sam, "?from=2100-01-01")
            #expect(narrow.json["handouts"] == [])
        }
    }
}
