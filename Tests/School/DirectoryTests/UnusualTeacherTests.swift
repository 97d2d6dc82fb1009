import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// People who make themselves teachers of a class, or teach it for less than a day, are named to the other teachers.
@Suite struct UnusualTeachers {
    private func teachers(_ school: TestSchool, as persona: Persona) async throws -> [JSONValue] {
        let answer = try await school.get("/v1/classes/\(school.biology.uuid)", as: persona)
        #expect(answer.status == 200)
        return answer.json["teachers"]?.array ?? []
    }

    private func unusual(_ teachers: [JSONValue]) -> [String] {
        teachers.filter { $0["unusual"] == true }.compactMap { $0["givenName"]?.text }
    }

    private func found(_ school: TestSchool) async throws -> [JSONValue] {
        let checks = try await school.get("/v1/checks", as: .ada)
        let finding = checks.json["findings"]?.array?.first { $0["code"] == "unusual_teacher" }
        return finding?["subjectIds"]?.array ?? []
    }

    private func seat(
        _ persona: Persona, as caller: Persona, _ school: TestSchool, in id: ClassID? = nil
    ) async throws -> Int {
        let path = "/v1/classes/\((id ?? school.biology).uuid)/teachers/\(school.id(persona).uuid)"
        return try await school.put(path, as: caller, json: [:]).status
    }

    @Test func `a person who adds themselves is named`() async throws {
        try await withSchool { school in
            let before = try await teachers(school, as: .tom)
            #expect(before.compactMap { $0["givenName"]?.text } == ["Tom", "Cora"])
            #expect(unusual(before).isEmpty)
            #expect(try await seat(.petra, as: .petra, school) == 201)
            #expect(try await seat(.tess, as: .petra, school) == 201)
            let after = try await teachers(school, as: .cora)
            #expect(after.count == 4)
            #expect(unusual(after) == ["Petra"])
            let since = after.first { $0["givenName"] == "Petra" }?["joinedAt"]?.text
            #expect(since.flatMap { Timestamp($0) } != nil)
            #expect(try await found(school) == [.text(school.id(.petra).uuid.description)])
            let list = try await school.get("/v1/classes", as: .tom)
            #expect(list.items.first?["teachers"]?.array == nil, "lists stay short")
        }
    }

    @Test func `a person seated for less than a day is named after it is over`() async throws {
        try await withSchool { school in
            #expect(try await seat(.tess, as: .provisioner, school) == 201)
            #expect(try await found(school).isEmpty)
            try school.sql(
                """
                update school.seat set joined_at = now() - interval '3 hours'
                 where person_id = \(school.id(.tess)) and class_id = \(school.biology)
                """)
            let path = "/v1/classes/\(school.biology.uuid)/teachers/\(school.id(.tess).uuid)"
            #expect(try await school.delete(path, as: .provisioner).status == 204)
            let after = try await teachers(school, as: .tom)
            #expect(unusual(after) == ["Tess"])
            #expect(after.first { $0["givenName"] == "Tess" }?["leftAt"]?.text != nil)
            #expect(try await found(school) == [.text(school.id(.tess).uuid.description)])
        }
    }

    @Test func `a person who extends their own seat has added themselves`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at, left_at)
                values (\(school.hillside), \(school.biology), \(school.id(.petra)), 'teacher',
                        now() - interval '5 days', now() + interval '1 day')
                """)
            #expect(unusual(try await teachers(school, as: .tom)).isEmpty)
            try school.sql(
                "update school.seat set left_at = null where person_id = \(school.id(.petra))",
                as: school.caller(.petra))
            #expect(unusual(try await teachers(school, as: .tom)) == ["Petra"])
        }
    }

    @Test func `a script creates teachers, staff and students, and nobody who manages the school`()
        async throws
    {
        try await withSchool { school in
            for (role, status) in [
                ("student", 201), ("staff", 201), ("teacher", 201), ("manager", 403),
                ("contentManager", 403), ("peopleManager", 403), ("siteManager", 403),
                ("administrator", 403),
            ] {
                let body = school.student("New", "Person", ["roles": [school.role(role)]])
                let answer = try await school.post("/v1/people", as: .provisioner, json: body)
                #expect(answer.status == status, "\(role)")
                let item = school.student(
                    "New", "Person",
                    ["roles": [school.role(role)], "sourceId": .text("new-\(role)")])
                let batch = try await school.post(
                    "/v1/people/batch", as: .provisioner, json: ["items": [item]])
                let made = try school.sql(
                    "select from school.person where source_id = \("new-\(role)")")
                #expect(made.count == (status == 201 ? 1 : 0), "\(role): \(batch.text)")
            }
            let petra = try await school.post(
                "/v1/people/\(school.id(.petra).uuid)/deactivation", as: .provisioner)
            #expect(petra.status == 403, "people with a higher role are not changed either")
        }
    }
}
