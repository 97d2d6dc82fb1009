import Postgres
import Testing

/// What a command says of a connection that it lost.
@Suite struct LostBlockingConnections {
    private let ended: Statement = "select pg_terminate_backend(pg_backend_pid())"

    private func error(_ body: () throws -> Void) -> PostgresError? {
        do { try body() } catch { return error as? PostgresError }
        return nil
    }

    @Test func `within a transaction, only a commit may be done`() throws {
        let reading = try BlockingConnection(databaseURL)
        try reading.execute("begin isolation level repeatable read")
        #expect(error { try reading.query(ended) } == .connectionLost(mayHaveCommitted: false))
        #expect(
            error { try reading.query("select 1") } == .connectionLost(mayHaveCommitted: false),
            "nothing was sent")

        let committing = try BlockingConnection(databaseURL)
        try committing.execute("begin")
        let pid = try committing.query("select pg_backend_pid() as pid")[0].int("pid")
        try BlockingConnection(databaseURL).query("select pg_terminate_backend(\(pid)::integer)")
        #expect(
            error { try committing.execute("commit") } == .connectionLost(mayHaveCommitted: true))
    }

    @Test func `outside a transaction, anything may be done but to begin one`() throws {
        let alone = try BlockingConnection(databaseURL)
        #expect(error { try alone.query(ended) } == .connectionLost(mayHaveCommitted: true))
        let beginning = try BlockingConnection(databaseURL)
        let pid = try beginning.query("select pg_backend_pid() as pid")[0].int("pid")
        try BlockingConnection(databaseURL).query("select pg_terminate_backend(\(pid)::integer)")
        #expect(
            error { try beginning.execute("begin") } == .connectionLost(mayHaveCommitted: false))
    }

    @Test func `rows that are copied out change nothing`() throws {
        let connection = try BlockingConnection(databaseURL)
        let found = error {
            try connection.copyOut("copy (select pg_terminate_backend(pg_backend_pid())) to stdout")
            { _ in }
        }
        #expect(found == .connectionLost(mayHaveCommitted: false))
    }
}
