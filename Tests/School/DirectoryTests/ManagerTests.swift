import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// The roles of `Sources/facts/apple-school-manager.md`, and that someone is always left who may change them.
@Suite struct WhoManagesWhom {
    @Test func `a manager manages staff, teachers and students, and nobody else`() async throws {
        try await withSchool { school in
            for role in ["staff", "teacher", "student"] {
                let made = try await school.post(
                    "/v1/people", as: .mara,
                    json: school.student("New", role, ["roles": [school.role(role)]]))
                #expect(made.status == 201, "\(role)")
                let path = "/v1/people/\(made.text("id") ?? "")"
                let renamed = try await school.patch(
                    path, as: .mara, json: ["givenName": "Renamed"])
                #expect(renamed.text("givenName") == "Renamed")
                #expect(try await school.put("\(path)/deactivation", as: .mara).status == 200)
                #expect(try await school.delete(path, as: .mara).status == 204)
            }
            for role in ["manager", "contentManager", "siteManager", "peopleManager"] {
                let made = try await school.post(
                    "/v1/people", as: .mara,
                    json: school.student("New", role, ["roles": [school.role(role)]]))
                #expect(made.status == 403)
                #expect(made.text("detail")?.contains(role) == true)
            }
        }
    }

    @Test(
        arguments: [
            (Persona.mara, Persona.petra), (.mara, .ada), (.petra, .ada), (.provisioner, .ada),
        ])
    func `people with a role you may not give cannot be changed at all`(
        persona: Persona, higher: Persona
    ) async throws {
        try await withSchool { school in
            let path = "/v1/people/\(school.id(higher).uuid)"
            let before = try await school.get(path, as: persona)
            #expect(before.status == 200)
            let changes: [JSONValue] = [
                ["givenName": "X"], ["email": "x@mail.example"], ["sourceId": "x"],
                ["managedId": "x@hillside.example"], ["roles": [school.role("student")]],
                ["grade": "1"],
            ]
            for change in changes {
                let refused = try await school.patch(path, as: persona, json: change)
                #expect(refused.status == 403)
                let allowed = try await school.patch(
                    "/v1/people/\(school.id(.sam).uuid)", as: persona, json: change)
                #expect(allowed.status == 200)
                if change.object?["managedId"] != nil || change.object?["sourceId"] != nil {
                    _ = try await school.patch(
                        "/v1/people/\(school.id(.sam).uuid)", as: persona,
                        json: ["managedId": "sam@hillside.example", "sourceId": "sis-sam"])
                }
            }
            #expect(try await school.put("\(path)/deactivation", as: persona).status == 403)
            #expect(try await school.delete("\(path)/deactivation", as: persona).status == 403)
            #expect(try await school.delete(path, as: persona).status == 403)
            #expect(try await school.get(path, as: persona).body == before.body)
        }
    }

    @Test func `the last administrator stays, however they would be removed`() async throws {
        try await withSchool { school in
            let ada = "/v1/people/\(school.id(.ada).uuid)"
            let demoted: JSONValue = ["roles": [school.role("teacher")]]
            for answer in [
                try await school.put("\(ada)/deactivation", as: .ada),
                try await school.patch(ada, as: .ada, json: demoted),
                try await school.delete(ada, as: .ada),
            ] {
                #expect(answer.status == 409)
                #expect(answer.code == "last_administrator")
            }
            let moved = try await school.post(
                "/v1/locations", as: .ada, json: ["name": "Annex", "sourceId": "annex"])
            #expect(moved.status == 201)
            let elsewhere = try await school.patch(
                ada, as: .ada,
                json: ["roles": [["role": "administrator", "locationId": "source:annex"]]])
            #expect(elsewhere.status == 200, "she stays administrator throughout")
            let second = try await school.patch(
                "/v1/people/\(school.id(.petra).uuid)", as: .ada,
                json: ["roles": [school.role("administrator")]])
            #expect(second.status == 200)
            #expect(try await school.patch(ada, as: .ada, json: demoted).status == 200)
        }
    }

    @Test func `two administrators who remove each other at once leave one of them`() async throws {
        try await withSchool { school in
            for persona in [Persona.ada, .petra] {
                try school.sql(
                    """
                    insert into school.person_role (organization_id, person_id, location_id, role)
                    values (\(school.hillside), \(school.id(persona)), \(school.mainLocation),
                            'administrator') on conflict do nothing
                    """)
            }
            try school.sql("update school.access_token set revoked_at = null")
            async let one = school.post(
                "/v1/people/\(school.id(.petra).uuid)/deactivation", as: .ada)
            async let other = school.patch(
                "/v1/people/\(school.id(.ada).uuid)", as: .petra,
                json: ["roles": [school.role("staff")]])
            let statuses = [try await one.status, try await other.status]
            #expect(statuses.filter { $0 == 200 }.count == 1, "\(statuses)")
            let left = try school.sql(
                """
                select from school.person_role as r join school.person as p using (organization_id, person_id)
                 where r.organization_id = \(school.hillside) and r.role = 'administrator'
                   and p.deactivated_at is null
                """)
            #expect(left.count == 1)
        }
    }
}
