import AloneKit
import EventLoop
import Log
import Postgres
import Synchronization
import Testing
import WaitKit

/// The reason for a lost connection is what the server said, not what followed from it.
@Suite(.alone) struct Farewells {
    @Test(arguments: [true, false])
    func `the log has the server's own words`(isUnderWay: Bool) async throws {
        let lines = Mutex<[String]>([])
        let log = Log { line in
            lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        try await onLoop { loop in
            var settings = Pool.Settings(databaseURL)
            settings.sharedConnections = 1
            settings.sharedStatementTimeoutMilliseconds = 30_000
            let pool = Pool(settings, on: loop, log: log)
            pool.start()
            defer { pool.close() }
            let pid = try await pool.query("select pg_backend_pid() as v", as: nil)[0].int("v")
            let busy = Task(executorPreference: loop) {
                if isUnderWay { _ = try? await pool.query("select pg_sleep(20)", as: nil) }
            }
            if isUnderWay { try await eventually { try sleepers(pid) == 1 } }
            try BlockingConnection(databaseURL).query("select pg_terminate_backend(\(pid)::int)")
            try await eventually {
                lines.withLock { $0.contains { $0.contains("database connection lost") } }
            }
            await busy.value
        }
        let line = try #require(
            lines.withLock { $0.first { $0.contains("database connection lost") } })
        #expect(line.contains("terminating connection due to administrator command"))
    }
}
