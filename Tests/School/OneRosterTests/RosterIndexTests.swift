import AloneKit
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import WaitKit

@testable import OneRoster

/// Where the pages of large collections begin.
@Suite struct RosterIndexTests {
    @Test(arguments: ["users", "enrollments"])
    func `pages far behind the first begin where they should`(collection: String) async throws {
        try await withSchool { school in
            try school.addCrowd(1...1100)
            for round in 1...2 {
                // A filter that leaves nothing out, but has to be asked of each object.
                let ids = try await school.ids("\(collection)?limit=10000&filter=sourcedId!='no'")
                try #require(ids.count > 1100)
                for offset in [0, 499, 500, 501, 999, 1000, ids.count - 1, ids.count, 1_000_000] {
                    let page = try await school.roster("\(collection)?limit=3&offset=\(offset)")
                    let found = page.json.object?.members.first?.value.array?
                        .compactMap { $0["sourcedId"]?.text }
                    #expect(found == Array(ids.dropFirst(offset).prefix(3)))
                    #expect(page.header("X-Total-Count") == "\(ids.count)")
                }
                // All marks move, and the next page knows.
                try school.addCrowd(round * 10_000...round * 10_000 + 3)
                try school.sql(
                    "update school.person set deactivated_at = now() where source_id = 'crowd-00007'"
                )
            }
        }
    }

    @Test(arguments: [
        (0, "", 0), (499, "", 499), (500, "a", 0), (1234, "b", 234), (9000, "b", 8000),
    ])
    func `an offset is counted from the mark before it`(
        offset: Int, after: String, skip: Int
    ) {
        let start = RosterIndex(revision: "1", total: 1300, marks: ["a", "b"]).start(of: offset)
        #expect(start == (after, skip))
    }

    private let key = RosterIndexes.Key(organization: TestIDs.hillside, collection: "users")

    @Test func `an index is made once for all who wait for it`() async throws {
        let indexes = RosterIndexes()
        let (arrived, made) = (Turns(), Turns())
        let totals = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...100 {
                group.addTask {
                    arrived.next()
                    return try await indexes.index(for: key) {
                        let number = made.next()
                        try await eventually { arrived.count == 100 }
                        return RosterIndex(revision: "1", total: number, marks: [])
                    }.total
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(totals == Array(repeating: 1, count: 100))
        #expect(indexes.known(for: key)?.total == 1)
        #expect(indexes.made == 1)
    }

    @Test func `when making one fails, the next who waits makes it`() async throws {
        let indexes = RosterIndexes()
        let (arrived, turns) = (Turns(), Turns())
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 1...10 {
                group.addTask {
                    arrived.next()
                    let index = try? await indexes.index(for: key) {
                        let turn = turns.next()
                        try await eventually { arrived.count == 10 }
                        guard turn > 3 else { throw CancellationError() }
                        return RosterIndex(revision: "1", total: 0, marks: [])
                    }
                    return index != nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 } == 7 && outcomes.count { !$0 } == 3)
    }

    @Test func `an index that is stale is made again, once for all who found that`() async throws {
        let indexes = RosterIndexes()
        let stale = try await indexes.index(for: key) {
            RosterIndex(revision: "1", total: 1, marks: [])
        }
        let arrived = Turns()
        let totals = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...20 {
                group.addTask {
                    arrived.next()
                    return try await indexes.index(for: key, after: stale) {
                        try await eventually { arrived.count == 20 }
                        return RosterIndex(revision: "2", total: 2, marks: [])
                    }.total
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(totals == Array(repeating: 2, count: 20))
        #expect(indexes.made == 2)
        #expect(indexes.known(for: key)?.total == 2)
    }

    @Test(.alone) func `who waits too long for an index is told to come again`() async throws {
        let indexes = RosterIndexes(patience: .milliseconds(50))
        let ends = Turns()
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                try await indexes.index(for: key) {
                    while ends.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
                    return RosterIndex(revision: "1", total: 1, marks: [])
                }.total
            }
            try await eventually { try await isRefused(indexes) }
            ends.next()
            #expect(try await group.next() == 1)
        }
        #expect(indexes.known(for: key)?.total == 1)
    }

    /// Whether a request that needs the index is refused, because another one makes it.
    private func isRefused(_ indexes: RosterIndexes) async throws -> Bool {
        do {
            _ = try await indexes.index(for: key) { throw CancellationError() }
            return false
        } catch let refusal as StatusInfo {
            #expect(refusal.status == 503 && refusal.minor == .serverBusy)
            #expect(refusal.headers == [ResponseField("Retry-After", "5")])
            return true
        } catch is CancellationError {
            // It came before the one that makes it.
            return false
        }
    }
}
