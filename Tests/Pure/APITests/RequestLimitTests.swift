import Crypto
import HTTPWire
import JSONBytes
import Testing

@testable import API

/// How much one subject may ask for, on a clock that the test sets.
@Suite struct RequestLimits {
    private static let second: Int64 = 1_000_000_000

    private func allowance(
        _ limit: RequestLimit<String>, _ subject: String = "Tom", _ token: String = "token",
        now: Int64 = 0
    ) -> Allowance {
        limit.allowance(of: subject, holding: SHA256.digest(token), now: now)
    }

    @Test func `ten seconds' worth may come at once, and then one at a time`() throws {
        let allowance = allowance(RequestLimit(requestsPerSecond: 5))
        for _ in 0..<50 { try allowance.take(now: Self.second) }
        #expect(throws: Problem.self) { try allowance.take(now: Self.second) }
        #expect(throws: Problem.self) { try allowance.take(now: Self.second + 199_999_999) }
        try allowance.take(now: Self.second + 200_000_000)
        #expect(throws: Problem.self) { try allowance.take(now: Self.second + 200_000_000) }
    }

    @Test func `what was not used is saved up for ten seconds and no longer`() throws {
        let allowance = allowance(RequestLimit(requestsPerSecond: 1))
        for pause in [Int64(0), 3600, 7200] {
            for _ in 0..<10 { try allowance.take(now: pause * Self.second) }
            #expect(throws: Problem.self) { try allowance.take(now: pause * Self.second) }
        }
    }

    @Test func `a request takes its cost, or nothing where less is left`() throws {
        let allowance = allowance(RequestLimit(requestsPerSecond: 5))
        try allowance.take(45, now: 0)
        let refusal = #expect(throws: Problem.self) { try allowance.take(6, now: 0) }
        #expect(refusal?.headers.first?.value == "1")
        try allowance.take(5, now: 0)
        #expect(throws: Problem.self) { try allowance.take(1, now: 0) }
        try allowance.take(0, now: 0)
    }

    @Test func `what costs more than can be saved up takes all of that`() throws {
        let allowance = allowance(RequestLimit(requestsPerSecond: 1))
        try allowance.take(1000, now: 0)
        #expect(throws: Problem.self) { try allowance.take(1000, now: 9 * Self.second) }
        try allowance.take(1000, now: 10 * Self.second)
    }

    @Test(arguments: [(1, "1", "10"), (10, "1", "100")])
    func `a refusal says in whole seconds when to come back, and what there is in all`(
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

    @Test func `all tokens of a subject have one, and every subject an own one`() throws {
        let limit = RequestLimit<String>(requestsPerSecond: 1)
        let first = allowance(limit, "Tom", "first")
        let second = allowance(limit, "Tom", "second")
        let other = allowance(limit, "Sam", "third")
        #expect(first === second)
        for _ in 0..<10 { try first.take(now: 0) }
        #expect(throws: Problem.self) { try second.take(now: 0) }
        try other.take(now: 0)
        #expect(limit.allowance(ofKnown: SHA256.digest("second")) === first)
        #expect(limit.allowance(ofKnown: SHA256.digest("third")) === other)
        #expect(limit.allowance(ofKnown: SHA256.digest("fourth")) == nil)
    }

    @Test func `what is remembered is bounded, and who is in debt is not forgotten`() throws {
        let limit = RequestLimit<String>(requestsPerSecond: 1)
        let busy = allowance(limit, "Tom", "busy")
        for _ in 0..<10 { try busy.take(now: 0) }
        for number in 0..<60_000 {
            _ = limit.allowance(
                of: "\(number)", holding: SHA256.digest("\(number)"), now: 1)
        }
        #expect(limit.allowance(ofKnown: SHA256.digest("busy")) === busy)
        #expect(limit.allowance(ofKnown: SHA256.digest("0")) == nil)
        #expect(allowance(limit, "Tom", "another", now: 1) === busy)
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
