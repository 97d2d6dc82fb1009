import Crypto
import HTTPWire
import JSONBytes
import Postgres
import TestKit
import Testing
import Values

@testable import School

/// How much one caller may request, on a clock that the test sets.
@Suite struct RequestLimits {
    private static let second: Int64 = 1_000_000_000

    private func allowance(
        _ limit: RequestLimit, _ person: Persona = .tom, _ token: String = "token", now: Int64 = 0
    ) -> Allowance {
        limit.allowance(
            of: .person(TestIDs.hillside, person.personID), holding: SHA256.digest(token), now: now)
    }

    @Test func `ten seconds' worth may come at once, and then one at a time`() throws {
        let allowance = allowance(RequestLimit(requestsPerSecond: 5))
        for _ in 0..<50 { try allowance.take(now: Self.second) }
        #expect(throws: Problem.self) { try allowance.take(now: Self.second) }
        #expect(throws: Problem.self) { try allowance.take(now: Self.second + 199_999_999) }
        try allowance.take(now: Self.second + 200_000_000)
        #expect(throws: Problem.self) { try allowance.take(now: Self.second + 200_000_000) }
    }

    @Test func `unused allowance is saved up for ten seconds and no longer`() throws {
        let allowance = allowance(RequestLimit(requestsPerSecond: 1))
        for pause in [Int64(0), 3600, 7200] {
            for _ in 0..<10 { try allowance.take(now: pause * Self.second) }
            #expect(throws: Problem.self) { try allowance.take(now: pause * Self.second) }
        }
    }

    @Test func `a request takes its cost, or nothing if less is left`() throws {
        let allowance = allowance(RequestLimit(requestsPerSecond: 5))
        try allowance.take(45, now: 0)
        let refusal = #expect(throws: Problem.self) { try allowance.take(6, now: 0) }
        #expect(refusal?.headers.first?.value == "1")
        try allowance.take(5, now: 0)
        #expect(throws: Problem.self) { try allowance.take(1, now: 0) }
        try allowance.take(0, now: 0)
    }

    @Test func `a request that costs more than can be saved up takes all of it`() throws {
        let allowance = allowance(RequestLimit(requestsPerSecond: 1))
        try allowance.take(1000, now: 0)
        #expect(throws: Problem.self) { try allowance.take(1000, now: 9 * Self.second) }
        try allowance.take(1000, now: 10 * Self.second)
    }

    @Test(arguments: [(1, "1", "10"), (10, "1", "100")])
    func `a refusal says in whole seconds when to come back, and what the limit is`(
        perSecond: Int, seconds: String, most: String
    ) throws {
        let allowance = allowance(RequestLimit(requestsPerSecond: perSecond))
        for _ in 0..<(10 * perSecond) { try allowance.take(now: 5) }
        let refusal = try #require(throws: Problem.self) { try allowance.take(now: 5) }
        #expect(refusal.status == 429)
        #expect(refusal.code == "too_many_requests")
        #expect(refusal.headers.map(\.name) == ["Retry-After", "RateLimit-Policy", "RateLimit"])
        #expect(
            refusal.headers.map(\.value)
                == [seconds, "\"cost\";q=\(most);w=10", "\"cost\";r=0;t=10"])
    }

    @Test func `what is left is reported in whole requests and seconds`() throws {
        let allowance = allowance(RequestLimit(requestsPerSecond: 4))
        #expect(allowance.fields(now: 0).last?.value == "\"cost\";r=40;t=0")
        try allowance.take(6, now: 0)
        #expect(allowance.fields(now: 0).last?.value == "\"cost\";r=34;t=2")
        #expect(allowance.fields(now: 125_000_000).last?.value == "\"cost\";r=34;t=2")
        #expect(allowance.fields(now: 2 * Self.second).last?.value == "\"cost\";r=40;t=0")
        #expect(self.allowance(RequestLimit(requestsPerSecond: 0)).fields(now: 0).isEmpty)
    }

    @Test func `all tokens of a person share one, and every person has their own`() throws {
        let limit = RequestLimit(requestsPerSecond: 1)
        let first = allowance(limit, .tom, "first")
        let second = allowance(limit, .tom, "second")
        let other = allowance(limit, .sam, "third")
        #expect(first === second)
        for _ in 0..<10 { try first.take(now: 0) }
        #expect(throws: Problem.self) { try second.take(now: 0) }
        try other.take(now: 0)
        #expect(limit.allowance(ofKnown: SHA256.digest("second")) === first)
        #expect(limit.allowance(ofKnown: SHA256.digest("third")) === other)
        #expect(limit.allowance(ofKnown: SHA256.digest("fourth")) == nil)
    }

    @Test func `a service account has one, and services without an account one per standing`()
        throws
    {
        func subject(_ standing: Standing, _ account: ServiceAccountID? = nil)
            -> RequestLimit.Subject
        {
            .init(
                Caller(
                    organizationID: TestIDs.hillside, personID: nil, serviceAccountID: account,
                    standings: [standing]))
        }
        let account = ServiceAccountID(.v7())
        #expect(subject(.provisioner) == subject(.provisioner))
        #expect(subject(.provisioner) != subject(.exporter))
        #expect(subject(.exporter, account) == subject(.exporter, account))
        #expect(subject(.exporter, account) != subject(.exporter, ServiceAccountID(.v7())))
        #expect(subject(.exporter, account) != subject(.exporter))
    }

    @Test func `memory is bounded, and callers in debt are not forgotten`() throws {
        let limit = RequestLimit(requestsPerSecond: 1)
        let busy = allowance(limit, .tom, "busy")
        for _ in 0..<10 { try busy.take(now: 0) }
        for number in 0..<60_000 {
            _ = limit.allowance(
                of: .person(TestIDs.hillside, PersonID(UUID(high: 1, low: UInt64(number)))),
                holding: SHA256.digest("\(number)"), now: 1)
        }
        #expect(limit.allowance(ofKnown: SHA256.digest("busy")) === busy)
        #expect(limit.allowance(ofKnown: SHA256.digest("0")) == nil)
        #expect(allowance(limit, .tom, "another", now: 1) === busy)
    }

    @Test func `0 sets no limit`() throws {
        let allowance = allowance(RequestLimit(requestsPerSecond: 0))
        for _ in 0..<100_000 { try allowance.take(1000, now: 0) }
    }

    @Test(arguments: [
        (#"{"activities": [], "sentAt": 7}"#, 0), (#"{"items": [1,2,3,4,5,6,7,8,9]}"#, 0),
        (#"{"items": [1,2,3,4,5], "more": [6,7,8,9,10]}"#, 1), ("[1,2,3,4,5,6,7,8,9,10]", 1),
        ("7", 0),
    ])
    func `ten items in the lists of a body cost as much as a request`(
        body: String, cost: Int
    ) throws {
        #expect(RequestCost.items(of: try JSONValue(parsing: Array(body.utf8))) == cost)
    }
}

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
