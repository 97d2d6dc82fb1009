import AloneKit
import EventLoop
import Metrics
import Postgres
import Testing
import WaitKit

@Suite struct PoolMeterTests {
    @Test func `a lane reports refusals, waiting times and running statements`() async throws {
        try await withPool(
            time: .manual(),
            change: {
                $0.sharedConnections = 1
                $0.sharedDepth = 1
                $0.sharedQueueLimit = 2
                $0.sharedStatementTimeoutMilliseconds = 60_000
                $0.exclusiveConnections = 1
            }
        ) { pool in
            try await fill(pool)
            pool.measure()
            #expect(pool.meters.shared.busy.value == 0)
            #expect(pool.meters.shared.queued.value == 0)
            #expect(pool.meters.shared.rejected.value == 7)
            #expect(pool.meters.shared.late.value == 0)
            #expect(pool.meters.shared.waits.tally.count == 2)
            #expect(pool.meters.shared.waits.tally.sumNanoseconds == 600_000_000)
            #expect(pool.meters.exclusive.connections.value == 0)
            try await pool.withSession { _ in
                pool.measure()
                #expect(pool.meters.exclusive.connections.value == 1)
                #expect(pool.meters.exclusive.busy.value == 1)
            }
            pool.measure()
            #expect(pool.meters.exclusive.busy.value == 0)
            #expect(pool.meters.exclusive.waits.tally.count == 1, "for the first connection")
        }
    }

    /// Asks ten times for what takes 300 milliseconds, where one runs and two wait.
    private func fill(_ pool: Pool) async throws {
        try await eventually { pool.isConnected }
        let lock = try HeldLock()
        let wait = lock.wait
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask(executorPreference: pool.loop) {
                    _ = await failure { _ = try await pool.query(wait, as: nil) }
                }
            }
            try await eventually { pool.meters.shared.rejected.value >= 7 }
            pool.measure()
            #expect(pool.meters.shared.connections.value == 1)
            #expect(pool.meters.shared.busy.value == 1)
            #expect(pool.meters.shared.queued.value == 2)
            await pool.loop.advance(milliseconds: 300)
            try lock.release()
            try await group.waitForAll()
        }
    }

    @Test func `refusals are counted by SQLSTATE, and so are lost connections`() async throws {
        try await withPool { pool in
            for _ in 0..<3 {
                _ = await failure { _ = try await pool.query("select 1 / 0", as: nil) }
            }
            _ = await failure {
                try await pool.withSession { session in _ = try await session.query("select x") }
            }
            _ = await failure {
                _ = try await pool.query(
                    "select pg_terminate_backend(pg_backend_pid())", as: nil)
            }
            let counted = Dictionary(
                uniqueKeysWithValues: pool.meters.errors.values.map { ($0.code, $0.count) })
            #expect(counted == ["22012": 3, "42703": 1, "57P01": 1])
            #expect(pool.meters.connectionsLost.value == 1)
            try await pool.waitUntilConnected(milliseconds: 5000)
            try await eventually { pool.meters.connectionsOpened.value >= 4 }
            #expect(pool.meters.connectionsFailed.value == 0)
        }
    }

    @Test func `failed attempts are counted`() async throws {
        try await withPool("host=/nonexistent dbname=x", change: { $0.queueMilliseconds = 50 }) {
            pool in
            _ = await failure { _ = try await pool.query("select 1", as: nil) }
            #expect(pool.meters.connectionsFailed.value >= 1)
            #expect(pool.meters.shared.late.value == 1)
            #expect(pool.meters.connectionsOpened.value == 0)
        }
    }
}
