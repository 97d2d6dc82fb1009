import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct ManagedIDs {
    @Test(
        arguments: [
            ("{grade}.{familyName}", "7b.lee"),
            ("{givenInitial}{middleInitial}{familyName}", "amlee"),
            ("{personNumber}", "4711"), ("{sourceId}-{grade}", "s-1-7b"),
            ("s{email}", "samail"), ("{middleName}_{givenName}", "maria_anna"),
        ])
    func `the format names the attributes people have`(format: String, name: String) async throws {
        try await withSchool { school in
            let changed = try await school.patch(
                "/v1/organization", as: .ada, json: ["managedIdFormat": .text(format)])
            #expect(changed.status == 200)
            let made = try await school.post(
                "/v1/people", as: .ada,
                json: school.student(
                    "Anna", "Lee",
                    [
                        "middleName": "Maria", "personNumber": "4711", "sourceId": "s-1",
                        "grade": "7b", "email": "amail@mail.example",
                    ]))
            #expect(made.text("managedId") == "\(name)@hillside.example")
        }
    }

    @Test(
        arguments: [
            ("{grade}.{shoeSize}", "unknown_element"), ("{GivenName}", "unknown_element"),
            ("{}", "unknown_element"), ("everybody", "no_element"),
            ("{givenName", "unbalanced_brace"),
            ("givenName}", "unbalanced_brace"), ("{given{Name}}", "unbalanced_brace"),
            ("{givenName}}", "unbalanced_brace"), ("{givenName} {familyName}", "malformed"),
            ("{givenName}@x", "malformed"),
        ])
    func `an invalid format is refused with the reason`(
        format: String, code: String
    ) async throws {
        try await withSchool { school in
            let answer = try await school.patch(
                "/v1/organization", as: .ada, json: ["managedIdFormat": .text(format)])
            #expect(answer.status == 422)
            #expect(answer.pointers == ["/managedIdFormat"])
            #expect(answer.json["errors"]?.array?.first?["code"]?.text == code)
        }
    }

    @Test func `an element that a person lacks is left out`() async throws {
        try await withSchool { school in
            _ = try await school.patch(
                "/v1/organization", as: .ada,
                json: ["managedIdFormat": "{givenName}.{middleName}.{familyName}-{grade}"])
            let made = try await school.post(
                "/v1/people", as: .ada, json: school.student("Anna", "Lee"))
            #expect(made.text("managedId") == "anna.lee@hillside.example")
        }
    }

    @Test func `the next person of the same name gets a number without trying all before it`()
        async throws
    {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.managed_id_directory (managed_id, organization_id, person_id)
                select 'anna.lee' || case n when 1 then '' else n::text end || '@hillside.example',
                       \(school.hillside), gen_random_uuid()
                  from generate_series(1, 3000) as n
                """)
            let made = try await school.post(
                "/v1/people", as: .ada, json: school.student("Anna", "Lee"))
            #expect(made.text("managedId") == "anna.lee3001@hillside.example")
            let many = try school.sql(
                """
                select count(distinct m.managed_id) as count, max(m.managed_id) filter (
                           where length(m.managed_id) = length('anna.lee6001@hillside.example')) as last
                  from (select array_agg(gen_random_uuid()) as ids, array_agg('Anna'::text) as given,
                               array_agg('Lee'::text) as family from generate_series(1, 3000)) as n
                 cross join lateral school.make_managed_ids(
                       \(school.hillside), n.ids, n.given, null, n.family, null, null, null, null) as m
                """, as: school.caller(.ada))
            #expect(try many[0].int("count") == 3000)
            #expect(try many[0].text("last") == "anna.lee6001@hillside.example")
        }
    }

    @Test func `no managed ID is longer than 128 characters, generated or chosen`() async throws {
        try await withSchool { school in
            let domain = String(repeating: "abcdefghi.", count: 9) + "example"
            let changed = try await school.patch(
                "/v1/organization", as: .ada,
                json: ["domains": [.text(domain), "hillside.example"]])
            #expect(changed.status == 200)
            let long = String(repeating: "abcdefghij", count: 25)
            for _ in 1...3 {
                let made = try await school.post(
                    "/v1/people", as: .ada, json: school.student(long, long))
                #expect(made.status == 201)
                #expect((made.text("managedId") ?? "").count <= 128)
                #expect(made.text("managedId")?.hasSuffix("@\(domain)") == true)
            }
            let name = String(repeating: "x", count: 128 - "@hillside.example".count)
            let longest = try await school.post(
                "/v1/people", as: .ada,
                json: school.student("A", "B", ["managedId": .text("\(name)@hillside.example")]))
            #expect(longest.status == 201)
            let longer = try await school.post(
                "/v1/people", as: .ada,
                json: school.student("A", "B", ["managedId": .text("\(name)x@hillside.example")]))
            #expect(longer.pointers == ["/managedId"])
        }
    }

    @Test func `two concurrent organizations create each managed ID for one person`() async throws {
        try await withSchool { school in
            let made = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<12 {
                    for persona in [Persona.ada, .olga] {
                        group.addTask {
                            try await school.post(
                                "/v1/people", as: persona,
                                json: [
                                    "givenName": "Anna", "familyName": "Lee",
                                    "roles": [["role": "student", "locationId": "source:main"]],
                                ])
                        }
                        group.addTask {
                            try await school.post(
                                "/v1/people", as: persona,
                                json: [
                                    "givenName": "A", "familyName": "L",
                                    "managedId": "wanted@hillside.example",
                                    "roles": [["role": "student", "locationId": "source:main"]],
                                ])
                        }
                    }
                }
                return try await group.reduce(into: [Answer]()) { $0.append($1) }
            }
            let ids = made.filter { $0.status == 201 }.compactMap { $0.text("managedId") }
            #expect(ids.count == 25)
            #expect(Set(ids).count == 25)
            #expect(ids.filter { $0 == "wanted@hillside.example" }.count == 1)
            #expect(made.filter { $0.code == "managed_id_taken" }.count == 11)
            #expect(made.filter { $0.status == 422 }.count == 12, "not a domain of Elsewhere")
        }
    }
}
