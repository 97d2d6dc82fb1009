import AloneKit
import Cluster
import EventLoop
import FaultyWire
import Log
import Metrics
import Postgres
import Testing
import WaitKit

@Suite(.alone) struct Replicas {
    private static let whereItRuns: Statement = "select pg_is_in_recovery() as v"

    @Test func `short and long reads and transactions run on the replica`() async throws {
        try await withReplica { tested in
            #expect(try await tested.ask(Self.whereItRuns)?[0].bool("v") == true)
            let identity = ReplicaUnderTest.identity
            let long = try await tested.replica.longQuery(
                Self.whereItRuns, as: identity, for: nil)
            #expect(try long?[0].bool("v") == true)
            let both = try await tested.replica.transaction(as: identity, for: nil) { session in
                try await session.query([Self.whereItRuns, "select current_user::text as v"])
            }
            #expect(try both?[0][0].bool("v") == true)
            #expect(try both?[1][0].text("v") == Cluster.superuser)
            #expect(tested.replica.meters.answered.value == 3)
        }
    }

    @Test func `a read sees every write that was answered before it began`() async throws {
        try await withReplica { tested in
            // On one loop, so that the count is exact.
            let written = Gauge()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<8 {
                    group.addTask(executorPreference: tested.pool.loop) {
                        for round in 0..<100 {
                            if (worker + round) % 2 == 0 {
                                try await tested.write()
                                written.add(1)
                            }
                            let least = written.value
                            let seen = try await tested.count()
                            #expect(seen >= least)
                            try await tested.untilUsed()
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await tested.count() == 400)
            #expect(tested.replica.meters.answered.value > 0)
            #expect(tested.replica.meters.failed.value == 0)
        }
    }

    @Test func `a replica that is behind is not asked until it has caught up`() async throws {
        try await withReplica { tested in
            try tested.servers.pause()
            try await tested.write()
            let began = tested.pool.loop.now
            #expect(try await tested.ask(Self.whereItRuns) == nil)
            #expect(tested.pool.loop.now - began < 1_000_000_000)
            #expect(tested.replica.meters.behind.value == 1)
            #expect(try await tested.count() == 1)
            // While nothing has changed, no read waits for it.
            #expect(tested.replica.meters.behind.value == 1)
            try tested.servers.resume()
            try await tested.untilUsed()
            #expect(
                try await tested.ask("select count(*)::int as v from written")?[0].int("v") == 1)
        }
    }

    @Test func `a replica that dies fails no read, and is used again when it is back`()
        async throws
    {
        try await withReplica { tested in
            let isOver = Gauge()
            let reads = (0..<8).map { _ in
                Task(executorPreference: tested.pool.loop) {
                    while isOver.value == 0 { _ = try await tested.count() }
                }
            }
            await pause(milliseconds: 200)
            #expect(tested.replica.meters.answered.value > 0)
            tested.servers.replica.kill()
            try await eventually { tested.replica.meters.isUsed.value == 0 }
            let before = tested.replica.meters.answered.value
            await pause(milliseconds: 200)
            #expect(tested.replica.meters.answered.value == before)
            try tested.servers.replica.cluster.ensureRunning()
            try await eventually { tested.replica.meters.answered.value > before }
            isOver.set(1)
            for read in reads { try await read.value }
        }
    }

    @Test func `a replica that falls silent delays no read for long`() async throws {
        let proxies = ProxyBox()
        defer { proxies.proxy?.stop() }
        try await withReplica(at: { servers in
            let proxy = try Proxy(to: servers.replica.cluster.socketFolder)
            proxies.proxy = proxy
            return proxy.connectionString(database: "postgres", user: Cluster.superuser)
        }) { tested in
            let longest = Gauge()
            let isOver = Gauge()
            let reads = (0..<4).map { number in
                Task(executorPreference: tested.pool.loop) {
                    while isOver.value == 0 {
                        let began = ContinuousClock.now
                        if number == 0 {
                            _ = try await tested.replica.longQuery(
                                Self.whereItRuns, as: ReplicaUnderTest.identity, for: nil)
                        } else {
                            _ = try await tested.count()
                        }
                        longest.raise(to: Int((ContinuousClock.now - began) / .milliseconds(1)))
                        // What the replica leaves to the primary returns at once, and would keep the loop busy.
                        try await Task.sleep(for: .milliseconds(1))
                    }
                }
            }
            defer { isOver.set(1) }
            await pause(milliseconds: 100)
            #expect(tested.replica.meters.answered.value > 0)
            proxies.proxy?.hold()
            try await eventually { tested.replica.meters.isUsed.value == 0 }
            await pause(milliseconds: 1500)
            isOver.set(1)
            for read in reads { try await read.value }
            // A beat, the silence that ends it, and time for a busy machine.
            #expect(longest.value < 4000, "\(longest.value) ms")
        }
    }

    @Test func `a statement that the replica refuses goes to the primary`() async throws {
        try await withReplica { tested in
            let refused = try await tested.ask("insert into written values (1)")
            #expect(refused == nil)
            #expect(tested.replica.meters.failed.value == 1)
            // It is used all the same.
            #expect(try await tested.ask(Self.whereItRuns)?[0].bool("v") == true)
        }
    }

    @Test func `a replica that has become a primary is not read`() async throws {
        try await withReplica { tested in
            try BlockingConnection(tested.servers.replicaURL).query("select pg_promote()")
            try await eventually { tested.replica.meters.isUsed.value == 0 }
            #expect(try await tested.ask(Self.whereItRuns) == nil)
        }
    }

    @Test func `a replica of the former primary is not read, however much it has`() async throws {
        try await withReplica { tested in
            let servers = tested.servers
            let next = try ThrowawayCluster(log: Log(minimum: .warning), following: servers.primary)
            defer { next.discard() }
            let promoted = try BlockingConnection(next.url)
            try promoted.query("select pg_promote()")
            for _ in 0..<100 { try await tested.write() }
            // The replica has more of the log than the new primary.
            let ahead = try BlockingConnection(servers.replicaURL)
            let position = try promoted.query("select pg_current_wal_insert_lsn()::text as v")[0]
                .text("v")
            try await eventually {
                try ahead.query("select pg_last_wal_replay_lsn() > \(position)::pg_lsn as v")[0]
                    .bool("v")
            }
            try await withPool(next.url) { pool in
                let replica = Replica(Pool.Settings(servers.replicaURL), following: pool)
                replica.start()
                defer { replica.close() }
                // It is connected and has been looked at.
                await pause(milliseconds: 1000)
                let rows = try await replica.query(
                    Self.whereItRuns, as: ReplicaUnderTest.identity, for: nil)
                #expect(rows == nil)
                #expect(replica.meters.isUsed.value == 0)
            }
            // Beside its own primary it is.
            #expect(try await tested.ask(Self.whereItRuns)?[0].bool("v") == true)
        }
    }
}

/// Keeps a proxy that is made on the way.
private final class ProxyBox: @unchecked Sendable {
    var proxy: Proxy?
}
