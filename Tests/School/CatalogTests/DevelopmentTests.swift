import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("/v1/development")
struct DevelopmentTests {
    @Test func `an administrator turns an environment on, and off with everything in it`()
        async throws
    {
        try await withSchool { school in
            let off = try await school.get("/v1/development", as: .ada)
            #expect(off.status == 404 && off.json["detail"]?.text?.contains("is off") == true)
            let made = try await school.put("/v1/development", as: .ada)
            #expect(made.status == 201)
            #expect(made.json["name"] == "Hillside (development)")
            let people = try #require(made.json["people"]?.array)
            #expect(
                people.compactMap { $0["role"]?.text } == ["teacher"] + [
                    "student", "student", "student",
                ])
            let again = try await school.put("/v1/development", as: .ada)
            #expect(again.status == 200 && again.json == made.json)
            #expect(try await school.get("/v1/development", as: .ada).json == made.json)

            let madeUp = try await MadeUpSchool(school)
            #expect(try madeUp.count("person") == 4)
            #expect(try await school.delete("/v1/development", as: .ada).status == 204)
            for token in [madeUp.teacher, madeUp.student] {
                #expect(try await school.send(.get, "/v1/me", token: token).status == 401)
            }
            let left = try school.fingerprint(of: madeUp.organizationID)
                .filter { !$0.contains("<count>0</count>") }
            #expect(left.count == 1 && left[0].hasPrefix("organization:"))
            #expect(try await school.get("/v1/development", as: .ada).status == 404)
            for path in ["reset", "tokens"] {
                let answer = try await school.post(
                    "/v1/development/\(path)", as: .ada, json: ["role": "teacher"])
                #expect(answer.status == 404)
            }
            #expect(try await school.delete("/v1/development", as: .ada).status == 404)

            let anew = try await school.put("/v1/development", as: .ada)
            #expect(anew.status == 201)
            #expect(anew.json["organizationId"] == made.json["organizationId"])
            #expect(anew.json["classId"] != made.json["classId"])
        }
    }

    @Test func `a key opens nothing in an environment that is off`() async throws {
        try await withSchool { school in
            let team = Team()
            try await school.register(team)
            let madeUp = try await MadeUpSchool(school)
            func reached() throws -> Set<OrganizationID> {
                let rows = try school.sql(
                    """
                    select organization_id as id from school.find_developer_keys(\(team.id), \(team.keyID))
                    """)
                return Set(try rows.map { OrganizationID(try $0.uuid("id")) })
            }
            #expect(try reached() == [school.hillside, madeUp.organizationID])
            #expect(try await school.delete("/v1/development", as: .ada).status == 204)
            #expect(try reached() == [school.hillside])
            let published = try await school.publish(
                [team.context([], "River Maths")], token: team.token(), environment: "development")
            #expect(published.status == 201)
            #expect(try madeUp.count("context") == 0)
        }
    }

    @Test func `a handout is tried from the catalog to the report, and reset`() async throws {
        try await withSchool { school in
            let team = Team()
            try await school.register(team)
            let madeUp = try await MadeUpSchool(school)
            let contexts = [team.context([], "River Maths"), team.context(["check"], "Check")]
            let published = try await school.publish(
                contexts, token: team.token(), environment: "development")
            #expect(published.status == 201)
            let before = try school.fingerprint(of: school.hillside)

            let apps = try await school.send(
                .get, "/v1/catalog/apps?environment=development", token: madeUp.teacher)
            #expect(apps.items.compactMap { $0["title"]?.text } == ["River Maths"])
            let handout = try await madeUp.give(["check"])
            #expect(handout.status == 201 && handout.json["environment"] == "development")
            #expect(try await madeUp.work(at: ["check"]).status == 202)
            let tasks = try await school.send(
                .get, "/v1/me/assignments", token: madeUp.student)
            #expect(tasks.items.count == 1)
            let path = "/v1/handouts/\(handout.json["id"]?.text ?? "")"
            let report = try await school.send(.get, "\(path)/report", token: madeUp.teacher)
            let students = report.json["tasks"]?.array?.first?["students"]?.array ?? []
            #expect(students.count == 3)
            #expect(students.compactMap { $0["attempts"] }.filter { $0 == 1 }.count == 1)

            #expect(try await school.post("/v1/development/reset", as: .ada).status == 204)
            for table in ["handout", "task", "activity", "activity_assignment", "activity_item"] {
                #expect(try madeUp.count(table) == 0, "\(table)")
            }
            #expect(try madeUp.count("seat") == 4)
            let gone = try await school.send(.get, "\(path)/report", token: madeUp.teacher)
            #expect(gone.status == 404, "the token lives on, the handout does not")
            #expect(try await madeUp.give(["check"]).status == 201)
            #expect(try await school.post("/v1/development/reset", as: .ada).status == 204)
            #expect(try await school.post("/v1/development/reset", as: .ada).status == 204)
            #expect(try school.fingerprint(of: school.hillside) == before)
        }
    }

    @Test func `a reset leaves no trace of who was given a handout`() async throws {
        try await withSchool { school in
            let team = Team()
            try await school.register(team)
            let madeUp = try await MadeUpSchool(school)
            _ = try await school.publish(
                [team.context([], "River Maths"), team.context(["check"], "Check")],
                token: team.token(), environment: "development")
            #expect(try await madeUp.give(["check"]).status == 201)
            try school.sql(
                """
                insert into school.handout_recipient (organization_id, handout_id, person_id, created_at)
                select h.organization_id, h.handout_id, s.person_id, now() - interval '1 hour'
                  from school.handout as h
                  join school.seat as s on s.class_id = h.class_id and s.role = 'student'
                """)
            try school.sql(
                """
                update school.handout set publish_at = now() - interval '1 hour',
                       created_at = now() - interval '1 hour'
                """)
            try school.sql(
                """
                delete from school.handout_recipient as r
                 using (select min(person_id::text)::uuid as first from school.handout_recipient) as p
                 where r.person_id = p.first
                """)
            #expect(try madeUp.count("former_recipient") == 1)
            #expect(try await school.post("/v1/development/reset", as: .ada).status == 204)
            for table in ["handout", "handout_recipient", "former_recipient", "deletion"] {
                #expect(try madeUp.count(table) == 0, "\(table)")
            }
        }
    }

    @Test func `everything appears in the audit trail of the organization`() async throws {
        try await withSchool { school in
            _ = try await MadeUpSchool(school)
            _ = try await school.post("/v1/development/reset", as: .ada)
            _ = try await school.delete("/v1/development", as: .ada)
            let events = try await school.get(
                "/v1/audit-events?kind=developmentChange", as: .ada)
            let changes = events.items.compactMap { $0["details"]?["change"]?.text }
            #expect(changes == ["turnedOff", "reset", "token", "token", "token", "turnedOn"])
            #expect(
                events.items.allSatisfy {
                    $0["personId"]?.text == Persona.ada.personID.uuid.description
                })
            #expect(events.items[2]["details"]?["app"]?.text == Team().bundleIDs[0])
        }
    }

    @Test func `environments are for administrators, and made-up people have none of their own`()
        async throws
    {
        try await withSchool { school in
            let madeUp = try await MadeUpSchool(school)
            let calls: [(HTTPMethod, String)] = [
                (.get, ""), (.put, ""), (.delete, ""), (.post, "/reset"), (.post, "/tokens"),
            ]
            for (method, rest) in calls {
                for persona in [Persona.tom, .sam, .petra, .samsApp, .exporter] {
                    let answer = try await school.send(
                        method, "/v1/development\(rest)", as: persona)
                    #expect(answer.status == 403, "\(persona) \(method) \(rest)")
                }
                for token in [madeUp.teacher, madeUp.student, madeUp.studentsApp] {
                    let answer = try await school.send(
                        method, "/v1/development\(rest)", token: token)
                    #expect(answer.status == 403, "\(method) \(rest)")
                }
                let stranger = try await school.send(method, "/v1/development\(rest)", as: nil)
                #expect(stranger.status == 401)
            }
            let inside = Caller(
                organizationID: madeUp.organizationID, personID: nil, standings: [.administrator])
            let refusal = #expect(throws: PostgresError.self) {
                try school.sql("select school.turn_on_development()", as: inside)
            }
            #expect(refusal?.sqlState == "42501")
        }
    }

    @Test func `a token belongs to the requested person and nobody else`() async throws {
        try await withSchool { school in
            let made = try await school.put("/v1/development", as: .ada)
            let last = try #require(made.json["people"]?.array?.last)
            let answer = try await school.post(
                "/v1/development/tokens", as: .ada,
                json: ["role": "student", "personId": last["id"] ?? nil])
            #expect(answer.json["person"] == last)
            let me = try await school.send(.get, "/v1/me", token: answer.json["accessToken"]?.text)
            #expect(me.json["environment"] == "development")
            #expect(me.json["standings"] == ["student"])
            #expect(me.json["person"]?["id"] == last["id"])
            #expect(answer.json["subject"] == nil, "without an app there is no pseudonym")
            let wrong: [JSONValue] = [
                ["role": "teacher", "personId": last["id"] ?? nil],
                ["role": "student", "personId": .text(Persona.sam.personID.uuid.description)],
            ]
            for wish in wrong {
                let refused = try await school.post("/v1/development/tokens", as: .ada, json: wish)
                #expect(refused.status == 422 && refused.pointers == ["/personId"])
            }
        }
    }

    @Test func `an app's token says by which pseudonym the app knows its person`() async throws {
        try await withSchool { school in
            _ = try await school.put("/v1/development", as: .ada)
            var subjects: [String] = []
            for bundle in ["org.example.one", "org.example.two", "org.example.one"] {
                let answer = try await school.post(
                    "/v1/development/tokens", as: .ada,
                    json: ["role": "student", "bundleId": .text(bundle)])
                let subject = try #require(answer.json["subject"]?.text)
                #expect(subject.utf8.count == 43)
                let token = try #require(answer.json["accessToken"]?.text)
                let known = try school.sql(
                    "select school.subject_of_token(sha256(\(Array(token.utf8)))) as subject")
                #expect(try known[0].text("subject") == subject, "the one that the app sees")
                subjects.append(subject)
            }
            #expect(subjects[0] == subjects[2] && subjects[0] != subjects[1])
        }
    }
}
