import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// A task has the title of its context in the reader's language.
@Suite struct TaskTitles {
    private func plant(_ school: TestSchool) throws {
        try school.plantContexts()
        try school.sql(
            """
            insert into school.context (organization_id, context_id, environment, bundle_id, identifier_path,
                                        locale, title, type, presentable_locales)
            select \(school.hillside), school.new_id(), 'production', \(school.quizzler),
                   '{capitals,europe}', locale, title, 'quiz', also
              from (values ('de', 'Hauptstädte Europas', '{}'::text[]),
                           ('ja', 'ヨーロッパの首都', '{zh-hans}')) as t (locale, title, also)
            """)
    }

    /// By a teacher who reads English.
    private func give(_ tasks: [JSONValue], _ school: TestSchool) async throws -> Answer {
        try await school.post(
            "/v1/handouts", as: .tom,
            json: [
                "classId": .text(school.biology.uuid.description), "title": "Work",
                "publishAt": "2020-01-01T00:00:00Z", "tasks": .array(tasks),
            ], headers: [("Accept-Language", "en-GB")])
    }

    private static let readers = [
        ("en", "Capitals of Europe"), ("de-CH, en;q=0.5", "Hauptstädte Europas"),
        ("fr, ja;q=0.3", "ヨーロッパの首都"), ("zh-Hans", "ヨーロッパの首都"),
        ("fr", "Capitals of Europe"), ("", "Capitals of Europe"),
    ]

    /// The titles that an answer shows for the task, in any document.
    private func check(
        _ school: TestSchool, _ target: String, as persona: Persona, accept: String? = nil
    ) async throws {
        for (languages, title) in Self.readers {
            var headers = accept.map { [("Accept", $0)] } ?? []
            if !languages.isEmpty { headers.append(("Accept-Language", languages)) }
            let answer = try await school.get(target, as: persona, headers: headers)
            #expect(answer.status == 200)
            #expect(answer.header("vary")?.contains("Accept-Language") == true, "\(target)")
            for (_, other) in Self.readers {
                #expect(
                    answer.text.contains(other) == (other == title),
                    "\(target) for \(languages): \(other)")
            }
        }
    }

    @Test
    func `a task has its title in the reader's language in every document, even when withdrawn`()
        async throws
    {
        try await withSchool { school in
            try plant(school)
            let given = try await give([school.capitals], school)
            #expect(given.json["tasks"]?[0]?["title"] == "Capitals of Europe")
            let task = given.json["tasks"]?[0]?["id"]?.text ?? ""
            let sam = school.id(.sam).uuid.description
            #expect(try await school.work() == 1)
            for isWithdrawn in [false, true] {
                let handout = school.path(given.json)
                try await check(school, handout, as: .tom)
                try await check(school, handout, as: .sam)
                try await check(school, "/v1/handouts", as: .cora)
                try await check(school, "/v1/me/assignments", as: .sam)
                try await check(school, "\(handout)/report", as: .tom)
                try await check(school, "\(handout)/report", as: .tom, accept: "text/csv")
                try await check(school, "\(handout)/students/\(sam)", as: .tom)
                try await check(school, "\(handout)/tasks/\(task)/items", as: .tom)
                let classroom = "/v1/classes/\(school.biology.uuid)"
                try await check(school, "\(classroom)/report", as: .tom)
                try await check(school, "\(classroom)/students/\(sam)/report", as: .tom)
                try await check(school, "/v1/me/report", as: .sam)
                try await check(school, "/v1/me/report", as: .sam, accept: "text/csv")
                if !isWithdrawn {
                    try school.sql("update school.context set deleted_at = school.moment()")
                }
            }
        }
    }

    @Test func `a copy, a changed handout and an answer to a student keep the other titles`()
        async throws
    {
        try await withSchool { school in
            try plant(school)
            let given = try await give([school.capitals, TestSchool.map], school)
            let german = [("Accept-Language", "de")]
            let changed = try await school.patch(
                school.path(given.json), as: .tom, json: ["title": "Next"], headers: german)
            #expect(changed.json["tasks"]?[0]?["title"] == "Hauptstädte Europas")
            let arranged = try await school.patch(
                school.path(given.json), as: .tom,
                json: ["tasks": [TestSchool.map, school.capitals]], headers: german)
            #expect(
                arranged.json["tasks"]?.array?.map { $0["title"]?.text }
                    == ["A map", "Hauptstädte Europas"])
            let copied = try await school.post(
                school.path(given.json, "/copy"), as: .cora, headers: german)
            #expect(copied.json["tasks"]?[1]?["title"] == "Hauptstädte Europas")
            let task = given.json["tasks"]?[0]?["id"]?.text ?? ""
            let opened = try await school.put(
                "/v1/assignments/\(task)/opened", as: .sam, headers: german)
            #expect(opened.json["task"]?["title"] == "Hauptstädte Europas")
            let refused = try await school.patch(
                school.path(given.json), as: .tom, json: ["tasks": [TestSchool.map]],
                headers: german)
            #expect(refused.status == 409 && refused.text.contains("Hauptstädte Europas"))
        }
    }

    @Test func `each wording has a tag of its own, and a write accepts that of any`() async throws {
        try await withSchool { school in
            try plant(school)
            let path = school.path(try await give([school.capitals], school).json)
            func read(_ languages: String, known: String? = nil) async throws -> Answer {
                let more = known.map { [("If-None-Match", $0)] } ?? []
                return try await school.get(
                    path, as: .tom, headers: [("Accept-Language", languages)] + more)
            }
            let german = try #require(try await read("de").header("etag"))
            let english = try #require(try await read("en").header("etag"))
            let plain = try #require(try await school.get(path, as: .tom).header("etag"))
            #expect(Set([german, english, plain]).count == 3)
            #expect(try await read("de", known: german).status == 304)
            #expect(try await read("en", known: german).status == 200)
            for tag in [german, english, plain] {
                let changed = try await school.patch(
                    path, as: .tom, json: ["title": "Cities"], headers: [("If-Match", tag)])
                #expect(changed.status == (tag == german ? 200 : 412))
            }
        }
    }
}
