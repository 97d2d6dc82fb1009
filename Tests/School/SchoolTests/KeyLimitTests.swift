import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Keys that cannot be used, calls that take none, and expired keys.
@Suite struct KeyLimits {
    @Test(arguments: [
        [""], [String(repeating: "k", count: 256)], ["käse"], ["a\tb"], ["a", "b"],
    ])
    func `an invalid key is refused`(keys: [String]) async throws {
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

    @Test func `a call that signs out is not replayed after signing in again`() async throws {
        try await withSchool { school in
            let key = [("Idempotency-Key", "bye")]
            let first = try await school.post("/v1/sign-out", as: .ada, headers: key)
            let again = try await school.post("/v1/sign-out", as: .ada, headers: key)
            #expect([first.status, again.status] == [204, 401])
            #expect(try school.keyCount() == 0)
        }
    }

    @Test func `a refused call is judged afresh, even with another body`() async throws {
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

    @Test func `a call whose answer was too long is not done again`() async throws {
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
