import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct BatchesOfRosters {
    @Test func `seats are taken, moved, ended and found unchanged`() async throws {
        try await withSchool { school in
            let first = try await school.post(
                "/v1/rosters/batch", as: .provisioner,
                json: items([
                    seat("Biology", "ben"), seat("Chemistry", "sue", ["leftOn": school.day(30)]),
                    seat("Biology", "sam"),
                    seat("Chemistry", "cora", ["role": "teacher", "joinedOn": school.day(3)]),
                ]))
            #expect(first.status == 200)
            #expect(first.outcomes == ["created", "created", "unchanged", "created"])
            let second = try await school.post(
                "/v1/rosters/batch", as: .provisioner,
                json: items([
                    seat("Biology", "ben", ["leftOn": school.day(7)]),
                    seat("Chemistry", "sue", ["leftOn": school.day(30)]),
                    seat("Chemistry", "cora", ["role": "teacher", "joinedOn": school.day(2)]),
                ]))
            #expect(second.outcomes == ["updated", "unchanged", "updated"])
            let events = try school.sql(
                """
                select count(*)::int as n from school.audit_event where kind = 'rosterChange'
                """)
            #expect(try events[0].int("n") == 5, "one for each roster that a call changes")
        }
    }

    @Test func `invalid items are named, and the rest is done, or nothing`() async throws {
        try await withSchool { school in
            _ = try await school.limit(students: 3)
            try school.sql(
                "update school.class set archived_at = now() where class_id = \(school.chemistry)")
            let sent = items([
                seat("Biology", "ben"), seat("Biology", "tess"), seat("Chemistry", "sue"),
                seat("Absent", "sue"), seat("Biology", "omar"),
                seat("Biology", "sam", ["joinedOn": school.day(4)]), seat("Biology", "ben"),
                seat("Biology", "sue", ["role": "aide"]),
                seat("Biology", "sue", ["joinedOn": school.day(4), "leftOn": school.day(4)]),
            ])
            let all = try await school.post("/v1/rosters/batch?atomic=true", as: .ada, json: sent)
            #expect(all.status == 422)
            let answer = try await school.post("/v1/rosters/batch", as: .ada, json: sent)
            #expect(answer.outcomes.first == "created")
            #expect(answer.outcomes.dropFirst().allSatisfy { $0 == "problem" })
            let wrong = answer.items.dropFirst().map { item in
                let error = item["errors"]?[0]
                return "\(error?["pointer"]?.text ?? "") \(error?["code"]?.text ?? "")"
            }
            #expect(
                wrong == [
                    "/items/1/classId class_full", "/items/2/classId class_archived",
                    "/items/3/classId unknown_reference", "/items/4/personId unknown_reference",
                    "/items/5/joinedOn already_joined", "/items/6/personId duplicate",
                    "/items/7/role malformed", "/items/8/leftOn leaves_first",
                ])
        }
    }

    @Test(arguments: [Persona.tom, .sam, .exporter, .samsApp])
    func `callers without permission cannot give seats`(persona: Persona) async throws {
        try await withSchool { school in
            let answer = try await school.post(
                "/v1/rosters/batch", as: persona, json: items([seat("Biology", "ben")]))
            #expect(answer.status == 403)
            let manager = try await school.post(
                "/v1/rosters/batch", as: .mara, json: items([seat("Biology", "ben")]))
            #expect(manager.outcomes == ["created"])
        }
    }

    @Test func `a thousand seats fit one call, and the same call again changes nothing`()
        async throws
    {
        try await withSchool { school in
            let people = try await school.addStudents(40)
            let classes = (0..<25).map { number -> JSONValue in
                [
                    "sourceId": .text("group-\(number)"), "name": "Group",
                    "locationId": "source:main",
                ]
            }
            let made = try await school.post("/v1/classes/batch", as: .ada, json: items(classes))
            #expect(made.json["created"]?.int64 == 25)
            let sent = (0..<1000).map { number -> JSONValue in
                [
                    "classId": .text("source:group-\(number % 25)"),
                    "personId": .text(people[number / 25]), "role": "student",
                ]
            }
            let first = try await school.post("/v1/rosters/batch", as: .ada, json: items(sent))
            #expect(first.json["created"]?.int64 == 1000)
            let second = try await school.post("/v1/rosters/batch", as: .ada, json: items(sent))
            #expect(second.json["unchanged"]?.int64 == 1000)
        }
    }
}

@Suite struct BatchesOfClasses {
    @Test func `classes come with their rosters, and absent ones stay`() async throws {
        try await withSchool { school in
            let first = try await school.post(
                "/v1/classes/batch", as: .provisioner,
                json: items([
                    [
                        "sourceId": "class-Biology", "name": "Biology", "locationId": "source:main",
                        "studentIds": ["source:sis-ben"],
                    ],
                    [
                        "sourceId": "art", "name": "Art", "locationId": "source:main", "room": "3",
                        "teacherIds": ["source:sis-tom"],
                        "studentIds": ["source:sis-sam", "source:sis-sam"],
                    ],
                    [
                        "sourceId": "class-Chemistry", "name": "Chemistry",
                        "locationId": "source:main",
                    ],
                ]))
            #expect(first.outcomes == ["updated", "created", "unchanged"])
            let biology = try await school.get("/v1/classes/source:class-Biology", as: .ada)
            #expect(biology.texts("studentIds") == [school.id(.ben).uuid.description])
            #expect(biology.texts("teacherIds").count == 2)
            let art = try await school.get("/v1/classes/source:art", as: .ada)
            #expect(art.texts("studentIds") == [school.id(.sam).uuid.description])
            let events = try school.sql(
                "select count(*)::int as n from school.audit_event where kind = 'rosterChange'")
            #expect(try events[0].int("n") == 3)
        }
    }

    @Test func `a class with a mistake is left as it is`() async throws {
        try await withSchool { school in
            _ = try await school.limit(students: 2)
            let answer = try await school.post(
                "/v1/classes/batch", as: .ada,
                json: items([
                    [
                        "sourceId": "class-Biology", "name": "Renamed", "locationId": "source:main",
                        "studentIds": ["source:sis-ben", "source:sis-omar"],
                    ],
                    [
                        "sourceId": "big", "name": "Big", "locationId": "source:main",
                        "studentIds": ["source:sis-ben", "source:sis-sam", "source:sis-sue"],
                    ],
                    [
                        "sourceId": "lost", "name": "Lost", "locationId": "source:absent",
                        "courseId": "source:absent", "termId": "source:absent",
                    ],
                ]))
            #expect(answer.outcomes == ["problem", "problem", "problem"])
            let wrong = answer.items.flatMap { item in
                (item["errors"]?.array ?? []).compactMap { $0["pointer"]?.text }
            }
            #expect(
                wrong == [
                    "/items/0/studentIds/1", "/items/1/studentIds", "/items/2/locationId",
                    "/items/2/courseId", "/items/2/termId",
                ])
            let biology = try await school.get("/v1/classes/source:class-Biology", as: .ada)
            #expect(biology.text("name") == "Biology")
            #expect(try await school.get("/v1/classes/source:big", as: .ada).status == 404)
        }
    }
}

/// An item of a batch of rosters: a persona as a student of a class.
private func seat(_ group: String, _ person: String, _ more: [String: JSONValue] = [:]) -> JSONValue
{
    var members: [(String, JSONValue)] = [
        ("classId", .text("source:class-\(group)")), ("personId", .text("source:sis-\(person)")),
    ]
    members.append(("role", more["role"] ?? "student"))
    members += more.filter { $0.key != "role" }.sorted { $0.key < $1.key }.map {
        ($0.key, $0.value)
    }
    return .object(JSONObject(members))
}
