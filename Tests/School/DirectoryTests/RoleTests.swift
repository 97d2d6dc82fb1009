import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct RolesOfPeople {
    @Test(arguments: [Persona.petra, .provisioner])
    func `only administrators make others administrators`(persona: Persona) async throws {
        try await withSchool { school in
            let administrator = school.student("A", "B", ["roles": [school.role("administrator")]])
            let refused = try await school.post("/v1/people", as: persona, json: administrator)
            #expect(refused.status == 403)
            #expect(refused.text("detail")?.contains("administrator") == true)
            let ada = "/v1/people/\(school.id(.ada).uuid)"
            let demoted = try await school.put(ada, as: persona, json: school.student("Ada", "X"))
            #expect(demoted.status == 403)
            let renamed = try await school.put(
                ada, as: persona,
                json: school.student(
                    "Ada", "X",
                    [
                        "roles": [school.role("administrator")],
                        "managedId": "mine@hillside.example",
                    ]))
            #expect(renamed.status == 403)
            let manager = try await school.post(
                "/v1/people", as: persona,
                json: school.student("A", "B", ["roles": [school.role("siteManager")]]))
            #expect(manager.status == (persona == .provisioner ? 403 : 201))
            let made = try await school.post("/v1/people", as: .ada, json: administrator)
            #expect(made.status == 201)
        }
    }

    @Test func `a change is audited and ends the tokens of the old roles`() async throws {
        try await withSchool { school in
            let tom = "/v1/people/\(school.id(.tom).uuid)"
            #expect(try await school.get("/v1/classes", as: .tom).status == 200)
            let same = try await school.put(
                tom, as: .petra,
                json: school.student("Tom", "Example", ["roles": [school.role("teacher")]]))
            #expect(same.status == 200)
            #expect(try await school.get("/v1/classes", as: .tom).status == 200)
            let changed = try await school.put(
                tom, as: .petra,
                json: school.student("Tom", "Example", ["roles": [school.role("staff")]])
            )
            #expect(changed.status == 200)
            #expect(changed.json["roles"]?.array?.first?["role"] == "staff")
            #expect(try await school.get("/v1/classes", as: .tom).status == 401)
            let events = try school.sql(
                """
                select subject_id, details->'given'->0->>'role' as given, details->'taken'->0->>'role' as taken
                  from school.audit_event where kind = 'roleChange'
                """)
            #expect(events.count == 1)
            #expect(try events[0].text("given") == "staff")
            #expect(try events[0].text("taken") == "teacher")
            #expect(try events[0].text("subject_id") == school.id(.tom).uuid.description)
        }
    }

    @Test func `a teacher sees the people of their own classes and nobody else`() async throws {
        try await withSchool { school in
            let ben = "/v1/people/\(school.id(.ben).uuid)"
            #expect(try await school.get(ben, as: .tess).status == 200)
            let hidden = try await school.get(ben, as: .tom)
            #expect(hidden.status == 404)
            #expect(try await school.get("/v1/people/source:sis-ben", as: .tom).status == 404)
            #expect(
                try await school.get("/v1/people/\(school.id(.sam).uuid)", as: .tom).status == 200)
            let all = try await school.page("/v1/people", as: .tom).ids
            let expected = [Persona.tom, .cora, .sam, .sue].map { school.id($0).uuid.description }
            #expect(Set(all) == Set(expected))
        }
    }

    @Test(arguments: [Persona.sam, .exporter, .samsApp, .tomsApp])
    func `others have no access to the directory`(persona: Persona) async throws {
        try await withSchool { school in
            for path in ["people", "classes", "locations", "courses"] {
                let answer = try await school.get("/v1/\(path)", as: persona)
                #expect(answer.status == 403)
            }
            let own = try await school.get("/v1/people/\(school.id(.sam).uuid)", as: persona)
            #expect(own.status == 403)
        }
    }

    @Test(arguments: [Persona.tom, .sam, .exporter])
    func `callers who do not manage people change none`(persona: Persona) async throws {
        try await withSchool { school in
            let post = try await school.post(
                "/v1/people", as: persona, json: school.student("A", "B"))
            #expect(post.status == 403)
            let put = try await school.put(
                "/v1/people/\(school.id(.sam).uuid)", as: persona, json: school.student("A", "B"))
            #expect(put.status == 403)
        }
    }

    @Test func `another organization's people are not found`() async throws {
        try await withSchool { school in
            let sam = "/v1/people/\(school.id(.sam).uuid)"
            #expect(try await school.get(sam, as: .ada).status == 200)
            let hidden = try await school.get(sam, as: .olga)
            #expect(hidden.status == 404)
            let own: JSONValue = [
                "givenName": "A", "familyName": "B",
                "roles": [["role": "student", "locationId": "source:main"]],
            ]
            #expect(try await school.put(sam, as: .olga, json: own).status == 404)
            let twin = try await school.put("/v1/people/source:sis-sam", as: .olga, json: own)
            #expect(twin.status == 201, "source ids belong to the organization")
        }
    }
}
