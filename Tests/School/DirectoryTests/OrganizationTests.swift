import API
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct OrganizationOfTheDirectory {
    @Test func `only those who manage the directory read it`() async throws {
        try await withSchool { school in
            for persona in [Persona.ada, .petra, .mara, .provisioner] {
                let answer = try await school.get("/v1/organization", as: persona)
                #expect(answer.status == 200)
                #expect(answer.text("name") == "Hillside")
                #expect(answer.texts("domains") == ["hillside.example"])
                #expect(answer.json["studentProgress"]?["enabled"] == true)
            }
            for persona in [Persona.tom, .sam, .exporter, .samsApp] {
                #expect(try await school.get("/v1/organization", as: persona).status == 403)
            }
            #expect(try await school.get("/v1/organization", as: nil).status == 401)
            #expect(try await school.get("/v1/organization", as: .olga).text("name") == "Elsewhere")
        }
    }

    @Test func `a change leaves the rest, bumps the ETag and is audited`() async throws {
        try await withSchool { school in
            let before = try await school.get("/v1/organization", as: .ada)
            let tag = try #require(before.header("etag"))
            let answer = try await school.patch(
                "/v1/organization", as: .ada,
                json: [
                    "name": "Hillside School", "timeZone": "Europe/Zurich",
                    "managedIdFormat": "{givenInitial}{familyName}",
                    "domains": ["new.hillside.example", "Hillside.example"],
                ], headers: [("If-Match", tag)])
            #expect(answer.status == 200)
            #expect(answer.text("name") == "Hillside School")
            #expect(answer.texts("domains") == ["new.hillside.example", "hillside.example"])
            #expect(answer.header("etag") != tag)
            let person = try await school.post(
                "/v1/people", as: .ada, json: school.student("Anna", "Lee"))
            #expect(person.text("managedId") == "alee@new.hillside.example")
            let events = try school.sql(
                "select count(*)::int as n from school.audit_event where kind = 'organizationChange'"
            )
            #expect(try events[0].int("n") == 1)
            let stale = try await school.patch(
                "/v1/organization", as: .ada, json: ["name": "X"], headers: [("If-Match", tag)])
            #expect(stale.status == 412)
            let same = try await school.get(
                "/v1/organization", as: .ada,
                headers: [("If-None-Match", answer.header("etag") ?? "")])
            #expect(same.status == 304)
            #expect(same.body.isEmpty)
        }
    }

    @Test(
        arguments: [
            (["timeZone": "Mars/Olympus"], "/timeZone"),
            (["managedIdFormat": "{givenName}.{shoeSize}"], "/managedIdFormat"),
            (["managedIdFormat": "everybody"], "/managedIdFormat"),
            (["domains": ["hillside.example", "no domain"]], "/domains/1"),
            (["domains": []], "/domains"),
            (
                ["studentProgress": ["enabled": true, "onDisable": "hide"]],
                "/studentProgress/onDisable"
            ),
            (["nmae": "Hillside"], "/nmae"),
        ] as [(JSONValue, String)])
    func `an invalid value is refused with its pointer`(body: JSONValue, pointer: String)
        async throws
    {
        try await withSchool { school in
            let answer = try await school.patch("/v1/organization", as: .ada, json: body)
            #expect(answer.status == 422)
            #expect(answer.pointers == [pointer])
        }
    }

    @Test func `a domain of another organization, or in use, stays where it is`() async throws {
        try await withSchool { school in
            let taken = try await school.patch(
                "/v1/organization", as: .ada,
                json: ["domains": ["hillside.example", "elsewhere.example"]])
            #expect(taken.status == 409)
            #expect(taken.code == "domain_taken")
            let used = try await school.patch(
                "/v1/organization", as: .ada, json: ["domains": ["other.example"]])
            #expect(used.status == 409)
            #expect(used.code == "domain_in_use")
            let now = try await school.get("/v1/organization", as: .ada)
            #expect(now.texts("domains") == ["hillside.example"])
        }
    }

    @Test func `the progress switch is the administrator's and can delete`() async throws {
        try await withSchool { school in
            let off: JSONValue = ["studentProgress": ["enabled": false, "onDisable": "delete"]]
            let refused = try await school.patch("/v1/organization", as: .petra, json: off)
            #expect(refused.status == 403)
            #expect(refused.text("detail")?.contains("administrator") == true)
            #expect(
                try await school.patch(
                    "/v1/organization", as: .petra, json: ["name": "Hill"]
                ).status == 200)
            try school.sql(
                """
                insert into school.activity (organization_id, person_id, activity_id, environment, bundle_id,
                                             identifier_path, arrived_at)
                values (\(school.hillside), \(school.id(.sam)), gen_random_uuid(), 'production', 'a.b',
                        '{}', now())
                """)
            let answer = try await school.patch("/v1/organization", as: .ada, json: off)
            #expect(answer.status == 200)
            #expect(answer.json["studentProgress"]?["enabled"] == false)
            let left = try school.sql("select count(*)::int as n from school.activity")
            #expect(try left[0].int("n") == 0)
            let events = try school.sql(
                "select details::text as d from school.audit_event where kind = 'studentProgressChange'"
            )
            #expect(events.count == 1)
        }
    }
}
