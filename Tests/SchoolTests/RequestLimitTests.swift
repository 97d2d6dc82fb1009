import Crypto
import HTTPWire
import Postgres
import School
import TestKit
import Testing

/// How much one token may ask for, on a clock that the test sets.
@Suite struct RequestLimits {
    private static let second: Int64 = 1_000_000_000

    @Test func `ten seconds' worth may come at once, and then one at a time`() throws {
        let limit = RequestLimit(requestsPerSecond: 5)
        let allowance = limit.allowance(of: SHA256.digest("token"), now: 0)
        for _ in 0..<50 { try limit.take(from: allowance, now: Self.second) }
        #expect(throws: Problem.self) { try limit.take(from: allowance, now: Self.second) }
        #expect(throws: Problem.self) {
            try limit.take(from: allowance, now: Self.second + 199_999_999)
        }
        try limit.take(from: allowance, now: Self.second + 200_000_000)
        #expect(throws: Problem.self) {
            try limit.take(from: allowance, now: Self.second + 200_000_000)
        }
    }

    @Test func `what was not used is saved up for ten seconds and no longer`() throws {
        let limit = RequestLimit(requestsPerSecond: 1)
        let allowance = limit.allowance(of: SHA256.digest("token"), now: 0)
        for pause in [Int64(0), 3600, 7200] {
            for _ in 0..<10 { try limit.take(from: allowance, now: pause * Self.second) }
            #expect(throws: Problem.self) {
                try limit.take(from: allowance, now: pause * Self.second)
            }
        }
    }

    @Test(arguments: [(1, "1"), (10, "1")])
    func `a refusal says in whole seconds when to come back`(
        perSecond: Int, seconds: String
    ) throws {
        let limit = RequestLimit(requestsPerSecond: perSecond)
        let allowance = limit.allowance(of: SHA256.digest("token"), now: 0)
        for _ in 0..<(10 * perSecond) { try limit.take(from: allowance, now: 5) }
        let refusal = try #require(
            throws: Problem.self
        ) { try limit.take(from: allowance, now: 5) }
        #expect(refusal.status == 429)
        #expect(refusal.code == "too_many_requests")
        #expect(refusal.headers.map(\.name) == ["Retry-After"])
        #expect(refusal.headers.map(\.value) == [seconds])
    }

    @Test func `each token has its own, which stays its own`() throws {
        let limit = RequestLimit(requestsPerSecond: 1)
        let first = limit.allowance(of: SHA256.digest("first"), now: 0)
        let second = limit.allowance(of: SHA256.digest("second"), now: 0)
        for _ in 0..<10 { try limit.take(from: first, now: 0) }
        try limit.take(from: second, now: 0)
        #expect(limit.allowance(of: SHA256.digest("first"), now: 0) === first)
        #expect(limit.allowance(ofKnown: SHA256.digest("second")) === second)
        #expect(limit.allowance(ofKnown: SHA256.digest("third")) == nil)
    }

    @Test func `what is remembered is bounded, and who is in debt is not forgotten`() throws {
        let limit = RequestLimit(requestsPerSecond: 1)
        let busy = limit.allowance(of: SHA256.digest("busy"), now: 0)
        for _ in 0..<10 { try limit.take(from: busy, now: 0) }
        for number in 0..<60_000 { _ = limit.allowance(of: SHA256.digest("\(number)"), now: 1) }
        #expect(limit.allowance(ofKnown: SHA256.digest("busy")) === busy)
        #expect(limit.allowance(ofKnown: SHA256.digest("0")) == nil)
    }

    @Test func `0 sets no limit`() throws {
        let limit = RequestLimit(requestsPerSecond: 0)
        let allowance = limit.allowance(of: SHA256.digest("token"), now: 0)
        for _ in 0..<100_000 { try limit.take(from: allowance, now: 0) }
    }

    @Test
    func `a token that asks too much is told to wait, others are not, and nothing is audited`()
        async throws
    {
        try await withSchool(requestsPerSecond: 1) { school in
            var answered = 0
            var answer = try await school.get("/v1/me", as: .ada)
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
}

/// Tokens that never were any, from one address.
@Suite struct UnknownTokens {
    @Test func `guessing tokens ends after a hundred, and whoever is known goes on`() async throws {
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
            #expect(try await school.get(from: "203.0.113.10", token: "guess") == 401)
            #expect(try await school.get(from: "127.0.0.1", token: "guess") == 401)
        }
    }

    @Test func `a class whose tokens have run out is not taken for guessing`() async throws {
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
