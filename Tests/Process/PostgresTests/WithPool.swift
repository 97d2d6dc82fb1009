import Cluster
import EventLoop
import Foundation
import Log
import Postgres
import Testing

/// The server that the tests of this target share; it ends with the process.
private let server = Result { try ThrowawayCluster(log: Log(minimum: .warning)) }

/// The database that the tests of this target use.
let databaseURL: String = {
    switch server {
    case .success(let server):
        return server.cluster.connectionString(database: "postgres", user: Cluster.superuser)
    case .failure(let error):
        Issue.record(error)
        return "host=/nowhere"
    }
}()

/// Where the socket of that server is.
let serverFolder: String = (try? server.get())?.cluster.socketFolder ?? "/nowhere"

/// Runs the body on a loop of its own, with a pool that is closed afterwards. If the loop's time is manual, requests
/// become late and lost connections are opened again only when the test moves it.
func withPool<Value: Sendable>(
    _ url: String = databaseURL, time: TimeSource = .real,
    change: @escaping @Sendable (inout Pool.Settings) -> Void = { _ in },
    _ body: @escaping @Sendable (Pool) async throws -> Value
) async throws -> Value {
    try await onLoop(time: time) { loop in
        var settings = Pool.Settings(url)
        settings.sharedStatementTimeoutMilliseconds = 5000
        change(&settings)
        let pool = Pool(settings, on: loop)
        pool.start()
        defer { pool.close() }
        return try await body(pool)
    }
}

extension Pool {
    /// Its figures at this moment; on its loop.
    var measured: PoolMeters {
        measure()
        return meters
    }
}

/// Runs the body as a task on a loop of its own.
func onLoop<Value: Sendable>(
    time: TimeSource = .real, _ body: @escaping @Sendable (Loop) async throws -> Value
) async throws -> Value {
    let loop = try Loop(time: time)
    loop.start()
    defer { loop.stop() }
    return try await Task(executorPreference: loop) { try await body(loop) }.value
}

/// The error that the body throws, if it is PostgreSQL's.
func failure(_ body: () async throws -> Void) async -> PostgresError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? PostgresError
    }
}

/// Expects that a statement returned one row.
func expectOne(_ rows: Rows, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(rows.count == 1, sourceLocation: sourceLocation)
}

/// A name that no other test uses.
func uniqueName(_ prefix: String) -> String {
    prefix + "_" + Foundation.UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
}
