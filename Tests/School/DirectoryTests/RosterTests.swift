import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct RostersOfClasses {
    @Test func `a roster is read by name, by its teachers and by directory managers`()
        async throws
    {
        try await withSchool { school in
            let path = "/v1/classes/\(school.biology.uuid)"
            for persona in [Persona.tom, .cora, .ada, .mara, .provisioner] {
                let students = try await school.get("\(path)/students", as: persona)
                #expect(students.status == 200)
                #expect(students.items.compactMap { $0["givenName"]?.text } == ["Sam", "Sue"])
                #expect(students.header("etag") != nil)
                let teachers = try await school.get("\(path)/teachers", as: persona)
                #expect(teachers.items.compactMap { $0["givenName"]?.text } == ["Cora", "Tom"])
            }
            #expect(try await school.get("\(path)/students", as: .tess).status == 404)
            #expect(try await school.get("\(path)/students", as: .olga).status == 404)
            #expect(try await school.get("\(path)/students", as: .sam).status == 403)
            let first = try await school.get(
                "/v1/classes/source:class-Biology/students?limit=1", as: .tom)
            #expect(first.items.count == 1)
            let token = try #require(first.text("nextPageToken"))
            let second = try await school.get(
                "/v1/classes/source:class-Biology/students?limit=1&pageToken=\(token)", as: .tom)
            #expect(second.items.compactMap { $0["givenName"]?.text } == ["Sue"])
            #expect(second.json["nextPageToken"] == nil)
        }
    }

    @Test func `a PUT replaces the whole roster, once, and is audited`() async throws {
        try await withSchool { school in
            let path = "/v1/classes/\(school.biology.uuid)/students"
            let ids = [Persona.sue, .ben].map { school.id($0).uuid.description }
            let body: JSONValue = [
                "personIds": ["source:sis-sue", .text(ids[1]), "source:sis-ben"]
            ]
            let before = try await school.get(path, as: .petra)
            let answer = try await school.put(
                path, as: .petra, json: body, headers: [("If-Match", before.header("etag") ?? "")])
            #expect(answer.status == 200)
            #expect(Set(answer.texts("personIds")) == Set(ids))
            let again = try await school.put(path, as: .petra, json: body)
            #expect(again.status == 200)
            let stale = try await school.put(
                path, as: .petra, json: ["personIds": []],
                headers: [("If-Match", before.header("etag") ?? "")])
            #expect(stale.status == 412)
            let events = try school.sql(
                """
                select details->'joined'->>0 as joined, details->'left'->>0 as "left"
                  from school.audit_event where kind = 'rosterChange'
                """)
            #expect(events.count == 1, "the second PUT changed nothing")
            #expect(try events[0].text("joined") == ids[1])
            #expect(try events[0].text("left") == school.id(.sam).uuid.description)
        }
    }

    @Test func `a seat is taken and given back`() async throws {
        try await withSchool { school in
            let seat = "/v1/classes/\(school.biology.uuid)/students/\(school.id(.ben).uuid)"
            let made = try await school.put(seat, as: .ada)
            #expect(made.status == 201)
            #expect(made.text("role") == "student")
            #expect(try await school.put(seat, as: .ada).status == 200)
            #expect(
                try await school.get("/v1/people/\(school.id(.ben).uuid)", as: .tom).status == 200)
            #expect(try await school.delete(seat, as: .ada).status == 204)
            #expect(try await school.delete(seat, as: .ada).status == 404)
            let rejoined = try await school.put(seat, as: .ada)
            #expect(rejoined.status == 201)
            let teacher = try await school.put(
                "/v1/classes/source:class-Biology/teachers/source:sis-tess", as: .petra)
            #expect(teacher.status == 201)
            #expect(
                try await school.get("/v1/classes/\(school.biology.uuid)", as: .tess).status == 200)
        }
    }

    @Test func `unknown people, other classes and other standings are refused`() async throws {
        try await withSchool { school in
            let path = "/v1/classes/\(school.biology.uuid)/students"
            let unknown = try await school.put(
                path, as: .ada,
                json: ["personIds": ["source:sis-sam", .text(school.id(.omar).uuid.description)]])
            #expect(unknown.status == 422)
            #expect(unknown.pointers == ["/personIds/1"])
            #expect(
                try await school.put("\(path)/\(school.id(.omar).uuid)", as: .ada).status == 404)
            #expect(try await school.put(path, as: .olga, json: ["personIds": []]).status == 404)
            for persona in [Persona.tom, .sam, .exporter, .samsApp] {
                let answer = try await school.put(path, as: persona, json: ["personIds": []])
                #expect(answer.status == 403)
                let seat = "\(path)/\(school.id(.ben).uuid)"
                #expect(try await school.put(seat, as: persona).status == 403)
                #expect(try await school.delete(seat, as: persona).status == 403)
            }
            let kept = try await school.get(path, as: .ada)
            #expect(kept.items.count == 2)
        }
    }

    @Test func `an archived class keeps its roster`() async throws {
        try await withSchool { school in
            try school.sql(
                "update school.class set archived_at = now() where class_id = \(school.biology)")
            let path = "/v1/classes/\(school.biology.uuid)/students"
            let answer = try await school.put(path, as: .ada, json: ["personIds": []])
            #expect(answer.status == 409)
            #expect(answer.code == "class_archived")
            #expect(try await school.get(path, as: .tom).items.count == 2)
        }
    }

    @Test func `who leaves in the moment of coming can come again in it`() async throws {
        try await withSchool { school in
            func roster(_ people: String) -> Statement {
                """
                (select count(*) from school.replace_rosters(jsonb_build_array(jsonb_build_object(
                    'class_id', \(school.biology), 'role', 'student', 'person_ids', \(people)::jsonb))))
                """
            }
            let ben = #"["\#(school.id(.ben).uuid)"]"#
            // All calls of a transaction have its moment, as have transactions that begin together.
            let counts = try school.sql(
                """
                select \(fragment: roster(ben)) as first, \(fragment: roster("[]")) as second,
                       \(fragment: roster(ben)) as third
                """, as: school.caller(.ada))[0]
            #expect(try counts.int("first") == 1 && counts.int("second") == 1)
            #expect(try counts.int("third") == 1)
            let now = try await school.get("/v1/classes/\(school.biology.uuid)/students", as: .ada)
            #expect(now.items.compactMap { $0["givenName"]?.text } == ["Ben"])
        }
    }

    @Test func `concurrent replacements end with one of the rosters`() async throws {
        try await withSchool { school in
            let path = "/v1/classes/\(school.biology.uuid)/students"
            let rosters: [[String]] = [
                ["source:sis-sam"], ["source:sis-ben", "source:sis-sue"], [],
            ]
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<12 {
                    let body = JSONValue.array(rosters[number % 3].map { .text($0) })
                    group.addTask {
                        try await school.served {
                            try await school.put(path, as: .ada, json: ["personIds": body])
                        }.status
                    }
                }
                for try await status in group { #expect(status == 200) }
            }
            let now = try await school.get(path, as: .ada)
            let names = now.items.compactMap { $0["givenName"]?.text }
            #expect([["Sam"], ["Ben", "Sue"], []].contains(names))
        }
    }
}
