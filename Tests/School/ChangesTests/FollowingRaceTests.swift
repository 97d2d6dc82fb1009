import Crypto
import JSONBytes
import Postgres
import School
import Synchronization
import TestKit
import Testing
import Values
import WaitKit

import class Foundation.Thread

/// Many who write at once, and others who follow what they write.
@Suite struct FollowingManyWriters {
    private static let writers = 8
    private static let rounds = 30

    /// The locations that committed transactions made.
    private final class Ledger: Sendable {
        private struct State {
            var ids: [String] = []
            var failures: [String] = []
            var running = FollowingManyWriters.writers
        }

        private let made = Mutex(State())

        var ids: [String] { made.withLock { $0.ids } }
        var failures: [String] { made.withLock { $0.failures } }
        var isComplete: Bool { made.withLock { $0.running == 0 } }

        func add(_ ids: [String]) { made.withLock { $0.ids += ids } }

        func end(_ failure: (any Error)?) {
            made.withLock {
                $0.running -= 1
                if let failure { $0.failures.append(String(describing: failure)) }
            }
        }
    }

    /// Makes locations in transactions of one to three, of which some roll back, and some write in another school, too.
    /// They end in another order than they begin.
    private static func write(_ school: TestSchool, number: Int, _ ledger: Ledger) throws {
        let connection = try BlockingConnection(school.ownerURL)
        for round in 0..<rounds {
            try connection.execute("begin")
            var ids: [String] = []
            for _ in 0...((number + round) % 3) {
                let id = UUID.v7()
                try connection.query(
                    """
                    insert into school.location (organization_id, location_id, name)
                    values (\(school.hillside), \(id), 'Site')
                    """)
                ids.append(id.description)
            }
            if round % 4 == 1 {
                try connection.query(
                    """
                    insert into school.location (organization_id, location_id, name)
                    values (\(school.elsewhere), \(UUID.v7()), 'Site')
                    """)
            }
            letRun(for: .milliseconds((number * 5 + round * 3) % 7))
            let isKept = (number + round * 2) % 5 != 0
            try connection.execute(isKept ? "commit" : "rollback")
            if isKept { ledger.add(ids) }
        }
    }

    private func startWriting(_ school: TestSchool, _ ledger: Ledger) {
        for number in 0..<Self.writers {
            Thread.detachNewThread {
                let outcome = Result { try Self.write(school, number: number, ledger) }
                if case .failure(let error) = outcome { ledger.end(error) } else { ledger.end(nil) }
            }
        }
    }

    @Test func `nothing is missed and nothing comes twice`() async throws {
        let receiver = Receiver()
        try await withSchool(client: receiver) { school in
            _ = try await RegisteredWebhook(["location"], in: school)
            var follower = try await Follower(.ada, in: school)
            let ledger = Ledger()
            startWriting(school, ledger)
            var seen: [String] = []
            try await eventually {
                let wasComplete = ledger.isComplete
                let page = try await follower.read(limit: 7)
                seen += page.changes.map(\.id)
                try await school.storeUploads()
                return wasComplete && !page.hasMore
            }
            #expect(ledger.failures == [])
            #expect(ledger.ids.count > Self.writers * Self.rounds)
            #expect(Set(seen) == Set(ledger.ids), "nothing is missed")
            #expect(seen.count == ledger.ids.count, "nothing comes twice")
            func sent() -> [String] {
                receiver.calls.flatMap(\.changes).compactMap { $0["id"]?.text }
            }
            try await eventually {
                try await school.storeUploads()
                return sent().count >= seen.count
            }
            #expect(sent() == seen, "webhooks are sent the same, in the same order")
        }
    }
}
