import EventLoop
import Metrics
import Postgres
import Synchronization
import Testing
import Values
import WaitKit

/// Tenants share a lane: none of them makes the others wait for all of its own requests.
@Suite struct FairLanes {
    private let loud = Party(tenant: UUID(high: 1, low: 1), subject: nil)
    private let quiet = Party(tenant: UUID(high: 1, low: 2), subject: nil)
    private let third = Party(tenant: UUID(high: 1, low: 3), subject: nil)

    /// The order in which the parties got their turn while one connection was lent to each in turn.
    private func order(of parties: [(String, Party?)]) async throws -> [String] {
        try await withPool(change: {
            $0.exclusiveConnections = 1
            $0.queueMilliseconds = 60_000
        }) { pool in
            let order = Noted()
            var waiting: [Task<PostgresError?, Never>] = []
            try await pool.withSession { session in
                _ = try await session.query("select 1")
                for (index, (name, party)) in parties.enumerated() {
                    waiting.append(
                        Task(executorPreference: pool.loop) {
                            await failure {
                                try await pool.withSession(for: party) { _ in order.note(name) }
                            }
                        })
                    try await eventually { pool.measured.exclusive.queued.value == index + 1 }
                }
            }
            for task in waiting { #expect(await task.value == nil) }
            return order.names
        }
    }

    @Test func `tenants take turns while waiting`() async throws {
        let names = try await order(of: [
            ("a", loud), ("b", loud), ("c", loud), ("d", quiet), ("e", nil), ("f", quiet),
        ])
        #expect(names == ["a", "d", "e", "b", "f", "c"])
    }

    @Test func `no tenant gets more than half of the sessions`() async throws {
        let (loud, quiet) = (loud, quiet)
        try await withPool(change: {
            $0.exclusiveConnections = 8
            $0.queueMilliseconds = 60_000
        }) { pool in
            let gates = Gates()
            func hold(_ party: Party, _ name: String) -> Task<PostgresError?, Never> {
                Task(executorPreference: pool.loop) {
                    await failure {
                        try await pool.withSession(for: party) { _ in await gates.pass(name) }
                    }
                }
            }
            func inside(_ name: String) -> [String] {
                gates.inside.filter { $0.hasPrefix(name) }.sorted()
            }
            let first = (0..<6).map { hold(loud, "loud \($0)") }
            try await eventually {
                inside("loud").count == 4 && pool.measured.exclusive.queued.value == 2
            }
            let others = (0..<2).map { hold(quiet, "quiet \($0)") }
            try await eventually { inside("quiet").count == 2 }
            // It has half: whoever leaves makes room for the same tenant.
            let left = inside("loud")[0]
            gates.open(left)
            try await eventually {
                inside("loud").count == 4 && !inside("loud").contains(left)
            }
            #expect(inside("quiet").count == 2 && pool.measured.exclusive.queued.value == 1)
            gates.openAll()
            for task in first + others { #expect(await task.value == nil) }
        }
    }

    /// Each statement waits for a lock of its own, and the locks are released one by one, in the order in which
    /// the statements reached the server: how fast a connection is changes nothing.
    @Test func `no tenant gets more than half of the short statements while others wait`()
        async throws
    {
        let (loud, quiet) = (loud, quiet)
        try await withPool(change: {
            $0.sharedConnections = 4
            $0.sharedDepth = 1
            $0.sharedStatementTimeoutMilliseconds = 60_000
            $0.queueMilliseconds = 60_000
        }) { pool in
            let locks = try Locks(count: 28)
            let order = Noted()
            func ask(_ party: Party, _ name: String, lock: Int32) -> Task<PostgresError?, Never> {
                Task(executorPreference: pool.loop) {
                    await failure {
                        _ = try await pool.query(locks.wait(for: lock), as: nil, for: party)
                        order.note(name)
                    }
                }
            }
            var asked = (0..<24).map { ask(loud, "loud \($0)", lock: $0) }
            try await eventually { pool.measured.shared.queued.value == 20 }
            asked += (0..<4).map { ask(quiet, "quiet \($0)", lock: 24 + $0) }
            try await eventually { pool.measured.shared.queued.value == 24 }
            var arrived: [Int32] = []
            for turn in 0..<28 {
                try await eventually {
                    try arrived += locks.waiting().filter { !arrived.contains($0) }
                    return arrived.count == min(28, turn + 4)
                }
                try locks.release(arrived[turn])
                try await eventually { order.names.count == turn + 1 }
            }
            for task in asked { #expect(await task.value == nil) }
            // Who came last is not served last: many of those who came before them still wait then.
            #expect(order.names.suffix(8).allSatisfy { $0.hasPrefix("loud") }, "\(order.names)")
        }
    }

    @Test func `two requests of a subject wait, and the next is asked to come back`() async throws {
        let sam = Party(tenant: loud.tenant, subject: UUID(high: 2, low: 1))
        let sue = Party(tenant: loud.tenant, subject: UUID(high: 2, low: 2))
        try await withPool(change: {
            $0.exclusiveConnections = 1
            $0.subjectQueueLimit = 2
            $0.queueMilliseconds = 60_000
        }) { pool in
            var waiting: [Task<PostgresError?, Never>] = []
            try await pool.withSession(for: sam) { session in
                _ = try await session.query("select 1")
                for party in [sam, sam, sue] {
                    waiting.append(
                        Task(executorPreference: pool.loop) {
                            await failure { try await pool.withSession(for: party) { _ in } }
                        })
                }
                try await eventually { pool.measured.exclusive.queued.value == 3 }
                let refused = await failure { try await pool.withSession(for: sam) { _ in } }
                #expect(refused == .busy(retryAfterSeconds: 1))
                #expect(await failure { try pool.checkQueue(for: sam) } == refused)
                #expect(await failure { try pool.checkQueue(for: sue) } == nil)
            }
            for task in waiting { #expect(await task.value == nil) }
        }
    }

    @Test func `a lone subject takes one connection, and the rest are for others`()
        async throws
    {
        let sam = Party(tenant: loud.tenant, subject: UUID(high: 2, low: 1))
        let sue = Party(tenant: loud.tenant, subject: UUID(high: 2, low: 2))
        let quiet = quiet
        try await withPool(change: {
            $0.exclusiveConnections = 3
            $0.queueMilliseconds = 60_000
        }) { pool in
            let gates = Gates()
            let tasks = (0..<3).map { number in
                Task(executorPreference: pool.loop) {
                    await failure {
                        try await pool.withSession(for: sam, alone: true) { _ in
                            await gates.pass("\(number)")
                        }
                    }
                }
            }
            try await eventually { gates.inside.count == 1 }
            for party in [sue, quiet] {
                #expect(await failure { try await pool.withSession(for: party) { _ in } } == nil)
            }
            #expect(gates.inside.count == 1)
            for number in 1...3 {
                gates.open(gates.inside.first ?? "")
                if number < 3 { try await eventually { gates.inside.count == 1 } }
            }
            for task in tasks { #expect(await task.value == nil) }
        }
    }

    @Test func `a full queue makes room for a tenant with little in it`() async throws {
        let (loud, quiet, third) = (loud, quiet, third)
        try await withPool(change: {
            $0.exclusiveConnections = 1
            $0.queueLimit = 4
            $0.queueMilliseconds = 60_000
        }) { pool in
            var waiting: [Task<PostgresError?, Never>] = []
            try await pool.withSession { session in
                _ = try await session.query("select 1")
                for (index, party) in [loud, loud, loud, loud, quiet, third, loud].enumerated() {
                    waiting.append(
                        Task(executorPreference: pool.loop) {
                            await failure { try await pool.withSession(for: party) { _ in } }
                        })
                    try await eventually {
                        let lane = pool.measured.exclusive
                        return lane.queued.value + lane.rejected.value == index + 1
                    }
                }
            }
            var outcomes: [Bool] = []
            for task in waiting { outcomes.append(await task.value == nil) }
            #expect(outcomes == [true, true, false, false, true, true, false])
        }
    }
}

/// Advisory locks that one session holds until it releases each.
private struct Locks {
    private let holder: BlockingConnection
    private let group = Int32.random(in: 1...Int32.max)

    init(count: Int32) throws {
        holder = try BlockingConnection(databaseURL)
        try holder.query(
            "select pg_advisory_lock(\(group), n) from generate_series(0, \(count - 1)) as n")
    }

    func wait(for lock: Int32) -> Statement {
        "select pg_advisory_xact_lock(\(group), \(lock))"
    }

    /// The locks that a statement waits for, the longest wait first.
    func waiting() throws -> [Int32] {
        try holder.query(
            """
            select objid::int as lock from pg_locks
             where locktype = 'advisory' and classid::int = \(group) and not granted
             order by waitstart
            """
        ).map { Int32(try $0.int("lock")) }
    }

    func release(_ lock: Int32) throws {
        try holder.query("select pg_advisory_unlock(\(group), \(lock))")
    }
}

/// Names in the order in which they were noted.
private final class Noted: Sendable {
    private let list = Mutex<[String]>([])
    var names: [String] { list.withLock { $0 } }
    func note(_ name: String) { list.withLock { $0.append(name) } }
}

/// Holds all who enter until the test opens it.
private final class Gates: Sendable {
    private struct State {
        var inside: Set<String> = []
        var isOpen = false
    }

    private let state = Mutex(State())
    var inside: Set<String> { state.withLock { $0.inside } }

    func pass(_ name: String) async {
        state.withLock { _ = $0.inside.insert(name) }
        while state.withLock({ $0.inside.contains(name) && !$0.isOpen }) {
            await pause(milliseconds: 1)
        }
    }

    func open(_ name: String) { state.withLock { _ = $0.inside.remove(name) } }
    func openAll() { state.withLock { $0.isOpen = true } }
}
