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

    @Test func `many concurrent calls have one effect, and wait or get its answer`()
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

    @Test func `callers, calls and keys are separate`() async throws {
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
                    headers: [("Idempotency-Key", "upload")], settling: false)
            }
            for token in [Persona.samsApp.token, Persona.suesApp.token, token] {
                let first = try await send(token)
                #expect(first.status == 202)
                #expect(first.header("idempotency-replayed") == nil)
                let again = try await send(token)
                #expect(again.body == first.body)
                #expect(again.header("idempotency-replayed") == "true")
            }
            #expect(try school.sql("select from school.upload").count == 3)
        }
    }

    @Test func `an answer is repeated only to those who could still see it`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(publishedAt: school.ago(10))
            func complete() async throws -> Answer {
                try await school.post(
                    "/v1/handouts/\(handout.id.uuid)/completion", as: .tom,
                    headers: [("Idempotency-Key", "done")])
            }
            #expect(try await complete().status == 200)
            #expect(try await complete().header("idempotency-replayed") == "true")
            let upload: JSONValue = ["activities": [school.attempt()]]
            func send() async throws -> Answer {
                try await school.post(
                    "/v1/activities", as: .tomsApp, json: upload,
                    headers: [("Idempotency-Key", "upload")])
            }
            let sent = try await send()
            try school.sql(
                "update school.seat set left_at = school.moment() where person_id = \(school.id(.tom))"
            )
            let withheld = try await complete()
            #expect(withheld.status == 409)
            #expect(withheld.code == "answer_withheld")
            #expect(!withheld.text.contains(handout.id.uuid.description))
            let again = try await send()
            #expect(again.body == sent.body, "an app does not learn that the person left")
            #expect(again.header("idempotency-replayed") == "true")
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
