import AloneKit
import EventLoop
import FaultyWire
import Metrics
import Postgres
import Testing
import WaitKit

/// A request that waits for a session gets one in place of a connection that broke, or that could not be opened at
/// first.
@Suite struct Reopening {
    @Test(.alone) func `a connection lost during a wait is reopened`()
        async throws
    {
        try await withPool(change: { $0.exclusiveConnections = 1 }) { pool in
            var waiting: Task<PostgresError?, Never>?
            let lost = await failure {
                try await pool.withSession { session in
                    let pid = try await session.query("select pg_backend_pid() as v")[0].int("v")
                    waiting = Task(executorPreference: pool.loop) {
                        await failure {
                            _ = try await pool.withSession { try await $0.query("select 1") }
                        }
                    }
                    try await eventually { pool.measured.exclusive.queued.value == 1 }
                    try BlockingConnection(databaseURL).query(
                        "select pg_terminate_backend(\(pid)::int)")
                    try await session.query("select pg_sleep(1)")
                }
            }
            #expect(lost != nil)
            #expect(await waiting?.value == .some(nil))
        }
    }

    @Test func `a connection that fails at first is retried`() async throws {
        let complaint = ServerComplaint("FATAL", "57P03", "the database system is starting up")
        let proxy = try Proxy(
            to: serverFolder, fault: Proxy.Fault(.complain(complaint), .backend, after: 0))
        defer { proxy.stop() }
        let login = databaseURL + " host='\(proxy.host)' port=\(proxy.port)"
        try await withPool(
            login,
            change: {
                $0.sharedConnections = 0
                $0.exclusiveConnections = 1
                $0.queueMilliseconds = 5000
            }
        ) { pool in
            #expect(await failure { try await pool.withSession { _ in } } == nil)
        }
        #expect(proxy.connections.count == 2)
    }
}
