import EventLoop
import HTTPClient
import Postgres
import WaitKit

/// Gives the test a school with the whole cast; it is gone when the body ends.
///
/// - Parameters:
///   - requestsPerSecond: the limit of each token; 0 sets no limit.
///   - client: what asks sign-in providers and calls webhooks.
///   - sources: what asks roster sources.
///   - databases: where a database is made for this test alone, such as `.shared()` if the test is about what statements
///     cost: in a leased one, deleted rows of earlier tests take space. When `nil`, the test leases one.
///   - source: the database that it is a copy of; the template if it is `nil`.
package func withSchool<Value>(
    requestsPerSecond: Int = 0, client: any OutgoingCalls = HTTPClient(),
    sources: any BlockingCalls = BlockingClient(), in databases: TestDatabase? = nil,
    copying source: String? = nil,
    _ body: (TestSchool) async throws -> Value
) async throws -> Value {
    try await PatientThreads.run {
        try await withLease(
            requestsPerSecond: requestsPerSecond, client: client, sources: sources, in: databases,
            copying: source, body)
    }
}

private func withLease<Value>(
    requestsPerSecond: Int, client: any OutgoingCalls, sources: any BlockingCalls,
    in databases: TestDatabase?, copying source: String?, _ body: (TestSchool) async throws -> Value
) async throws -> Value {
    let lease = await leases.take()
    defer { leases.give(lease) }
    if let databases {
        let name = try databases.clone(of: source)
        defer { databases.drop(name) }
        let owner = try databases.connect(to: name)
        return try await with(
            TestSchool(
                databases, name: name, owner: owner, on: lease.loop,
                requestsPerSecond: requestsPerSecond, client: client, sources: sources), body)
    }
    let databases = try TestDatabase.shared()
    let database = try await lease.begin(in: databases)
    let outcome: Result<Value, any Error>
    do {
        let school = try await TestSchool(
            databases, name: database.name, owner: database.owner, over: database.pool,
            on: lease.loop, requestsPerSecond: requestsPerSecond, client: client, sources: sources)
        outcome = .success(try await with(school, body))
    } catch {
        outcome = .failure(error)
    }
    await lease.end(in: databases)
    return try outcome.get()
}

/// Gives the test the service over a database that is there already.
package func withSchool<Value>(
    named name: String, in databases: TestDatabase, _ body: (TestSchool) async throws -> Value
) async throws -> Value {
    try await PatientThreads.run {
        try await with(
            TestSchool(
                databases, name: name, owner: databases.connect(to: name), on: otherLoop,
                requestsPerSecond: 0, client: HTTPClient(), sources: BlockingClient()), body)
    }
}

private func with<Value>(
    _ school: TestSchool, _ body: (TestSchool) async throws -> Value
) async throws -> Value {
    let outcome: Result<Value, any Error>
    do { outcome = .success(try await body(school)) } catch { outcome = .failure(error) }
    await school.close()
    return try outcome.get()
}

/// As many schools as may exist at a time.
private let leases = Slots((1...6).map { _ in Lease() })

/// The loop of services over databases that are there already.
private let otherLoop = Loop.started()
