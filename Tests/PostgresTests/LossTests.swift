import AloneKit
import Cluster
import EventLoop
import Foundation
import Log
import Metrics
import Postgres
import Synchronization
import Testing
import WaitKit

@Suite struct Loss {
    @Test func `a backend that dies fails what is running on it, and the lane recovers`()
        async throws
    {
        try await withPool(change: { $0.sharedConnections = 1 }) { pool in
            let pid = try await pool.query("select pg_backend_pid() as v", as: nil)[0].int("v")
            let tasks = (0..<4).map { _ in
                Task(executorPreference: pool.loop) {
                    await failure { _ = try await pool.query("select pg_sleep(30)", as: nil) }
                }
            }
            try await eventually { try sleepers(pid) == 1 }
            try BlockingConnection(databaseURL).query("select pg_terminate_backend(\(pid)::int)")
            for task in tasks {
                let error = await task.value
                guard case .connectionLost? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
            let next = try await pool.query("select pg_backend_pid() as v", as: nil)[0].int("v")
            #expect(next != pid)
        }
    }

    @Test func `a session whose backend dies says so, and whether it may have committed`()
        async throws
    {
        try await withPool(change: { $0.exclusiveConnections = 1 }) { pool in
            let error = await failure {
                try await pool.withSession { session in
                    try await session.transaction(as: nil) { session in
                        let pid = try await session.query("select pg_backend_pid() as v")[0]
                            .int("v")
                        try BlockingConnection(databaseURL).query(
                            "select pg_terminate_backend(\(pid)::int)")
                        try await session.query("select 1")
                    }
                }
            }
            #expect(error == .connectionLost(mayHaveCommitted: false))
            let atCommit = await failure {
                try await pool.withSession { session in
                    try await session.transaction(as: nil) { session in
                        let pid = try await session.query("select pg_backend_pid() as v")[0]
                            .int("v")
                        try BlockingConnection(databaseURL).query(
                            "select pg_terminate_backend(\(pid)::int)")
                    }
                }
            }
            guard case .connectionLost? = atCommit else {
                Issue.record("\(String(describing: atCommit))")
                return
            }
            let rows = try await pool.withSession { try await $0.query("select 1 as v") }
            #expect(rows.count == 1)
        }
    }

    @Test func `a COPY whose backend dies says so`() async throws {
        try await withPool(change: { $0.exclusiveConnections = 1 }) { pool in
            let error = await failure {
                try await pool.withSession { session in
                    let pid = try await session.query("select pg_backend_pid() as v")[0].int("v")
                    let copy = try await session.copyOut(
                        "copy (select repeat('x', 1000) from generate_series(1, 1000000)) to stdout"
                    )
                    _ = try await copy.next()
                    try BlockingConnection(databaseURL).query(
                        "select pg_terminate_backend(\(pid)::int)")
                    while try await copy.next() != nil {}
                }
            }
            #expect(error == .connectionLost(mayHaveCommitted: false))
            let rows = try await pool.withSession { try await $0.query("select 1 as v") }
            #expect(rows.count == 1)
        }
    }

    @Test(.alone) func `a server that crashes and returns is used again by everyone`() async throws
    {
        let own = try ThrowawayCluster(log: Log(minimum: .error))
        defer { own.discard() }
        let url = own.cluster.connectionString(database: "postgres", user: Cluster.superuser)
        try await withPool(url) { pool in
            let events = Mutex<[Listener.Event]>([])
            let listener = Listener(
                Pool.Settings(url), channels: ["test_crash"], on: pool.loop
            ) { event in events.withLock { $0.append(event) } }
            listener.start()
            defer { listener.stop() }
            try await pool.waitUntilConnected(milliseconds: 10_000)
            try await pool.withSession { session in
                let rows = try await session.query("select 1 as v")
                #expect(rows.count == 1)
            }
            try await eventually { events.withLock { $0 } == [.connected] }
            let text = try String(
                contentsOfFile: own.cluster.folder + "/postgresql/postmaster.pid", encoding: .utf8)
            let pid = try #require(Int32(text.split(separator: "\n")[0]))
            let helper = BlockingThreads(count: 1, queueLimit: 1)
            async let interrupted = failure {
                _ = try await pool.query("select pg_sleep(30)", as: nil)
            }
            try await eventually { pool.measured.shared.busy.value == 1 }
            kill(pid, SIGQUIT)
            let lost = await interrupted
            guard case .connectionLost? = lost else {
                Issue.record("\(String(describing: lost))")
                return
            }
            try await eventually {
                _ = try await helper.run { try own.cluster.ensureRunning() }
                return await failure { _ = try await pool.query("select 1", as: nil) } == nil
            }
            try await eventually {
                await failure {
                    try await pool.withSession { _ = try await $0.query("select 1") }
                } == nil
            }
            try await eventually {
                events.withLock { $0 } == [.connected, .disconnected, .connected]
            }
        }
    }
}
