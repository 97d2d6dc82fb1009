import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("What a class did in one app")
struct AppReportTests {
    private static let reader = "org.example.reader"

    private func get(
        _ school: TestSchool, _ path: String, as persona: Persona = .tom,
        accept: String = "application/json", of name: String? = nil
    ) async throws -> Answer {
        try await school.get(
            "/v1/classes/\(name ?? school.biology.uuid.description)\(path)", as: persona,
            headers: [("Accept", accept)])
    }

    /// The paths of the calls about Quizzler.
    private static let paths = ["/report", "/students"].map {
        "/apps/\(TestIDs.quizzler)\($0)"
    }

    /// Two handouts with three tasks in Quizzler; the older one has one in the reader, too.
    private func fill(_ school: TestSchool) async throws -> (old: GivenHandout, new: GivenHandout) {
        let old = try school.newHandout(publishedAt: school.ago(300), dueAt: school.ago(30))
        try school.newTask(
            of: old.id, in: school.biology, path: ["book"], bundle: Self.reader, position: 2)
        try school.newTask(of: old.id, in: school.biology, path: ["second"], position: 3)
        let new = try school.newHandout(path: ["new"])
        try await school.upload([
            school.result(60, progress: 0.2, seconds: 100, Item.score(2, of: 10)),
            school.result(40, progress: 0.6, seconds: 50, Item.score(8, of: 10)),
            school.result(40, progress: 1, seconds: 25, Item.score(4, of: 10), at: ["second"]),
            school.result(40, progress: 0, seconds: 5, Item.binary(true), at: ["new"]),
        ])
        try await school.upload(
            [school.result(40, progress: 0.4, seconds: 10, at: ["new"])], as: .suesApp)
        for mark in ["opened", "done"] {
            let marked = try await school.put("/v1/assignments/\(old.task.uuid)/\(mark)", as: .sam)
            #expect(marked.status == 200)
        }
        return (old, new)
    }

    @Test func `the apps of a class come with tasks, time and attempts`() async throws {
        try await withSchool { school in
            #expect(try await get(school, "/apps").json["items"] == [])
            _ = try await fill(school)
            let answer = try await get(school, "/apps").json
            #expect(answer["class"]?["name"] == "Biology")
            let apps = answer["items"]?.array ?? []
            try #require(apps.count == 2)
            #expect(
                apps[0] == [
                    "bundleId": .text(TestIDs.quizzler), "name": .text(TestIDs.quizzler),
                    "handouts": 2, "tasks": 3, "attempts": 5, "durationSeconds": 190,
                    "studentsWithData": 2,
                ])
            #expect(
                apps[1] == [
                    "bundleId": .text(Self.reader), "name": .text(Self.reader), "handouts": 1,
                    "tasks": 1, "attempts": 0, "durationSeconds": 0, "studentsWithData": 0,
                ])
            let table = try await get(school, "/apps", accept: "text/csv")
            let lines = table.text.split(separator: "\r\n")
            #expect(
                lines.first
                    == "\u{FEFF}className,bundleId,name,handouts,tasks,attempts,durationSeconds,studentsWithData"
            )
            #expect(lines.count == 3 && lines[1].hasSuffix(",2,3,5,190,2"))
            #expect(table.header("content-disposition")?.contains("Biology") == true)
        }
    }

    @Test func `an app is called as in the catalog, else as the school bought it`() async throws {
        try await withSchool { school in
            _ = try await fill(school)
            let put = try await school.put(
                "/v1/apps/1590000001", as: .ada,
                json: [
                    "name": "Quizzler for Schools", "productType": "App",
                    "bundleId": .text(TestIDs.quizzler),
                ])
            #expect(put.status == 201)
            let bought = try await get(school, "/apps").json["items"]
            #expect(bought?[1]?["name"] == "Quizzler for Schools")
            for (locale, title) in [("en-US", "Quizzler"), ("de-DE", "Quizmeister")] {
                try school.sql(
                    """
                    insert into school.context (organization_id, context_id, environment, bundle_id,
                           identifier_path, locale, title, type)
                    values (\(school.hillside), \(UUID.v7()), 'production', \(TestIDs.quizzler), '{}',
                            \(locale), \(title), 'app')
                    """)
            }
            for (language, name) in [("en", "Quizzler"), ("de-DE", "Quizmeister")] {
                let answer = try await school.get(
                    "/v1/classes/\(school.biology.uuid)\(Self.paths[0])", as: .tom,
                    headers: [("Accept-Language", language)])
                #expect(answer.json["app"]?["name"]?.text == name)
            }
        }
    }

    @Test func `its tasks have the figures of the class's report`() async throws {
        try await withSchool { school in
            let (old, new) = try await fill(school)
            let whole = try await get(school, "/report").json
            let report = try await get(school, Self.paths[0]).json
            #expect(report["app"]?["bundleId"]?.text == TestIDs.quizzler)
            #expect(report["handouts"]?[0] == whole["handouts"]?[0])
            #expect(report["handouts"]?[0]?["handoutId"]?.text == new.id.uuid.description)
            let tasks = report["handouts"]?[1]?["tasks"]?.array ?? []
            #expect(tasks.count == 2, "that in the reader is not in it")
            #expect(tasks.first == whole["handouts"]?[1]?["tasks"]?[0])
            #expect(tasks.last == whole["handouts"]?[1]?["tasks"]?[2])
            let handout = try await school.report(old).json
            #expect(tasks.first?["classAverage"] == handout.average())
            #expect(tasks.first?["studentsDone"] == 1)
            let table = try await get(school, Self.paths[0], accept: "text/csv").text
            #expect(table.split(separator: "\r\n").count == 4)
            #expect(table.hasPrefix("\u{FEFF}className,bundleId,appName,handoutId,handoutTitle,"))
        }
    }

    @Test func `a student's figures are the sums and averages of the tasks`() async throws {
        try await withSchool { school in
            _ = try await fill(school)
            let answer = try await get(school, Self.paths[1])
            let students = answer.json["items"]?.array ?? []
            try #require(students.count == 2)
            let (sam, sue) = (students[0], students[1])
            #expect(sam["givenName"] == "Sam" && sam["tasks"] == 3 && sam["attempts"] == 4)
            #expect(sam["tasksDone"] == 1 && sam["tasksOpened"] == 3)
            #expect(sam["tasksLate"] == 2 && sam["tasksOverdue"] == 1, "one was done too late")
            #expect(sam["tasksWithData"] == 3 && sam["durationSeconds"] == 180)
            #expect(agree(sam["progress"], 0.6))
            #expect(agree(sam["score"], 0.6), "of the latest attempts")
            #expect(sam["positiveShare"] == 1)
            #expect(sue["attempts"] == 1 && sue["durationSeconds"] == 10)
            #expect(sue["score"]?.isNull == true && sue["tasksDone"] == 0)
            let table = try await get(school, Self.paths[1], accept: "text/csv").text
            #expect(table.split(separator: "\r\n").count == 3 && table.contains(",sis-sam,"))
        }
    }

    @Test func `a period limits all three`() async throws {
        try await withSchool { school in
            _ = try await fill(school)
            let late = "?from=\(school.ago(200))"
            let apps = try await get(school, "/apps\(late)").json["items"]
            #expect(apps?.array?.count == 1)
            #expect(apps?[0]?["attempts"] == 2)
            let report = try await get(school, "\(Self.paths[0])\(late)").json
            #expect(report["handouts"]?.array?.count == 1)
            let students = try await get(school, "\(Self.paths[1])\(late)").json["items"]
            #expect(students?[0]?["tasks"] == 1)
            let never = "?from=0001-01-01&to=2000-01-01"
            #expect(try await get(school, "/apps\(never)").json["items"] == [])
            for path in Self.paths {
                let answer = try await get(school, "\(path)\(never)")
                #expect(answer.status == 200, "the app is known")
                #expect((answer.json["handouts"] ?? answer.json["items"]) == [])
                let all = try await get(school, "\(path)?from=0001-01-01&to=9999-12-31")
                #expect(all.status == 200)
            }
        }
    }

    @Test(arguments: [
        "?from=2026-11-02&to=2026-11-01",
        "?from=2026-11-02T00:00:00.000Z&to=2026-11-01T23:59:59.999Z",
        "?from=2026-11-05&to=2026-11-01T00:00:00.000Z", "?from=spring",
    ])
    func `a period that ends before it begins is refused`(query: String) async throws {
        try await withSchool { school in
            _ = try await fill(school)
            for path in Self.paths + ["/apps", "/report"] {
                let answer = try await get(school, "\(path)\(query)")
                #expect(answer.status == 400)
                let detail = answer.json["detail"]?.text ?? ""
                #expect(
                    query.contains("spring")
                        ? detail.hasPrefix("from: ")
                        : detail.hasPrefix("to: The period ends before it begins."))
            }
        }
    }

    @Test func `work that was not assigned changes no answer`() async throws {
        try await withSchool { school in
            _ = try await fill(school)
            func all() async throws -> [[JSONValue?]] {
                var answers: [[JSONValue?]] = []
                for path in Self.paths + ["/apps"] {
                    let json = try await get(school, path).json
                    answers.append([json["items"], json["handouts"]])
                }
                return answers
            }
            let before = try await all()
            try await school.upload([
                school.result(50, seconds: 999, at: ["unassigned"]),
                school.result(50, seconds: 999, at: ["book"]),
            ])
            let draft = try school.newHandout(path: ["draft"])
            try school.sql(
                "update school.handout set publish_at = null where handout_id = \(draft.id)")
            _ = try school.newHandout(path: ["later"], publishedAt: school.ago(-60))
            _ = try school.newHandout(path: ["other"], environment: "development")
            _ = try school.newHandout(in: school.chemistry, by: .tess, path: ["chemistry"])
            try await school.upload(
                [school.result(50, seconds: 999, at: ["chemistry"])], as: .bensApp)
            #expect(try await all() == before)
            let deleted = try school.newHandout(path: ["deleted"])
            #expect(try await all() != before)
            try school.sql(
                "update school.handout set deleted_at = now() where handout_id = \(deleted.id)")
            #expect(try await all() == before)
        }
    }

    @Test func `an app without published tasks is unknown`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            for path in Self.paths { #expect(try await get(school, path).status == 200) }
            try school.sql(
                "update school.handout set publish_at = null where handout_id = \(handout.id)")
            for path in Self.paths + ["/apps/x/report", "/apps/%F0%9F%98%80/students"] {
                #expect(try await get(school, path).status == 404)
            }
        }
    }

    @Test func `a student who left stays with what there is to show`() async throws {
        try await withSchool { school in
            _ = try await fill(school)
            try school.sql(
                """
                update school.seat set left_at = now()
                 where class_id = \(school.biology) and role = 'student'
                """)
            let students = try await get(school, Self.paths[1]).json["items"]?.array ?? []
            #expect(students.compactMap { $0["givenName"]?.text } == ["Sam", "Sue"])
            #expect(students.last?["tasks"] == 1, "of the handout in which she worked")
            let apps = try await get(school, "/apps").json["items"]
            #expect(apps?[0]?["studentsWithData"] == 2)
        }
    }

    @Test func `an archived class's are available to its last teachers`() async throws {
        try await withSchool { school in
            _ = try await fill(school)
            let before = try await get(school, Self.paths[1]).json["items"]
            try school.sql(
                "update school.class set archived_at = now() where class_id = \(school.biology)")
            try school.sql(
                "update school.seat set left_at = now() where class_id = \(school.biology)")
            #expect(try await get(school, Self.paths[1]).json["items"] == before)
            for path in Self.paths + ["/apps"] {
                #expect(try await get(school, path, as: .cora).status == 200)
                #expect(try await get(school, path, as: .tess).status == 404)
            }
        }
    }

    @Test func `they are for the class's teachers`() async throws {
        try await withSchool { school in
            _ = try await fill(school)
            try school.sql(
                "update school.person set is_progress_paused = true where person_id = \(school.id(.sue))"
            )
            for path in Self.paths + ["/apps"] {
                let answer = try await get(school, path)
                #expect(answer.text.contains("190") || path != "/apps")
                #expect(answer.json.noteCodes.contains("progress_off"))
                #expect(try await get(school, path, as: .cora).status == 200)
                #expect(try await get(school, path, of: "source:class-Biology").status == 200)
                for persona in [Persona.tess, .otto] {
                    #expect(try await get(school, path, as: persona).status == 404)
                }
                for persona in [Persona.ada, .petra, .mara, .sam, .exporter, .samsApp, .tomsApp] {
                    let refused = try await get(school, path, as: persona)
                    let detail = refused.json["detail"]?.text ?? ""
                    #expect(refused.status == 403 && detail.contains("through what was assigned"))
                }
                #expect(try await get(school, path, of: "source:nothing").status == 404)
            }
            try school.sql(
                "update school.seat set left_at = now() where person_id = \(school.id(.tom))")
            for path in Self.paths + ["/apps"] {
                #expect(try await get(school, path).status == 404)
            }
        }
    }
}
