import API
import EventLoop
import Postgres
import Values

/// The only way to the data: every statement runs in the name of a caller.
///
/// Each loop has its own pool; a request uses the pool of the loop that it runs on. In a request with an idempotency
/// key, every call joins that request's one transaction (`OpenTransaction`). Calls whose endpoint says so read from a
/// replica, if there is one and it has everything that was committed before.
package struct Database: Sendable {
    private let pools: [Pool]
    private let replicas: [Replica]
    /// What time it is for everything that uses this database, as `moment()` says it in SQL. It is
    /// kept here because every handler holds the database, so that no two of them disagree.
    package let clock: Clock

    /// - Parameters:
    ///   - pools: one for each loop, in the order of the loops' indices.
    ///   - replicas: the same, or none.
    package init(pools: [Pool], replicas: [Replica] = [], clock: Clock) {
        self.pools = pools
        self.replicas = replicas
        self.clock = clock
    }

    /// The pool of the loop that the caller runs on.
    private var pool: Pool {
        guard let loop = Loop.current, loop.index < pools.count else {
            preconditionFailure("the database is asked outside its loops")
        }
        return pools[loop.index]
    }

    /// Where the caller's request may read besides the primary.
    private func replica(for caller: Caller) -> Replica? {
        guard caller.readsReplica, let loop = Loop.current, loop.index < replicas.count else {
            return nil
        }
        return replicas[loop.index]
    }

    /// The number of loops.
    package var loopCount: Int { pools.count }

    /// The connection string for a separate connection, as the server's login.
    package var target: String { pool.target }

    /// Sends one query: identity and statement in one round trip and one transaction.
    ///
    /// For statements that take milliseconds. Slower ones belong in `longQuery` or `transaction`: this lane cuts them
    /// off, which leaves nothing behind. They are then asked once more there, so that a busy disk refuses nobody; one that
    /// waited for a lock is not, since what holds it may hold it for long.
    package func query(_ statement: Statement, as caller: Caller) async throws -> Rows {
        try await again(after: ["57014"], statement, as: caller) {
            try await shortQuery(statement, as: caller)
        }
    }

    /// The same for a short write that must succeed: it is asked once more also where it waited for a lock.
    package func patientQuery(_ statement: Statement, as caller: Caller) async throws -> Rows {
        try await again(after: ["57014", "55P03"], statement, as: caller) {
            try await shortQuery(statement, as: caller)
        }
    }

    /// Asks once more on the other lane what the one for short statements has cut off.
    private func again(
        after states: [String], _ statement: Statement, as caller: Caller?,
        _ ask: () async throws -> Rows
    ) async throws -> Rows {
        do {
            return try await ask()
        } catch let error as PostgresError where states.contains(error.sqlState ?? "") {
            guard OpenTransaction.current == nil, !Task.isCancelled else { throw error }
            return try await pool.withSession(for: caller?.party, wasCutOff: true) { session in
                guard let caller else { return try await session.query(statement) }
                return try await session.query(statement, as: caller.identity)
            }
        }
    }

    private func shortQuery(_ statement: Statement, as caller: Caller) async throws -> Rows {
        if let open = OpenTransaction.current {
            return try await open.join(as: caller) { try await $0.query(statement) }
        }
        if let replica = replica(for: caller),
            let rows = try await replica.query(
                statement, as: caller.identity, for: caller.party)
        {
            return rows
        }
        return try await pool.query(statement, as: caller.identity, for: caller.party)
    }

    /// The same for a statement over many rows. It runs on a connection that no one else waits for, and is cancelled
    /// when the client disconnects.
    ///
    /// - Parameter isAlone: for statements that lock the caller's own row. They queue before taking a connection.
    package func longQuery(
        _ statement: Statement, as caller: Caller, alone isAlone: Bool = false
    ) async throws -> Rows {
        if let open = OpenTransaction.current {
            return try await open.join(as: caller) { try await $0.query(statement) }
        }
        if let replica = replica(for: caller),
            let rows = try await replica.longQuery(
                statement, as: caller.identity, for: caller.party)
        {
            return rows
        }
        return try await pool.withSession(for: caller.party, alone: isAlone) { session in
            try await session.query(statement, as: caller.identity)
        }
    }

    /// Throws if a long query would be refused, for callers with much to do before they ask it.
    package func checkQueue(for caller: Caller) throws {
        if OpenTransaction.current == nil { try pool.checkQueue(for: caller.party) }
    }

    /// Runs several statements in one transaction, which ends when the body returns or throws.
    package func transaction<Value>(
        as caller: Caller, _ body: (Session) async throws -> Value
    ) async throws -> Value {
        if let open = OpenTransaction.current { return try await open.join(as: caller, body) }
        let identity = caller.auditedIdentity
        return try await pool.withSession(for: caller.party) { session in
            try await session.transaction(as: identity) { session in try await body(session) }
        }
    }

    /// Runs several statements that only read, in one transaction; from a replica, the body may run a second time on the
    /// primary.
    package func read<Value>(
        as caller: Caller, _ body: (Session) async throws -> Value
    ) async throws -> Value {
        if OpenTransaction.current == nil, let replica = replica(for: caller),
            let value = try await replica.transaction(
                as: caller.identity, for: caller.party, body)
        {
            return value
        }
        return try await transaction(as: caller, body)
    }

    /// Reads a page of a list. A long query takes the lane on which no one waits behind it.
    ///
    /// - Parameter isLong: the statement may have to look at many rows for a short page.
    package func page(
        _ statement: Statement, _ page: Page, isLong: Bool = false, as caller: Caller
    ) async throws -> Rows {
        let statement = page.of(statement)
        if isLong { return try await longQuery(statement, as: caller) }
        guard page.limit > 200 else { return try await query(statement, as: caller) }
        return try await longQuery(statement, as: caller)
    }

    /// Runs the body after the request's writes are committed, for example to notify others of them.
    package func afterCommit(_ body: @escaping @Sendable () -> Void) {
        if let open = OpenTransaction.current { open.keep(body) } else { body() }
    }

    /// Runs the body in one transaction that every other call in its task joins.
    func openTransaction<Value>(
        as caller: Caller, _ body: (OpenTransaction) async throws -> Value
    ) async throws -> Value {
        let identity = caller.auditedIdentity
        let (value, open) = try await pool.withSession(for: caller.party) { session in
            try await session.transaction(as: identity) { session in
                let open = OpenTransaction(session, as: caller)
                let value = try await OpenTransaction.$current.withValue(open) {
                    try await body(open)
                }
                try open.check()
                return (value, open)
            }
        }
        open.finish()
        return value
    }

    // MARK: Before the caller is known

    /// Runs a query as the server's own login, which may only call the functions of signing in.
    package func query(_ statement: Statement) async throws -> Rows {
        if let open = OpenTransaction.current {
            return try await open.join(as: nil) { try await $0.query(statement) }
        }
        return try await again(after: ["57014"], statement, as: nil) {
            try await pool.query(statement, as: nil)
        }
    }

    /// The same with a time limit that starts with the first wait.
    package func query(
        _ statement: Statement, withinMilliseconds milliseconds: Int
    ) async throws -> Rows {
        if OpenTransaction.current != nil { return try await query(statement) }
        return try await pool.query(statement, withinMilliseconds: milliseconds)
    }

    /// Runs several statements in one transaction as the server's own login.
    package func transaction<Value>(
        _ body: (Session) async throws -> Value
    ) async throws -> Value {
        if let open = OpenTransaction.current { return try await open.join(as: nil, body) }
        return try await pool.withSession { session in
            try await session.transaction(as: nil) { session in try await body(session) }
        }
    }

    /// Lends a connection as the server's own login.
    package func withSession<Value>(
        _ body: (Session) async throws -> Value
    ) async throws -> Value {
        try await pool.withSession(body)
    }
}
