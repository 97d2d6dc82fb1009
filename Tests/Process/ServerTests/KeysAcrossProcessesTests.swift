import JSONBytes
import Postgres
import Synchronization
import TestKit
import Testing
import WaitKit

@testable import ServerKit

/// Calls with idempotency keys from many connections, and from clients who leave.
@Suite struct KeysAcrossProcesses {
    @Test func `a hundred connections with one key have one effect and one answer`() async throws {
        try await withSchool { school in
            let server = try await ServerProcess(school.homeroom.unlimited)
            defer { server.stop() }
            _ = try await server.repeated("Round 0")
            let answers = await withTaskGroup(of: Answer?.self) { group in
                for _ in 0..<100 { group.addTask { await server.admitted("Round 1") } }
                return await group.reduce(into: [Answer]()) { all, answer in
                    if let answer { all.append(answer) }
                }
            }
            #expect(answers.count == 100)
            let made = answers.filter { $0.status == 201 }
            #expect(made.count { $0.header("idempotency-replayed") == nil } == 1)
            #expect(Set(made.map(\.body)).count == 1)
            let others = answers.filter { $0.status != 201 }
            #expect(others.allSatisfy { $0.code == "idempotency_key_in_use" })
            for _ in 0..<3 {
                let again = try await server.repeated("Round 1")
                #expect(again.body == made.first?.body)
                #expect(again.header("idempotency-replayed") == "true")
            }
            #expect(try school.namesAndCounts() == ["Round 0": 1, "Round 1": 1])
        }
    }

    @Test func `a client that leaves at any moment finds one effect when it repeats the call`()
        async throws
    {
        try await withSchool { school in
            let server = try await ServerProcess(school.homeroom.unlimited)
            defer { server.stop() }
            let names = (1...40).map { "Round \($0)" }
            for (number, name) in names.enumerated() {
                _ = await server.addLocation(name, leavingAfter: UInt32(number * 250))
            }
            for name in names {
                let answer = try await server.repeated(name)
                #expect(answer.status == 201)
            }
            #expect(try school.namesAndCounts() == Dictionary(names.map { ($0, 1) }) { $1 })
        }
    }
}

extension ServerProcess {
    /// Adds a location under a key that is its name.
    fileprivate func addLocation(_ name: String, leavingAfter: UInt32? = nil) async -> Answer? {
        let body: JSONValue = ["name": .text(name)]
        return await call(
            "POST", "/v1/locations", token: Persona.ada.token, key: name, body: body.bytes,
            leavingAfter: leavingAfter)
    }

    /// Makes the call as soon as the queue for the database has a free slot.
    fileprivate func admitted(_ name: String) async -> Answer? {
        var answer = await addLocation(name)
        while answer?.status == 503 { answer = await addLocation(name) }
        return answer
    }

    /// Repeats the call until no other one with the key is in progress.
    fileprivate func repeated(_ name: String) async throws -> Answer {
        try await awaited(until: { $0.code != "idempotency_key_in_use" }) {
            try #require(await addLocation(name))
        }
    }
}

extension Homeroom {
    /// Lets a token ask as often as it likes.
    var unlimited: Homeroom { with("HOMEROOM_RATE_LIMIT", "0") }
}

extension TestSchool {
    /// How many locations there are of each name that a round created.
    fileprivate func namesAndCounts() throws -> [String: Int] {
        let rows = try sql(
            """
            select name, count(*) as count from school.location where name like 'Round %' group by name
            """)
        return try Dictionary(
            rows.map { (try $0.text("name"), try $0.int("count")) }, uniquingKeysWith: +)
    }
}
