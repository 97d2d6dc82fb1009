import API
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct StatusOfPeople {
    @Test func `a deactivated person is signed out, keeps the seats and comes back`() async throws {
        try await withSchool { school in
            let sam = "/v1/people/\(school.id(.sam).uuid)"
            #expect(try await school.get("/v1/me", as: .sam).status == 200)
            let gone = try await school.put("\(sam)/deactivation", as: .petra)
            #expect(gone.status == 200)
            #expect(gone.text("status") == "deactivated")
            #expect(try await school.get("/v1/me", as: .sam).status == 401)
            let again = try await school.put("\(sam)/deactivation", as: .petra)
            #expect(again.body == gone.body, "it may be repeated")
            let seats = try await school.page("/v1/people?classId=source:class-Biology", as: .tom)
            #expect(seats.ids.contains(school.id(.sam).uuid.description))
            let back = try await school.delete("\(sam)/deactivation", as: .petra)
            #expect(back.text("status") == "new")
            let same = try await school.delete("\(sam)/deactivation", as: .petra)
            #expect(same.body == back.body)
            #expect(try await school.get("/v1/me", as: .sam).status == 401, "the token is gone")
            let events = try school.sql(
                """
                select details->>'change' as change from school.audit_event
                 where kind = 'personChange' and subject_id = \(school.id(.sam).uuid.description)
                 order by arrived_at
                """)
            #expect(try events.map { try $0.text("change") } == ["deactivated", "reactivated"])
        }
    }

    @Test func `an automatic lock shows while it is in force, even in the ETag`() async throws {
        try await withSchool { school in
            let sam = "/v1/people/\(school.id(.sam).uuid)"
            let before = try await school.get(sam, as: .tom)
            #expect(before.text("status") == "new")
            try lock(.sam, for: "10 minutes", in: school)
            let locked = try await school.get(
                sam, as: .tom, headers: [("If-None-Match", before.header("etag") ?? "")])
            #expect(locked.status == 200)
            #expect(locked.text("status") == "locked")
            let id = school.id(.sam).uuid.description
            for (status, ids) in [("locked", [id]), ("new", []), ("deactivated", [])] {
                let found = try await school.page(
                    "/v1/people?status=\(status)&sourceId=sis-sam", as: .ada)
                #expect(found.ids == ids, "\(status)")
            }
            #expect(try await school.page("/v1/people?status=locked", as: .tom).ids == [id])
            #expect(try await school.page("/v1/people?status=locked", as: .tess).ids == [])
            let refused = try await school.delete("\(sam)/deactivation", as: .ada)
            #expect(refused.status == 409)
            #expect(refused.code == "person_locked")
            try lock(.sam, for: "-1 minute", in: school)
            #expect(try await school.get(sam, as: .tom).body == before.body)
        }
    }

    @Test func `callers who may not change the status of people are refused`() async throws {
        try await withSchool { school in
            let sam = "/v1/people/\(school.id(.sam).uuid)"
            for persona in [Persona.tom, .sue, .exporter, .samsApp] {
                for call in ["deactivation", "reactivation"] {
                    #expect(try await school.post("\(sam)/\(call)", as: persona).status == 403)
                }
                #expect(try await school.delete(sam, as: persona).status == 403)
            }
            #expect(try await school.put("\(sam)/deactivation", as: .olga).status == 404)
            #expect(try await school.delete(sam, as: .olga).status == 404)
            let stale = try await school.post(
                "\(sam)/deactivation", as: .ada, headers: [("If-Match", "\"x\"")])
            #expect(stale.status == 412)
            #expect(try await school.get(sam, as: .ada).text("status") == "new")
        }
    }

    private func lock(_ persona: Persona, for time: String, in school: TestSchool) throws {
        try school.sql(
            """
            update school.credential set locked_until = now() + \(time)::interval
             where person_id = \(school.id(persona))
            """)
    }
}

@Suite struct RemovalOfPeople {
    @Test func `a person without any trace is removed with the managed ID`() async throws {
        try await withSchool { school in
            let made = try await school.put(
                "/v1/people/source:s-1", as: .provisioner, json: school.student("Anna", "Lee"))
            #expect(made.status == 201)
            let stale = try await school.delete(
                "/v1/people/source:s-1", as: .ada, headers: [("If-Match", "\"x\"")])
            #expect(stale.status == 412)
            #expect(try await school.delete("/v1/people/source:s-1", as: .ada).status == 204)
            #expect(try await school.get("/v1/people/source:s-1", as: .ada).status == 404)
            #expect(try await school.delete("/v1/people/source:s-1", as: .ada).status == 404)
            let next = try await school.post(
                "/v1/people", as: .ada, json: school.student("Anna", "Lee"))
            #expect(next.text("managedId") == "anna.lee@hillside.example")
        }
    }

    @Test func `references to a person are counted and named`() async throws {
        try await withSchool { school in
            let refused = try await school.delete(
                "/v1/people/\(school.id(.sam).uuid)", as: .ada)
            #expect(refused.status == 409)
            #expect(refused.code == "person_in_use")
            #expect(refused.text("detail")?.contains("seat (1)") == true)
            #expect(refused.text("detail")?.contains("deactivated") == true)
            #expect(refused.text("detail")?.contains("eras") == false, "that is for other reasons")
            let seated = try school.sql(
                "select from school.seat where person_id = \(school.id(.sam))")
            #expect(seated.count == 1)
        }
    }

    @Test func `an active person must be deactivated first`() async throws {
        try await withSchool { school in
            let path = "/v1/people/\(school.id(.mara).uuid)"
            try school.sql(
                """
                update school.person set first_sign_in_at = school.moment()
                 where person_id = \(school.id(.mara))
                """)
            let refused = try await school.delete(path, as: .ada)
            #expect(refused.status == 409)
            #expect(refused.code == "person_active")
            #expect(try await school.put("\(path)/deactivation", as: .ada).status == 200)
            #expect(try await school.delete(path, as: .ada).status == 204)
        }
    }

    @Test func `only a manual edit of more than account and roles makes a person manual`()
        async throws
    {
        let cases: [(JSONValue, Persona, String)] = [
            (["managedId": "benny@hillside.example"], .ada, "import"),
            (["passwordPolicy": "6"], .ada, "import"),
            (["givenName": "Benny"], .provisioner, "import"),
            (["givenName": "Benno"], .ada, "manual"), (["grade": "9"], .mara, "manual"),
        ]
        try await withSchool { school in
            let roles: JSONValue = ["roles": [school.role("student"), school.role("staff")]]
            for (change, persona, origin) in cases + [(roles, .ada, "import")] {
                try school.sql(
                    "update school.person set origin = 'import' where person_id = \(school.id(.ben))"
                )
                let answer = try await school.patch(
                    "/v1/people/\(school.id(.ben).uuid)", as: persona, json: change)
                #expect(answer.status == 200)
                let rows = try school.sql(
                    "select origin from school.person where person_id = \(school.id(.ben))")
                #expect(try rows[0].text("origin") == origin, "\(change)")
            }
        }
    }
}
