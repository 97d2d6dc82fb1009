import AloneKit
import EventLoop
import FaultyWire
import Postgres
import Synchronization
import Testing
import WaitKit

/// PostgreSQL is there, but refuses or makes no progress.
@Suite(.timeLimit(.minutes(15))) struct ServerTrouble {
    @Test func `a server without free connections is unavailable, and for that reason only`()
        async throws
    {
        let login = uniqueName("crowded")
        try BlockingConnection(databaseURL).execute(
            "create role \(identifier: login) login connection limit 1")
        let url = databaseURL + " user=\(login)"
        try await withPool(
            url,
            change: {
                $0.sharedConnections = 1
                $0.queueMilliseconds = 200
            }
        ) { pool in
            try await pool.waitUntilConnected(milliseconds: 5000)
            let error = await failure { try await pool.withSession { _ in } }
            guard case .unavailable(let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("too many connections"))
            expectOne(try await pool.query("select 1 as v", as: nil))
        }
    }

    @Test(arguments: [
        ServerComplaint("FATAL", "57P03", "the database system is starting up"),
        ServerComplaint("FATAL", "57P03", "the database system is in recovery mode"),
        ServerComplaint("FATAL", "53300", "sorry, too many clients already"),
        ServerComplaint("FATAL", "28000", "no pg_hba.conf entry"),
    ])
    func `a connection refused while connecting is tried again`(complaint: ServerComplaint)
        async throws
    {
        let fault = Proxy.Fault(.complain(complaint), .backend, after: 0)
        let errors = try await Scenario.query.run(fault).errors
        #expect(errors == [nil])
    }

    /// Not tested with a pipeline: what follows a panic is never run, but the server behind the proxy, which only
    /// claims one, runs it.
    @Test(arguments: [Scenario.query, .transaction, .copyInAlone])
    func `after a panic a commit may turn out to have succeeded`(scenario: Scenario) async throws {
        let panic = ServerComplaint("PANIC", "53100", "could not write: no space left on device")
        let faults = try await scenario.positions()[.backend].map { positions in
            positions.map { Proxy.Fault(.complain(panic), .backend, after: $0) }
        }
        let errors = try await scenario.run(all: faults ?? []).compactMap { $0 }
        #expect(errors.contains(.connectionLost(mayHaveCommitted: true)))
    }

    @Test(.alone) func `a session that the server ends for idling is lost, and nothing is done`()
        async throws
    {
        try await withPool(change: { $0.exclusiveConnections = 1 }) { pool in
            let error = await failure {
                try await pool.withSession { session in
                    try await session.transaction(as: nil) { session in
                        let pid = try await session.query("select pg_backend_pid() as v")[0]
                            .int("v")
                        try await session.query(
                            "set local idle_in_transaction_session_timeout = 20")
                        try await eventually {
                            try BlockingConnection(databaseURL).query(
                                "select from pg_stat_activity where pid = \(pid)"
                            ).isEmpty
                        }
                        try await session.query("select 1")
                    }
                }
            }
            #expect(error == .connectionLost(mayHaveCommitted: false))
            let rows = try await pool.withSession { try await $0.query("select 1") }
            #expect(rows.count == 1)
        }
    }

    @Test func `of two in a deadlock one gets the error, and both connections stay`()
        async throws
    {
        try await withPool(change: {
            $0.exclusiveConnections = 2
            $0.isShared = false
        }) { pool in
            let name = uniqueName("lock")
            try BlockingConnection(databaseURL).execute("create table \(identifier: name) (v int)")
            let arrived = Arrivals()
            let errors = await withTaskGroup(of: PostgresError?.self) { group in
                for side in [1, 2] {
                    group.addTask(executorPreference: pool.loop) {
                        await failure { try await block(pool, side, arrived) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors.count { $0?.sqlState == "40P01" } == 1)
            #expect(errors.count { $0 == nil } == 1)
            for _ in 0..<2 {
                let rows = try await pool.withSession { try await $0.query("select 1") }
                #expect(rows.count == 1)
            }
        }
    }

    /// Takes one lock, waits until the other side has the other, and then wants that, too.
    private func block(_ pool: Pool, _ side: Int, _ arrived: Arrivals) async throws {
        try await pool.withSession { session in
            try await session.transaction(as: nil) { session in
                try await session.query("set local deadlock_timeout = '10ms'")
                try await session.query("select pg_advisory_xact_lock(815, \(side)::int)")
                arrived.count.add(1, ordering: .relaxed)
                try await eventually { arrived.count.load(ordering: .relaxed) == 2 }
                try await session.query("select pg_advisory_xact_lock(815, 3 - \(side)::int)")
            }
        }
    }
}

/// How many have arrived so far.
private final class Arrivals: Sendable {
    let count = Atomic<Int>(0)
}

/// The server, or the path to it, has fallen silent.
@Suite(.timeLimit(.minutes(15))) struct Silence {
    @Test func `a cancellation that nobody answers loses the connection, not the task`()
        async throws
    {
        let proxy = try Proxy(to: serverFolder)
        defer { proxy.stop() }
        let url = proxy.connectionString(database: "postgres", user: "homeroom")
        try await withPool(url, change: { $0.exclusiveConnections = 1 }) { pool in
            let task = Task(executorPreference: pool.loop) {
                await failure {
                    _ = try await pool.withSession { try await $0.query("select pg_sleep(60)") }
                }
            }
            try await eventually { proxy.connections.contains { $0.hasSaid("pg_sleep") } }
            proxy.hold()
            task.cancel()
            let error = await task.value
            guard case .connectionLost? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            proxy.release()
            try await eventually {
                await failure {
                    _ = try await pool.withSession { try await $0.query("select 1") }
                } == nil
            }
        }
    }

    @Test func `the first request for a session waits for its connection`() async throws {
        let proxy = try Proxy(to: serverFolder)
        defer { proxy.stop() }
        let url = proxy.connectionString(database: "postgres", user: "homeroom")
        proxy.hold()
        try await withPool(url, change: { $0.connect(within: 60) }) { pool in
            let first = pool.failureOfAsking()
            try await eventually { proxy.connections.count == 3 }
            let second = await pool.failureOfAsking().value
            guard case .unavailable? = second else {
                Issue.record("\(String(describing: second)): nothing opens another one for it")
                return
            }
            proxy.release()
            let failure = await first.value
            #expect(failure == nil)
        }
    }

    @Test(.alone) func `nobody waits longer than connecting may take`() async throws {
        let proxy = try Proxy(to: serverFolder)
        defer { proxy.stop() }
        let url = proxy.connectionString(database: "postgres", user: "homeroom")
        proxy.hold()
        try await withPool(url, change: { $0.connect(within: 2) }) { pool in
            let failure = await pool.failureOfAsking().value
            guard case .unavailable? = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }
    }

    @Test(.alone) func `a request with a deadline of its own is answered in time`() async throws {
        let proxy = try Proxy(to: serverFolder)
        defer { proxy.stop() }
        let url = proxy.connectionString(database: "postgres", user: "homeroom")
        try await withPool(url) { pool in
            expectOne(try await pool.query("select 1 as v", withinMilliseconds: 5000))
            proxy.hold()
            let error = await failure {
                _ = try await pool.query("select 2 as v", withinMilliseconds: 50)
            }
            guard case .unavailable? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            proxy.release()
            expectOne(try await pool.query("select 3 as v", withinMilliseconds: 5000))
        }
    }

    @Test(.alone, arguments: [Proxy.Fault.Action.cut, .stall, .garble])
    func `a listener that loses its connection anywhere recovers`(
        action: Proxy.Fault.Action
    ) async throws {
        for position in [1, 16, 18, 20, 24, 30, 40] {
            let fault = Proxy.Fault(action, .backend, after: position)
            let proxy = try Proxy(to: serverFolder, fault: fault)
            defer { proxy.stop() }
            var settings = Pool.Settings(
                proxy.connectionString(database: "postgres", user: "homeroom"))
            settings.answerMilliseconds = 100
            try await listen(settings, proxy)
        }
    }

    private func listen(_ settings: Pool.Settings, _ proxy: Proxy) async throws {
        let channel: StaticString = "test_silence"
        try await onLoop { loop in
            let events = Mutex<[Listener.Event]>([])
            let listener = Listener(
                settings, channels: [channel],
                heartbeat: .init("select pg_notify('test_silence', 'beat')", everyMilliseconds: 2),
                on: loop
            ) { event in events.withLock { $0.append(event) } }
            listener.start()
            defer { listener.stop() }
            try await eventually { proxy.connections.count > 1 }
            let payload = uniqueName("news")
            let connection = try BlockingConnection(databaseURL)
            let news = Listener.Event.notification(channel: "test_silence", payload: payload)
            try await eventually {
                try connection.query("select pg_notify('test_silence', \(payload))")
                return events.withLock { $0.contains(news) }
            }
            let seen = events.withLock { $0 }
            #expect(seen.filter { $0 == .connected }.count <= 2)
            let lastLoss = seen.lastIndex(of: .disconnected) ?? -1
            #expect(lastLoss < (seen.lastIndex(of: .connected) ?? -1))
        }
    }
}

extension Pool.Settings {
    /// One exclusive connection, which nobody waits long for unless it is being opened.
    fileprivate mutating func connect(within seconds: Int) {
        exclusiveConnections = 1
        queueMilliseconds = 50
        connectionSeconds = seconds
    }
}

extension Pool {
    /// Asks in a session, in a task of its own.
    fileprivate func failureOfAsking() -> Task<PostgresError?, Never> {
        Task(executorPreference: loop) {
            await failure {
                _ = try await self.withSession { try await $0.query("select 1") }
            }
        }
    }
}
