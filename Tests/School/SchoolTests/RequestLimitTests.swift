import HTTPWire
import JSONBytes
import Postgres
import TestKit
import Testing

/// The limit at the service.
@Suite struct RequestLimitsAtTheService {
    @Test
    func `a caller who asks too much is asked to wait, others are not, and nothing is audited`()
        async throws
    {
        try await withSchool(requestsPerSecond: 1) { school in
            var answered = 0
            var answer = try await school.get("/v1/me", as: .ada)
            #expect(answer.header("ratelimit-policy") == "\"cost\";q=10;w=10")
            let left = ["\"cost\";r=9;t=1", "\"cost\";r=10;t=0"]
            #expect(left.contains(answer.header("ratelimit") ?? ""))
            while answer.status == 200, answered < 1000 {
                answered += 1
                answer = try await school.get("/v1/me", as: .ada)
            }
            #expect(answered >= 10)
            #expect(answer.status == 429)
            #expect(answer.code == "too_many_requests")
            #expect(answer.header("retry-after") == "1")
            #expect(try await school.get("/v1/me", as: .tom).status == 200)
            #expect(try await school.get("/healthz", as: .ada).status == 200)
            #expect(try school.sql("select from school.audit_event").count == 0)
        }
    }

    /// What an app may request.
    private static let own = "/v1/me/contexts?path=%5B%5D"

    @Test func `another token of the same person brings no further allowance`() async throws {
        try await withSchool(requestsPerSecond: 1) { school in
            for _ in 0..<30 { _ = try await school.get(Self.own, as: .samsApp) }
            var answered = 0
            while try await school.get("/v1/me", as: .sam).status == 200, answered < 10 {
                answered += 1
            }
            #expect(answered < 5, "a separate allowance would permit ten at once")
            #expect(try await school.get("/v1/me", as: .sue).status == 200)
        }
    }

    @Test func `an app does not learn what the person has left, only when it is used up`()
        async throws
    {
        try await withSchool(requestsPerSecond: 1) { school in
            var answer = try await school.get(Self.own, as: .samsApp)
            #expect(answer.status == 200)
            #expect(answer.header("ratelimit") == nil)
            #expect(answer.header("ratelimit-policy") == nil)
            for _ in 0..<1000 where answer.status == 200 {
                answer = try await school.get(Self.own, as: .samsApp)
            }
            #expect(answer.status == 429)
            #expect(answer.header("ratelimit") != nil)
        }
    }

    @Test func `a batch costs what is in it, and is refused before any of it is done`() async throws
    {
        try await withSchool(requestsPerSecond: 1) { school in
            func batch(_ count: Int, _ prefix: String) -> JSONValue {
                let items = (0..<count).map { number in
                    JSONValue.object(
                        JSONObject([
                            ("sourceId", .text("\(prefix)-\(number)")),
                            ("name", .text("\(prefix) \(number)")),
                        ]))
                }
                return ["items": .array(items)]
            }
            let first = try await school.post(
                "/v1/locations/batch", as: .ada, json: batch(80, "a"))
            #expect(first.status == 200)
            #expect(first.header("ratelimit")?.hasPrefix("\"cost\";r=") == true)
            let second = try await school.post(
                "/v1/locations/batch", as: .ada, json: batch(80, "b"))
            #expect(second.status == 429)
            let stored = try school.sql(
                "select left(source_id, 1) as kind from school.location where source_id ~ '^[ab]-'")
            #expect(try Set(stored.map { try $0.text("kind") }) == ["a"])
            #expect(try await school.get("/v1/locations", as: .petra).status == 200)
        }
    }
}

/// Strings that never were tokens, from one address.
@Suite struct UnknownTokens {
    @Test func `guessing tokens ends after a hundred, and known callers go on`() async throws {
        try await withSchool { school in
            let address = "203.0.113.9"
            #expect(try await school.get(from: address, token: Persona.ada.token) == 200)
            for guess in 0..<100 {
                #expect(try await school.get(from: address, token: "guess \(guess)") == 401)
            }
            var last = 401
            for guess in 100..<1000 where last == 401 {
                last = try await school.get(from: address, token: "guess \(guess)")
            }
            #expect(last == 429)
            #expect(try await school.get(from: address, token: Persona.ada.token) == 200)
            let fresh = try await school.get(from: address, token: Persona.tom.token)
            #expect(fresh == 200, "a token never seen before is still looked up")
            #expect(try await school.get(from: "203.0.113.10", token: "guess") == 401)
            #expect(try await school.get(from: "127.0.0.1", token: "guess") == 401)
        }
    }

    @Test func `a class whose tokens have expired is not mistaken for guessing`() async throws {
        try await withSchool { school in
            let address = "2001:db8::9"
            try school.sql("update school.access_token set expires_at = now() - interval '1 hour'")
            for _ in 0..<200 {
                let status = try await school.get(from: address, token: Persona.sam.token)
                #expect(status == 401)
            }
            #expect(try await school.get(from: address, token: "guess") == 401)
        }
    }
}

extension TestSchool {
    /// The status of `GET /v1/me` from an address.
    fileprivate func get(from address: String, token: String) async throws -> Int {
        try await send(.get, "/v1/me", token: token, from: address).status
    }
}
