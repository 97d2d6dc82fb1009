import Cluster
import EventLoop
import Log
import Metrics
import Postgres
import Testing
import WaitKit

/// A primary and a server that follows it. It must be discarded.
final class ReplicatedServers: Sendable {
    let primary: ThrowawayCluster
    let replica: ThrowawayCluster

    init() throws {
        primary = try ThrowawayCluster(log: Log(minimum: .warning), replicates: true)
        replica = try ThrowawayCluster(log: Log(minimum: .warning), following: primary)
    }

    var primaryURL: String { primary.url }
    var replicaURL: String { replica.url }

    /// Keeps the replica from replaying anything more, until `resume`.
    func pause() throws {
        let connection = try BlockingConnection(replicaURL)
        try connection.query("select pg_wal_replay_pause()")
        #expect(
            try becomes {
                try connection.query("select pg_get_wal_replay_pause_state() = 'paused' as v")[0]
                    .bool("v")
            })
    }

    func resume() throws {
        try BlockingConnection(replicaURL).query("select pg_wal_replay_resume()")
    }

    func discard() {
        replica.discard()
        primary.discard()
    }
}

extension ThrowawayCluster {
    /// How the superuser connects.
    var url: String {
        cluster.connectionString(database: "postgres", user: Cluster.superuser)
    }
}

/// A primary with the table `written`, and the replica as the pools of one loop see it.
struct ReplicaUnderTest: Sendable {
    let pool: Pool
    let replica: Replica
    let servers: ReplicatedServers

    static let identity = Identity(role: Cluster.superuser)

    /// Asks the replica; `nil` if it refers to the primary.
    func ask(_ statement: Statement) async throws -> Rows? {
        try await replica.query(statement, as: Self.identity, for: nil)
    }

    /// How many rows a read sees, wherever it is answered.
    func count() async throws -> Int {
        let statement: Statement = "select count(*)::int as v from written"
        let rows = try await ask(statement)
        if let rows { return try rows[0].int("v") }
        return try await pool.query(statement, as: Self.identity)[0].int("v")
    }

    func write() async throws {
        _ = try await pool.query("insert into written values (1)", as: Self.identity)
    }

    /// Waits until reads go to the replica.
    func untilUsed() async throws {
        try await eventually { replica.meters.isUsed.value == 1 }
    }
}

/// Runs the body with a primary and a replica of its own.
///
/// - Parameter url: how to reach the replica, if not directly.
func withReplica(
    at url: (@Sendable (ReplicatedServers) throws -> String)? = nil,
    _ body: @escaping @Sendable (ReplicaUnderTest) async throws -> Void
) async throws {
    let servers = try ReplicatedServers()
    defer { servers.discard() }
    try BlockingConnection(servers.primaryURL).execute("create table written (v int)")
    let replicaURL = try url?(servers) ?? servers.replicaURL
    try await withPool(servers.primaryURL) { pool in
        var settings = Pool.Settings(replicaURL)
        settings.sharedStatementTimeoutMilliseconds = 5000
        let replica = Replica(settings, following: pool)
        replica.start()
        defer { replica.close() }
        let tested = ReplicaUnderTest(pool: pool, replica: replica, servers: servers)
        try await tested.untilUsed()
        try await body(tested)
    }
}
