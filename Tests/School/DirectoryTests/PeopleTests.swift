import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct PeopleOfTheDirectory {
    @Test func `a person is added with a managed ID, and read by both ids`() async throws {
        try await withSchool { school in
            let made = try await school.post(
                "/v1/people", as: .provisioner,
                json: school.student(
                    "Éléonore", "Straße-Øster",
                    [
                        "sourceId": "a/b", "grade": "7", "passwordPolicy": "6",
                        "email": "e@mail.example",
                    ]))
            #expect(made.status == 201)
            #expect(made.text("managedId") == "eleonore.strasse-oster@hillside.example")
            #expect(made.text("status") == "new")
            #expect(made.json["progressPaused"] == false)
            #expect(made.json["roles"]?.array?.count == 1)
            let id = try #require(made.text("id"))
            for path in ["/v1/people/\(id)", "/v1/people/source:a%2Fb"] {
                let found = try await school.get(path, as: .mara)
                #expect(found.status == 200)
                #expect(found.body == made.body)
                let same = try await school.get(
                    path, as: .mara, headers: [("If-None-Match", found.header("etag") ?? "")])
                #expect(same.status == 304)
            }
        }
    }

    @Test(
        arguments: [
            ("Anna", "Lee", nil, "anna.lee"), ("李", "小龙", "Stu/9", "stu9"),
            ("李", "小龙", nil, "person"),
            ("Anna", "王", "x", "anna"), ("Łukasz", "Þórsson", nil, "lukasz.thorsson"),
            ("Mary Ann", "O'Neil", nil, "maryann.oneil"), ("Nguyễn", "Đức", nil, "nguyen.duc"),
        ] as [(String, String, String?, String)])
    func `a managed ID consists of Latin letters`(
        given: String, family: String, source: String?, name: String
    ) async throws {
        try await withSchool { school in
            let more: [String: JSONValue] = source.map { ["sourceId": .text($0)] } ?? [:]
            let made = try await school.post(
                "/v1/people", as: .ada, json: school.student(given, family, more))
            #expect(made.text("managedId") == "\(name)@hillside.example")
        }
    }

    @Test func `a long name stays under 128 characters`() async throws {
        try await withSchool { school in
            let long = String(repeating: "abcdefghij", count: 25)
            let first = try await school.post(
                "/v1/people", as: .ada, json: school.student(long, long))
            let second = try await school.post(
                "/v1/people", as: .ada, json: school.student(long, long))
            #expect((first.text("managedId") ?? "").count <= 128)
            #expect((second.text("managedId") ?? "").count <= 128)
            #expect(second.text("managedId")?.hasSuffix("2@hillside.example") == true)
        }
    }

    @Test func `twenty people of the same name at once get twenty managed IDs`() async throws {
        try await withSchool { school in
            let ids = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await school.post(
                            "/v1/people", as: .ada, json: school.student("Anna", "Lee"))
                    }
                }
                return try await group.reduce(into: [String]()) { ids, answer in
                    #expect(answer.status == 201)
                    ids.append(answer.text("managedId") ?? "")
                }
            }
            let expected = ["anna.lee"] + (2...20).map { "anna.lee\($0)" }
            #expect(Set(ids) == Set(expected.map { "\($0)@hillside.example" }))
        }
    }

    @Test func `a given managed ID needs a domain of the organization, and nobody else's`()
        async throws
    {
        try await withSchool { school in
            let made = try await school.post(
                "/v1/people", as: .ada,
                json: school.student("Anna", "Lee", ["managedId": "Anna@Hillside.example"]))
            #expect(made.status == 201)
            #expect(made.text("managedId") == "Anna@Hillside.example")
            let found = try await school.page(
                "/v1/people?managedId=anna@hillside.example", as: .ada)
            #expect(found.ids == [made.text("id")])
            let taken = try await school.post(
                "/v1/people", as: .ada,
                json: school.student("A", "L", ["managedId": "anna@hillside.example"]))
            #expect(taken.status == 409)
            #expect(taken.code == "managed_id_taken")
            for managedID in [
                "omar@elsewhere.example", "anna@elsewhere.example", "anna@nowhere.example", "anna",
                "a b@hillside.example",
            ] {
                let answer = try await school.post(
                    "/v1/people", as: .ada,
                    json: school.student("A", "L", ["managedId": .text(managedID)]))
                #expect(answer.status == 422)
                #expect(answer.pointers == ["/managedId"])
            }
        }
    }

    @Test func `PUT keeps the managed ID and resets the rest`() async throws {
        try await withSchool { school in
            let path = "/v1/people/source:s-1"
            let made = try await school.put(
                path, as: .provisioner,
                json: school.student("Anna", "Lee", ["grade": "7", "middleName": "M"]))
            #expect(made.status == 201)
            let again = try await school.put(
                path, as: .provisioner, json: school.student("Anne", "Li"))
            #expect(again.status == 200)
            #expect(again.text("id") == made.text("id"))
            #expect(again.text("managedId") == "anna.lee@hillside.example")
            #expect(again.text("sourceId") == "s-1")
            #expect(again.json["grade"] == .null)
            #expect(again.json["middleName"] == .null)
            let id = try #require(made.text("id"))
            let renamed = try await school.put(
                "/v1/people/\(id)", as: .provisioner,
                json: school.student("Anne", "Li", ["managedId": "anne@hillside.example"]),
                headers: [("If-Match", again.header("etag") ?? "")])
            #expect(renamed.status == 200)
            #expect(renamed.text("managedId") == "anne@hillside.example")
            #expect(
                renamed.json["sourceId"] == .null, "the UUID names it, the body has no sourceId")
            let free = try await school.post(
                "/v1/people", as: .ada, json: school.student("Anna", "Lee"))
            #expect(free.text("managedId") == "anna.lee@hillside.example", "it is free again")
            let stale = try await school.put(
                "/v1/people/\(id)", as: .ada, json: school.student("X", "Y"),
                headers: [("If-Match", again.header("etag") ?? "")])
            #expect(stale.status == 412)
            let unknown = try await school.put(
                "/v1/people/01890000-0000-7000-8000-000000000000", as: .ada,
                json: school.student("X", "Y"))
            #expect(unknown.status == 404)
        }
    }

    @Test func `every mistake in a body is named`() async throws {
        try await withSchool { school in
            let answer = try await school.post(
                "/v1/people", as: .ada,
                json: [
                    "givenName": "", "roles": [["role": "king", "locationId": "7"]], "shoeSize": 43,
                ])
            #expect(answer.status == 422)
            #expect(
                Set(answer.pointers) == [
                    "/givenName", "/familyName", "/roles/0/role", "/roles/0/locationId",
                    "/shoeSize",
                ])
            let unknown = try await school.post(
                "/v1/people", as: .ada,
                json: school.student(
                    "A", "L",
                    [
                        "roles": [
                            school.role("student"),
                            ["role": "student", "locationId": "source:absent"],
                            [
                                "role": "student",
                                "locationId": .text(TestIDs.elsewhereLocation.uuid.description),
                            ],
                        ]
                    ]))
            #expect(unknown.status == 422)
            #expect(unknown.pointers == ["/roles/1/locationId", "/roles/2/locationId"])
        }
    }

    @Test func `lists are filtered`() async throws {
        try await withSchool { school in
            let before = try await school.get("/v1/people?grade=7", as: .ada)
            #expect(before.items.isEmpty)
            let made = try await school.post(
                "/v1/people", as: .ada, json: school.student("Anna", "Lee", ["grade": "7"]))
            let id = try #require(made.text("id"))
            #expect(try await school.page("/v1/people?grade=7", as: .ada).ids == [id])
            #expect(try await school.page("/v1/people?status=new&grade=7", as: .ada).ids == [id])
            #expect(try await school.page("/v1/people?status=deactivated", as: .ada).ids == [])
            let since = made.text("updatedAt") ?? ""
            let changed = try await school.page("/v1/people?updatedSince=\(since)", as: .ada)
            #expect(changed.ids == [id])
            let biology = try await school.page("/v1/people?classId=source:class-Biology", as: .ada)
            let expected = [Persona.tom, .cora, .sam, .sue].map { school.id($0).uuid.description }
            #expect(Set(biology.ids) == Set(expected))
            let students = try await school.page(
                "/v1/people?classId=\(school.biology.uuid)&role=student&locationId=source:main",
                as: .ada)
            #expect(students.ids.count == 2)
        }
    }
}
