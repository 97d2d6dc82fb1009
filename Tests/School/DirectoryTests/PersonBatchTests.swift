import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct BatchesOfPeople {
    @Test func `people are created with managed IDs in one go, found unchanged, and updated`()
        async throws
    {
        try await withSchool { school in
            let people: [JSONValue] = [
                person("a", "Anna", "Lee", in: school), person("b", "Anna", "Lee", in: school),
                person("c", "Anna", "Lee", ["managedId": "anna@hillside.example"], in: school),
            ]
            let first = try await send(people, as: .provisioner, in: school)
            #expect(first.outcomes == ["created", "created", "created"])
            let ids = try await managedIDs(in: school)
            #expect(
                ids == [
                    "a": "anna.lee@hillside.example", "b": "anna.lee2@hillside.example",
                    "c": "anna@hillside.example",
                ])
            let before = try await school.get("/v1/people/source:a", as: .ada)
            let second = try await send(people.reversed(), as: .provisioner, in: school)
            #expect(second.outcomes == ["unchanged", "unchanged", "unchanged"])
            #expect(second.items[2]["id"] == first.items[0]["id"])
            let after = try await school.get("/v1/people/source:a", as: .ada)
            #expect(after.body == before.body)
            #expect(after.header("etag") == before.header("etag"))
            let third = try await send(
                [
                    person("a", "Anne", "Lee", in: school),
                    person("b", "Anna", "Lee", ["roles": [school.role("staff")]], in: school),
                    person("c", "Anna", "Lee", ["managedId": "annac@hillside.example"], in: school),
                    person("d", "Dora", "Lee", in: school),
                ], as: .ada, in: school)
            #expect(third.outcomes == ["updated", "updated", "updated", "created"])
            #expect(try await managedIDs(in: school)["a"] == "anna.lee@hillside.example")
            #expect(try await managedIDs(in: school)["c"] == "annac@hillside.example")
            let free = try await send(
                [person("e", "E", "E", ["managedId": "anna@hillside.example"], in: school)],
                as: .ada, in: school)
            #expect(free.outcomes == ["created"], "what was changed is free again")
            let staff = try await school.page("/v1/people?role=staff", as: .ada)
            #expect(staff.ids == [third.items[1]["id"]?.text])
            let events = try school.sql("select from school.audit_event where kind = 'roleChange'")
            #expect(events.count == 6, "four new people, one with another role, and E")
        }
    }

    @Test func `every mistake is reported with its pointer, and all or nothing is kept`()
        async throws
    {
        try await withSchool { school in
            let mixed: [JSONValue] = [
                person("a", "Anna", "Lee", in: school),
                person("b", "B", "B", ["managedId": "sam@hillside.example"], in: school),
                person("c", "C", "C", ["managedId": "c@elsewhere.example"], in: school),
                person(
                    "d", "D", "D", ["roles": [["role": "student", "locationId": "source:no"]]],
                    in: school),
                person("e", "E", "E", ["roles": [school.role("administrator")]], in: school),
                person("a", "F", "F", in: school),
                person("sis-ada", "Ada", "Other", in: school),
                ["sourceId": "g"],
            ]
            let expected: [[String]] = [
                [], ["/items/1/managedId managed_id_taken"], ["/items/2/managedId foreign_domain"],
                ["/items/3/roles/0/locationId unknown_reference"],
                ["/items/4/roles/0/role forbidden"], ["/items/5/sourceId duplicate"],
                ["/items/6 forbidden"],
            ]
            let all = try await school.post(
                "/v1/people/batch?atomic=true", as: .petra, json: ["items": .array(mixed)])
            #expect(all.status == 422)
            #expect(try await school.get("/v1/people/source:a", as: .ada).status == 404)
            let some = try await send(mixed, as: .petra, in: school)
            #expect(some.outcomes == ["created"] + Array(repeating: "problem", count: 7))
            let wrong = some.items.prefix(7).map { item in
                (item["errors"]?.array ?? []).map {
                    "\($0["pointer"]?.text ?? "") \($0["code"]?.text ?? "")"
                }
            }
            #expect(wrong == expected)
            let ada = try await school.get("/v1/people/source:sis-ada", as: .ada)
            #expect(ada.text("familyName") == "Example")
            #expect(ada.json["roles"]?.array?.first?["role"] == "administrator")
        }
    }

    @Test func `the last administrator stays, and the other items are written`() async throws {
        try await withSchool { school in
            let ada = person("sis-ada", "Ada", "Example", in: school)
            let anna = person("a", "Anna", "Lee", in: school)
            let one = try await send([ada, anna], as: .ada, in: school)
            #expect(one.outcomes == ["problem", "created"])
            #expect(one.items.first?["errors"]?[0]?["pointer"] == "/items/0/roles")
            #expect(one.items.first?["errors"]?[0]?["code"] == "last_administrator")
            let all = try await school.post(
                "/v1/people/batch?atomic=true", as: .ada, json: ["items": [ada, anna]])
            #expect(all.status == 422)
            #expect(all.pointers == ["/items/0/roles"])

            let administrator: [String: JSONValue] = ["roles": [school.role("administrator")]]
            let both = try await send(
                [person("a", "Anna", "Lee", administrator, in: school)], as: .ada, in: school)
            #expect(both.outcomes == ["updated"])
            let neither = try await send([anna, ada], as: .ada, in: school)
            #expect(neither.outcomes == ["updated", "problem"], "one of two may go")
            let passedOn = try await send(
                [ada, person("b", "Ben", "Lee", administrator, in: school)], as: .ada, in: school)
            #expect(passedOn.outcomes == ["updated", "created"])
        }
    }

    @Test func `callers without permission are refused`() async throws {
        try await withSchool { school in
            let one = [person("a", "Anna", "Lee", in: school)]
            for persona in [Persona.tom, .sam, .exporter, .samsApp] {
                let refused = try await send(one, as: persona, in: school)
                #expect(refused.status == 403)
            }
            let made = try await send(one, as: .mara, in: school)
            #expect(made.outcomes == ["created"])
        }
    }

    @Test func `a thousand people, sent twice at once, each exist once`() async throws {
        try await withSchool { school in
            let people = (0..<1000).map {
                person("s\($0)", "Given\($0 % 10)", "Family\($0 % 7)", in: school)
            }
            async let one = send(people, as: .provisioner, in: school)
            async let other = send(people.reversed(), as: .ada, in: school)
            let answers = [try await one, try await other]
            // Two that meet may block each other; then one is reported and the other has written.
            #expect(answers.contains { $0.status == 200 })
            #expect(answers.allSatisfy { [200, 503].contains($0.status) })
            let there = try school.sql(
                """
                select count(*) as people, count(distinct managed_id_key) as ids
                  from school.person where source_id like 's%' and source_id not like 'sis%'
                """)
            #expect(try there[0].int("people") == 1000)
            #expect(try there[0].int("ids") == 1000)
            let reserved = try school.sql(
                """
                select count(*) as count from school.managed_id_directory as d
                 where not exists (select from school.person as p where p.managed_id_key = d.managed_id)
                """)
            #expect(try reserved[0].int("count") == 0, "nothing stays reserved")
        }
    }

    private func person(
        _ source: String, _ given: String, _ family: String, _ more: [String: JSONValue] = [:],
        in school: TestSchool
    ) -> JSONValue {
        school.student(given, family, more.merging(["sourceId": .text(source)]) { $1 })
    }

    private func send(
        _ people: [JSONValue], as persona: Persona, in school: TestSchool
    ) async throws -> Answer {
        try await school.post("/v1/people/batch", as: persona, json: ["items": .array(people)])
    }

    /// By source id, of those whose source id has one letter.
    private func managedIDs(in school: TestSchool) async throws -> [String: String] {
        let rows = try school.sql(
            "select source_id, managed_id from school.person where length(source_id) = 1")
        return try rows.reduce(into: [:]) {
            $0[try $1.text("source_id")] = try $1.text("managed_id")
        }
    }
}
