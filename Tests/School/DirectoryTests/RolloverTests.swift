import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("POST /v1/terms/{id}/rollover")
struct Rollovers {
    @Test func `a preview lists what will happen and changes nothing`() async throws {
        try await withSchool { school in
            let year = try await school.endYear()
            let preview = try await school.preview(year)
            #expect(preview.status == 200, "\(preview.text)")
            #expect(
                preview.json["counts"] == [
                    "classesArchived": 2, "classesCopied": 2, "seatsCopied": 5,
                    "studentsMovedUp": 1, "studentsLeaving": 1,
                ])
            #expect(
                preview.items.map(described) == [
                    "archiveClass Biology", "archiveClass Chemistry", "copyClass Biology 2 1",
                    "copyClass Chemistry 1 1", "leave Sue 10", "moveUp Sam 3 4",
                ])
            #expect(preview.json["nextPageToken"] == .null)
            #expect(try school.state() == TestSchool.before)
        }
    }

    @Test func `it is carried out as previewed, in one event and one for each leaver`() async throws
    {
        try await withSchool { school in
            let year = try await school.endYear()
            let preview = try await school.preview(year)
            let done = try await school.rollOver(year, preview)
            #expect(done.status == 200, "\(done.text)")
            #expect(done.json == preview.json["counts"])
            #expect(
                try school.state()
                    == [
                        "Biology archived", "Biology in y27: Cora Sam Tom", "Ben 5",
                        "Chemistry archived",
                        "Chemistry in y27: Ben Tess", "Sam 4", "Sue 10 deactivated",
                    ].sorted())
            let events = try await school.get("/v1/audit-events?kind=rollover", as: .ada)
            #expect(events.items.count == 1)
            #expect(events.items[0]["subjectId"]?.text == year)
            #expect(events.items[0]["details"]?["studentsLeaving"] == 1)
            let leavers = try await school.get("/v1/audit-events?kind=personChange", as: .ada)
            #expect(
                leavers.items.map { $0["subjectId"]?.text } == [school.id(.sue).uuid.description])
            #expect(try await school.get("/v1/me", as: .sue).status == 401)
            let begins = try school.sql(
                """
                select distinct (joined_at at time zone 'Europe/Berlin')::text as at from school.seat as s
                  join school.class as c using (class_id)
                 where c.term_id = (select term_id from school.term where source_id = 'y27')
                """)
            #expect(try begins.map { try $0.text("at") } == ["2027-08-01 00:00:00"])
            let again = try await school.rollOver(year, preview)
            #expect(again.code == "term_closed")
        }
    }

    @Test(
        arguments: [
            "update school.person set grade = '3' where given_name = 'Ben'",
            "update school.person set grade = '5' where given_name = 'Sam'",
            "update school.person set deactivated_at = now() where given_name = 'Sam'",
            "update school.seat set left_at = now() where role = 'teacher'",
            "update school.class set archived_at = now() where name = 'Chemistry'",
            """
            insert into school.person_role (organization_id, person_id, location_id, role)
            select organization_id, person_id, location_id, 'staff' from school.person_role
              join school.person using (organization_id, person_id) where given_name = 'Sue'
            """,
        ] as [Statement]) func `it is refused when what matters changed since the preview`(
            change: Statement
        ) async throws
    {
        try await withSchool { school in
            let year = try await school.endYear()
            let preview = try await school.preview(year)
            try school.sql(change)
            let changed = try school.state()
            let refused = try await school.rollOver(year, preview)
            #expect(refused.status == 409 && refused.code == "rollover_changed")
            #expect(try school.state() == changed)
            let done = try await school.rollOver(year, try await school.preview(year))
            #expect(done.status == 200)
        }
    }

    @Test func `a copy has each column of its class`() async throws {
        try await withSchool { school in
            let year = try await school.endYear()
            try school.sql(
                "update school.class set number = '7', display_name = 'Bio', room = '12' where name = 'Biology'"
            )
            let done = try await school.rollOver(year, try await school.preview(year))
            #expect(done.status == 200)
            let rows = try school.sql(
                """
                select distinct (school.only_columns(to_jsonb(c), school.written_columns('class'))
                                 - '{source_id,term_id,origin,course_id}'::text[])::text as columns
                  from school.class as c where c.name = 'Biology'
                """)
            #expect(rows.count == 1, "the copy and the class are alike")
            #expect(try rows[0].text("columns").contains("Bio"))
        }
    }

    @Test func `a change of a name is no obstacle, and another wish is not the previewed one`()
        async throws
    {
        try await withSchool { school in
            let year = try await school.endYear()
            let preview = try await school.preview(year)
            try school.sql("update school.person set family_name = 'New' where given_name = 'Sam'")
            let other = try await school.rollOver(year, preview, copies: "withTeachers")
            #expect(other.code == "rollover_changed")
            #expect(try await school.rollOver(year, preview).status == 200)
        }
    }

    @Test(arguments: [
        ("none", []), ("empty", ["Biology", "Chemistry"]),
        ("withTeachers", ["Biology Cora Tom", "Chemistry Tess"]),
    ]) func `classes are copied as asked for`(copies: String, expected: [String]) async throws {
        try await withSchool { school in
            let year = try await school.endYear()
            let preview = try await school.preview(year, copies: copies)
            #expect(try await school.rollOver(year, preview, copies: copies).status == 200)
            let found = try school.state().filter { $0.contains(" in y27") }.map {
                $0.replacing(" in y27:", with: "").trimmingPrefix(" ")
            }
            #expect(
                found.map { $0.hasSuffix(" ") ? String($0.dropLast()) : String($0) } == expected)
        }
    }

    @Test func `what the next term has already, and what a teacher made, is not copied`()
        async throws
    {
        try await withSchool { school in
            let year = try await school.endYear()
            try school.sql(
                "update school.class set made_by = \(school.id(.tess)) where name = 'Chemistry'")
            let there: JSONValue = [
                "name": "Biology", "locationId": "source:main", "termId": "source:y27",
            ]
            #expect(try await school.post("/v1/classes", as: .ada, json: there).status == 201)
            let preview = try await school.preview(year)
            #expect(preview.json["counts"]?["classesCopied"] == 0)
            #expect(preview.json["counts"]?["classesArchived"] == 2)
        }
    }

    @Test func `a preview comes in pages of one revision`() async throws {
        try await withSchool { school in
            let year = try await school.endYear()
            let whole = try await school.preview(year)
            var items: [String] = []
            var query = "?limit=4"
            for _ in 0..<2 {
                let page = try await school.preview(year, query: query)
                #expect(page.json["revision"] == whole.json["revision"])
                items += page.items.map(described)
                query = "?limit=4&pageToken=\(page.json["nextPageToken"]?.text ?? "")"
            }
            #expect(items == whole.items.map(described))
        }
    }

    @Test func `wishes that cannot be carried out are refused`() async throws {
        try await withSchool { school in
            let year = try await school.endYear()
            let path = "/v1/terms/\(year)/rollover/preview"
            let wrong: [(JSONValue, String)] = [
                (["nextTermId": "source:y25"], "not_later"),
                (["nextTermId": "source:y26"], "not_later"),
                (["nextTermId": "source:none"], "unknown_reference"),
                (["copyClasses": "empty"], "missing_term"),
                (
                    ["grades": [["from": "3", "to": "4"], ["from": "3", "to": .null]]],
                    "duplicate_grade"
                ),
            ]
            for (body, code) in wrong {
                let answer = try await school.post(path, as: .ada, json: body)
                #expect(answer.status == 422, "\(answer.text)")
                #expect(answer.json["errors"]?[0]?["code"]?.text == code)
            }
            let nowhere = "/v1/terms/\(UUID.v7())/rollover/preview"
            #expect(try await school.post(nowhere, as: .ada, json: [:]).status == 404)
            for persona in [Persona.petra, .mara, .tom, .sam, .provisioner] {
                #expect(try await school.post(path, as: persona, json: [:]).status == 403)
            }
            #expect(try await school.post(path, as: .olga, json: [:]).status == 404)
            #expect(try school.state() == TestSchool.before)
        }
    }

    private func described(_ change: JSONValue) -> String {
        ["change", "name", "givenName", "fromGrade", "toGrade", "teachers", "students"]
            .compactMap { change[$0]?.text ?? change[$0]?.int64.map(String.init) }
            .joined(separator: " ")
    }
}

extension TestSchool {
    /// The year 2026 with Biology and Chemistry, between two others. Sam is in grade 3, Sue in 10, Ben in 5.
    fileprivate func endYear() async throws -> String {
        let year = try await addYear()
        for (name, first, last) in [("y25", 2025, 2026), ("y27", 2027, 2028)] {
            let other = try await post(
                "/v1/terms", as: .ada,
                json: [
                    "name": .text(name), "kind": "schoolYear", "sourceId": .text(name),
                    "startsOn": .text("\(first)-08-01"), "endsOn": .text("\(last)-08-01"),
                ])
            #expect(other.status == 201)
        }
        for id in [biology, chemistry] {
            let put = try await patch(
                "/v1/classes/\(id.uuid)", as: .ada, json: ["termId": "source:y26"])
            #expect(put.status == 200)
        }
        try sql(
            """
            update school.person set grade = case given_name when 'Sam' then '3' when 'Sue' then '10' else '5' end
             where given_name in ('Sam', 'Sue', 'Ben')
            """)
        #expect(try state() == Self.before)
        return year.text("id") ?? ""
    }

    fileprivate static let before = ["Ben 5", "Sam 3", "Sue 10"]

    private func wish(_ copies: String, revision: String? = nil) -> JSONValue {
        let wish: JSONValue = [
            "nextTermId": "source:y27", "copyClasses": .text(copies),
            "grades": [["from": "3", "to": "4"], ["from": "10", "to": .null]],
        ]
        guard let revision else { return wish }
        return .object(
            JSONObject(
                (wish.object?.members ?? []).map { ($0.key, $0.value) }
                    + [("revision", .text(revision))]))
    }

    fileprivate func preview(
        _ year: String, copies: String = "withStudents", query: String = ""
    ) async throws -> Answer {
        try await post("/v1/terms/\(year)/rollover/preview\(query)", as: .ada, json: wish(copies))
    }

    fileprivate func rollOver(
        _ year: String, _ preview: Answer, copies: String = "withStudents"
    ) async throws -> Answer {
        let revision = preview.json["revision"]?.text ?? ""
        return try await post(
            "/v1/terms/\(year)/rollover", as: .ada, json: wish(copies, revision: revision))
    }

    /// The students with grades, classes that are archived, and those of the next year with who is in them.
    fileprivate func state() throws -> [String] {
        try sql(
            """
            select concat_ws(' ', given_name, grade, case when deactivated_at is not null then 'deactivated' end)
                       as text
              from school.person where grade is not null
            union all
            select name || ' archived' from school.class where archived_at is not null
            union all
            select c.name || ' in y27: ' || coalesce((
                       select string_agg(p.given_name, ' ' order by p.given_name) from school.seat as s
                         join school.person as p using (person_id) where s.class_id = c.class_id), '')
              from school.class as c
              join school.term as t on t.term_id = c.term_id and t.source_id = 'y27'
            """
        ).map { try $0.text("text") }.sorted()
    }
}
