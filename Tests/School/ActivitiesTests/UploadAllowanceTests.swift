import API
import AloneKit
import EventLoop
import HTTPWire
import JSONBytes
import School
import TestKit
import Testing

@testable import Activities

/// How much one person may leave in the inbox.
@Suite("the allowance of uploads")
struct UploadAllowanceTests {
    @Test(.alone) func `beyond it the answer is 429, assigned or not, and others go on`()
        async throws
    {
        let titles = (0..<2).map { _ in String(repeating: "x", count: 250) }
        try await withSchool { school in
            _ = try school.newHandout(to: [.sam])
            let items: [JSONValue] = (0..<1000).map { number in
                [
                    "kind": "quantity", "identifier": .text("\(number) \(titles[0])"),
                    "title": .text(titles[1]), "quantity": 1,
                ]
            }
            // Created once: a slow test would get back what it has used.
            let large = (["activities": [school.attempt(additional: items)]] as JSONValue).bytes
            for app in [Persona.samsApp, .suesApp] {
                func leave(_ body: [UInt8]) async throws -> Answer {
                    try await school.send(
                        .post, "/v1/activities", token: app.token, body: body, settling: false)
                }
                let began = ContinuousClock.now
                var taken = 0
                var answer = try await leave(large)
                while answer.status == 202, taken < 200 {
                    taken += 1
                    answer = try await leave(large)
                }
                #expect(answer.status == 429)
                #expect(answer.json["code"] == "upload_allowance_used")
                #expect((answer.header("retry-after").flatMap { Int($0) } ?? 0) > 0)
                // 32 MiB at once and one more each second, for uploads of half a megabyte.
                let mebibytes = 32 + (ContinuousClock.now - began) / .seconds(1)
                let cost = Double(large.count) / 1_048_576
                #expect(Double(taken) * cost > 24 && Double(taken) * cost < mebibytes)
            }
            #expect(try await school.leave([school.attempt()], as: .tomsApp).status == 202)
        }
    }

    @Test func `the smallest upload counts as 8 KiB, and one mebibyte comes back each second`()
        throws
    {
        let allowances = UploadAllowances()
        let caller = Caller(
            organizationID: TestIDs.hillside, personID: Persona.sam.personID, standings: [.app])
        for _ in 0..<4096 { try allowances.take(0, of: caller, now: 0) }
        for now in [0, 7_812_499] as [Int64] {
            let refusal = #expect(throws: Problem.self) {
                try allowances.take(0, of: caller, now: now)
            }
            #expect(refusal?.code == "upload_allowance_used")
        }
        try allowances.take(0, of: caller, now: 7_812_500)
    }

    @Test func `statements leave 10,000 receipts at once, and as many again in a day`() throws {
        let allowances = UploadAllowances()
        let caller = Caller(
            organizationID: TestIDs.hillside, personID: Persona.sam.personID, standings: [.app])
        for _ in 0..<10 { try allowances.take(0, receipts: 1000, of: caller, now: 0) }
        let second: Int64 = 1_000_000_000
        for now in [0, 8_639_999_999] as [Int64] {
            let refusal = #expect(throws: Problem.self) {
                try allowances.take(0, receipts: 1, of: caller, now: now)
            }
            #expect(refusal?.code == "upload_allowance_used")
            let wait = refusal?.headers.first { $0.name == "Retry-After" }?.value
            #expect(wait == (now == 0 ? "9" : "1"))
        }
        try allowances.take(0, of: caller, now: 0)
        try allowances.take(0, receipts: 1, of: caller, now: 8_640_000_000)
        try allowances.take(0, receipts: 9999, of: caller, now: 86_400 * second)
        #expect(throws: Problem.self) {
            try allowances.take(0, receipts: 1, of: caller, now: 86_400 * second)
        }
    }

    @Test func `beyond a day's receipts statements get 429, assigned or not`() async throws {
        try await withSchool { school in
            _ = try school.newHandout(to: [.sam])
            let xapi = try #require(school.features.compactMap { $0 as? XAPI }.first)
            for app in [Persona.samsApp, .suesApp] {
                #expect(try await school.state([school.statement(by: app)], as: app).status == 200)
                // So many that none come back while a slow test runs.
                let statements = try (0..<100).map { _ in try school.statement(by: app) }
                try xapi.inbox.allowances.take(
                    0, receipts: 9999, of: school.caller(app), now: Loop().now)
                let refused = try await school.state(.array(statements), as: app)
                #expect(refused.status == 429 && refused.json["code"] == "upload_allowance_used")
                #expect((refused.header("retry-after").flatMap { Int($0) } ?? 0) > 0)
            }
            #expect(try school.receiptCount() == 2)
        }
    }
}
