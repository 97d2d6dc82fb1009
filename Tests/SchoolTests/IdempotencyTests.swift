import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// The same call with the same key, again.
@Suite struct Replays {
    @Test func `a repeated call has one effect and the same answer to the byte`() async throws {
        try await withSchool { school in
            let first = try await school.addLocation("North", key: "first")
            #expect(first.status == 201)
            #expect(first.header("idempotency-replayed") == nil)
            for _ in 0..<3 {
                let again = try await school.addLocation("North", key: "first")
                #expect(again.status == 201)
                #expect(again.body == first.body)
                for name in ["location", "etag", "content-type", "cache-control"] {
                    #expect(again.header(name) == first.header(name), "\(name)")
                }
                #expect(again.header("idempotency-replayed") == "true")
            }
            #expect(try school.locationCount("North") == 1)
            #expect(try school.keyCount() == 1)
        }
    }

    @Test func `many at once have one effect, and are told to wait or get its answer`()
        async throws
    {
        try await withSchool { school in
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<60 {
                    group.addTask { try await school.addLocation("North", key: "crowd") }
                }
                return try await group.reduce(into: [Answer]()) { $0.append($1) }
            }
            let made = answers.filter { $0.status == 201 }
            let refused = answers.filter { $0.status == 409 }
            #expect(made.count + refused.count == 60)
            #expect(made.count { $0.header("idempotency-replayed") == nil } == 1)
            #expect(Set(made.map(\.body)).count == 1)
            #expect(refused.allSatisfy { $0.code == "idempotency_key_in_use" })
            #expect(refused.allSatisfy { $0.header("retry-after") == "1" })
            #expect(try school.locationCount("North") == 1)

            let later = try await school.addLocation("North", key: "crowd")
            #expect(later.body == made.first?.body)
            #expect(later.header("idempotency-replayed") == "true")
        }
    }

    @Test func `the same key for another body, path or query is refused`() async throws {
        try await withSchool { school in
            #expect(try await school.addLocation("North", key: "k").status == 201)
            let body = try await school.addLocation("South", key: "k")
            #expect(body.status == 422)
            #expect(body.code == "idempotency_key_reused")
            #expect(try school.locationCount("South") == 0)

            let first = try school.newHandout(publishedAt: school.ago(10))
            let second = try school.newHandout(publishedAt: school.ago(10))
            let key = [("Idempotency-Key", "done")]
            func complete(_ handout: GivenHandout) async throws -> Int {
                try await school.post(
                    "/v1/handouts/\(handout.id.uuid)/completion", as: .tom, headers: key
                ).status
            }
            #expect(try await complete(first) == 200)
            #expect(try await complete(second) == 422)
            #expect(try await complete(first) == 200)
        }
    }

    @Test func `callers, calls and keys are apart`() async throws {
        try await withSchool { school in
            let ada = try await school.addLocation("North", key: "k")
            let petra = try await school.addLocation("North", key: "k", as: .petra)
            let script = try await school.addLocation("North", key: "k", as: .provisioner)
            let olga = try await school.addLocation("North", key: "k", as: .olga)
            let other = try await school.addLocation("North", key: "K")
            let answers = [ada, petra, script, olga, other]
            #expect(answers.allSatisfy { $0.status == 201 })
            #expect(Set(answers.map(\.body)).count == 5)
            #expect(answers.allSatisfy { $0.header("idempotency-replayed") == nil })
            let course = try await school.post(
                "/v1/courses", as: .ada,
                json: ["name": "North", "locationId": .text(school.mainLocation.uuid.description)],
                headers: [("Idempotency-Key", "k")])
            #expect(course.status == 201)
            #expect(try school.locationCount("North") == 5)
        }
    }

    @Test func `an app's key is its own, for one person in one environment`() async throws {
        try await withSchool { school in
            let token = "another-token-of-quizzler-on-the-device-of-sam"
            try school.sql(
                """
                insert into school.access_token (organization_id, digest, person_id, standing, app,
                                                 environment, expires_at)
                values (\(school.hillside), sha256(\(token)::bytea), \(school.id(.sam)), 'app',
                        \(school.quizzler), 'development', now() + interval '1 hour')
                """)
            let upload: JSONValue = ["activities": [school.attempt()]]
            func send(_ token: String) async throws -> Answer {
                try await school.send(
                    .post, "/v1/activities", token: token, body: upload.bytes,
                    headers: [("Idempotency-Key", "upload")])
            }
            for token in [Persona.samsApp.token, Persona.suesApp.token, token] {
                let first = try await send(token)
                #expect(first.status == 202)
                #expect(first.header("idempotency-replayed") == nil)
                let again = try await send(token)
                #expect(again.body == first.body)
                #expect(again.header("idempotency-replayed") == "true")
            }
            #expect(try school.sql("select from school.upload_receipt").count == 3)
        }
    }

    @Test func `without a key nothing is kept, and other methods take none`() async throws {
        try await withSchool { school in
            #expect(try await school.addLocation("North", key: nil).status == 201)
            #expect(try await school.addLocation("North", key: nil).status == 201)
            for name in ["South", "West"] {
                let put = try await school.put(
                    "/v1/locations/source:s", as: .ada, json: ["name": .text(name)],
                    headers: [("Idempotency-Key", "put")])
                #expect(put.header("idempotency-replayed") == nil)
                #expect(put.json["name"]?.text == name)
            }
            #expect(try school.keyCount() == 0)
        }
    }
}

/// Keys that cannot be used, calls that take none, and keys that are over.
@Suite struct KeyLimits {
    @Test(arguments: [
        [""], [String(repeating: "k", count: 256)], ["käse"], ["a\tb"], ["a", "b"],
    ])
    func `a key that cannot be one is refused`(keys: [String]) async throws {
        try await withSchool { school in
            let answer = try await school.post(
                "/v1/locations", as: .ada, json: ["name": "North"],
                headers: keys.map { ("Idempotency-Key", $0) })
            #expect(answer.status == 400)
            #expect(answer.code == "invalid_header")
            #expect(answer.json["detail"]?.text?.contains("Idempotency-Key") == true)
            #expect(try school.locationCount("North") == 0)
        }
    }

    @Test func `255 printable characters are a key`() async throws {
        try await withSchool { school in
            let key = "\"" + String(repeating: "~", count: 253) + "\""
            #expect(try await school.addLocation("North", key: key).status == 201)
            let again = try await school.addLocation("North", key: key)
            #expect(again.header("idempotency-replayed") == "true")
        }
    }

    @Test func `a call that signs out is not replayed to whoever signs in again`() async throws {
        try await withSchool { school in
            let key = [("Idempotency-Key", "bye")]
            let first = try await school.post("/v1/sign-out", as: .ada, headers: key)
            let again = try await school.post("/v1/sign-out", as: .ada, headers: key)
            #expect([first.status, again.status] == [204, 401])
            #expect(try school.keyCount() == 0)
        }
    }

    @Test func `what was refused is judged afresh, also with another body`() async throws {
        try await withSchool { school in
            let key = [("Idempotency-Key", "typo")]
            let wrong = try await school.post(
                "/v1/locations", as: .ada, json: ["nam": "North"], headers: key)
            #expect(wrong.status == 422)
            #expect(wrong.pointers.contains("/nam"))
            let broken = try await school.send(
                .post, "/v1/locations", as: .ada, body: Array("{".utf8), headers: key)
            #expect(broken.status == 400)
            #expect(try school.keyCount() == 0)
            #expect(try await school.addLocation("North", key: "typo").status == 201)
        }
    }

    @Test func `a key is forgotten after its day`() async throws {
        try await withSchool { school in
            let first = try await school.addLocation("North", key: "k")
            try school.sql(
                "update school.idempotency_key set expires_at = now() - interval '1 second'")
            let second = try await school.addLocation("South", key: "k")
            #expect(second.status == 201)
            #expect(second.header("idempotency-replayed") == nil)
            #expect(second.body != first.body)
            let again = try await school.addLocation("South", key: "k")
            #expect(again.body == second.body)
            let left = try school.sql(
                """
                select expires_at between now() + interval '23 hours' and now() + interval '1 day' as is_day
                  from school.idempotency_key
                """)
            #expect(try left.map { try $0.bool("is_day") } == [true])
        }
    }

    @Test func `an answer that was too long is not done again`() async throws {
        try await withSchool { school in
            let first = try await school.addLocation("North", key: "k")
            try school.sql("update school.idempotency_key set body = null")
            let again = try await school.addLocation("North", key: "k")
            #expect(again.status == 409)
            #expect(again.code == "answer_not_kept")
            #expect(again.header("location") == first.header("location"))
            #expect(try school.locationCount("North") == 1)
        }
    }
}

/// What the key promises where something goes wrong.
@Suite struct KeyFailures {
    @Test func `a failure in the middle leaves neither the effect nor the key`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                create function school.fail() returns trigger language plpgsql as
                $$ begin raise exception 'no room'; end $$
                """)
            try school.sql(
                """
                create trigger fail before insert on school.person_role
                    for each row execute function school.fail()
                """)
            let person: JSONValue = [
                "givenName": "Nina", "familyName": "Example",
                "roles": [
                    [
                        "role": "teacher",
                        "locationId": .text(school.mainLocation.uuid.description),
                    ]
                ],
            ]
            func add() async throws -> Answer {
                try await school.post(
                    "/v1/people", as: .ada, json: person, headers: [("Idempotency-Key", "nina")])
            }
            #expect(try await add().status == 500)
            let ninas: Statement = "select from school.person where given_name = 'Nina'"
            #expect(try school.sql(ninas).count == 0)
            #expect(try school.keyCount() == 0)

            try school.sql("drop trigger fail on school.person_role")
            let made = try await add()
            #expect(made.status == 201)
            #expect(try await add().body == made.body)
            #expect(try school.sql(ninas).count == 1)
        }
    }

    @Test func `a key that another process holds is in use until that is over`() async throws {
        try await withSchool { school in
            let holder = try BlockingConnection(school.ownerURL)
            try holder.execute("begin")
            try holder.query(
                """
                insert into school.idempotency_key (organization_id, caller, route, key, request_digest)
                values (\(school.hillside),
                        concat_ws('/', \(school.id(.ada)), 'administrator', 'production', '', ''),
                        'POST /v1/locations', 'k', sha256(''))
                """)
            let during = try await school.addLocation("North", key: "k")
            #expect(during.status == 409)
            #expect(during.code == "idempotency_key_in_use")
            #expect(during.header("retry-after") == "1")
            try holder.execute("rollback")
            #expect(try await school.addLocation("North", key: "k").status == 201)
            #expect(try school.locationCount("North") == 1)
        }
    }

    @Test func `nothing is replayed to whoever lost the right to ask`() async throws {
        try await withSchool { school in
            let first = try await school.addLocation("North", key: "k", as: .petra)
            #expect(first.status == 201)
            try school.sql(
                "delete from school.person_role where person_id = \(school.id(.petra))")
            #expect(try await school.addLocation("North", key: "k", as: .petra).status == 401)
            #expect(try await school.addLocation("North", key: "k").status == 201)
            try school.sql("update school.access_token set revoked_at = now()")
            #expect(try await school.addLocation("North", key: "k").status == 401)
        }
    }

    @Test func `a denial with a key is audited and keeps nothing`() async throws {
        try await withSchool { school in
            let denied = try await school.addLocation("North", key: "k", as: .tom)
            #expect(denied.status == 403)
            #expect(
                try school.sql("select from school.audit_event where kind = 'denial'").count == 1)
            #expect(try school.keyCount() == 0)
        }
    }
}

extension TestSchool {
    fileprivate func addLocation(
        _ name: String, key: String?, as persona: Persona = .ada
    ) async throws -> Answer {
        try await post(
            "/v1/locations", as: persona, json: ["name": .text(name)],
            headers: key.map { [("Idempotency-Key", $0)] } ?? [])
    }

    fileprivate func locationCount(_ name: String) throws -> Int {
        try sql("select from school.location where name = \(name)").count
    }

    fileprivate func keyCount() throws -> Int {
        try sql("select from school.idempotency_key").count
    }
}
