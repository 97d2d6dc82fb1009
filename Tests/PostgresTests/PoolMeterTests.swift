import AloneKit
import EventLoop
import Metrics
import Postgres
import Testing
import WaitKit

@Suite struct PoolMeterTests {
    @Test(.alone) func `a lane reports refusals, waiting times and running statements`()
        async throws
    {
        try await withPool(change: {
            $0.sharedConnections = 1
            $0.sharedDepth = 1
            $0.sharedQueueLimit = 2
            $0.exclusiveConnections = 1
        }) { pool in
            try await pool.waitUntilConnected(milliseconds: 5000)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask(executorPreference: pool.loop) {
                        _ = await failure {
                            _ = try await pool.query("select pg_sleep(0.2)", as: nil)
                        }
                    }
                }
                try? await eventually { pool.meters.shared.rejected.value >= 7 }
                pool.measure()
                #expect(pool.meters.shared.connections.value == 1)
                #expect(pool.meters.shared.busy.value == 1)
                #expect(pool.meters.shared.queued.value == 2)
            }
            pool.measure()
            #expect(pool.meters.shared.busy.value == 0)
            #expect(pool.meters.shared.queued.value == 0)
            #expect(pool.meters.shared.rejected.value == 7)
            #expect(pool.meters.shared.late.value == 0)
            #expect(pool.meters.shared.waits.tally.count == 2)
            #expect(pool.meters.shared.waits.tally.sumNanoseconds > 300_000_000)
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
