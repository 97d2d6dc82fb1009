import EventLoop
import Synchronization
import Values

/// A snapshot of the database that a connection of its own keeps, so that others can read in it (`Session.query(_:as:in:)`).
///
/// While it is kept, PostgreSQL cleans up nothing that was changed or removed since. So it must be ended, and PostgreSQL
/// ends it by itself after the longest time that it may take. It also ends with its connection.
package final class HeldSnapshot: Sendable {
    private static let statementMilliseconds = 5000

    package let name: SnapshotName
    /// By PostgreSQL's clock. Whatever the snapshot shows had happened by then.
    package let takenAt: Timestamp
    private let connection: Connection
    private let alive = Atomic(true)

    /// Whether it was neither ended nor lost, as far as is known.
    package var isAlive: Bool { alive.load(ordering: .acquiring) }

    private init(_ connection: Connection, _ name: SnapshotName, at takenAt: Timestamp) {
        self.connection = connection
        self.name = name
        self.takenAt = takenAt
    }

    /// Opens a connection, and takes a snapshot of what is committed now. Throws `PostgresError`.
    ///
    /// - Parameters:
    ///   - target: a URL or a `key=value` string, as libpq reads it.
    ///   - seconds: after which PostgreSQL ends it.
    ///   - clock: the expression that reads the clock of `takenAt`, in whole milliseconds.
    ///   - loop: the current one, on which the connection is watched.
    package static func take(
        from target: String, forAtMostSeconds seconds: Int,
        clock: Statement = "date_trunc('milliseconds', clock_timestamp())", on loop: Loop
    ) async throws -> HeldSnapshot {
        loop.preconditionCurrent()
        let settings = ConnectionSettings(
            target,
            options: [
                ("client_min_messages", "error"),
                ("statement_timeout", "\(statementMilliseconds)"),
                ("idle_in_transaction_session_timeout", "\(seconds * 1000)"),
            ], timeoutSeconds: 3)
        let connection = try await open(settings, on: loop)
        do {
            let rows = try await begin(connection, clock)
            guard let name = SnapshotName(try rows[1][0].text("name")) else {
                throw PostgresError.misuse("a snapshot with an unknown kind of name")
            }
            let held = HeldSnapshot(
                connection, name, at: try rows[1][0].timestamp("taken_at"))
            connection.onLoss = { [weak held] _ in held?.alive.store(false, ordering: .releasing) }
            return held
        } catch {
            connection.close()
            throw error
        }
    }

    /// Gives it up; call from any thread. A second call does nothing.
    package func end() {
        alive.store(false, ordering: .releasing)
        let connection = connection
        connection.loop.execute { connection.close() }
    }

    private static func open(
        _ settings: ConnectionSettings, on loop: Loop
    ) async throws -> Connection {
        try await withCheckedThrowingContinuation { continuation in
            _ = Connecting(settings, on: loop) { opened in
                continuation.resume(
                    with: Result { try Connection(opened.get(), on: loop, preparedLimit: 4) })
            }
        }
    }

    /// The clock is read after the snapshot is taken.
    private static func begin(
        _ connection: Connection, _ clock: Statement
    ) async throws -> [Rows] {
        let patience = connection.loop.schedule(afterMilliseconds: statementMilliseconds * 2) {
            if connection.silence != nil { connection.fail("no answer in time") }
        }
        defer { patience.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            connection.send(
                Exchange(
                    [
                        "begin isolation level repeatable read read only",
                        "select pg_export_snapshot() as name, \(fragment: clock) as taken_at",
                    ], as: nil, commits: false
                ) { result in
                    continuation.resume(with: result.mapError { $0 as any Error })
                })
        }
    }
}
