import EventLoop
import Postgres

/// The only door to data: every statement goes through it in the name of a caller.
///
/// Each loop has its own pool; a request uses the one of the loop it runs on. In a request with an idempotency
/// key every call joins the one transaction of that request (`OpenTransaction`).
package struct Database: Sendable {
    private let pools: [Pool]

    /// - Parameter pools: one for each loop, in the order of the loops' indices.
    package init(pools: [Pool]) {
        self.pools = pools
    }

    /// The pool of the loop that the caller runs on.
    private var pool: Pool {
        guard let loop = Loop.current, loop.index < pools.count else {
            preconditionFailure("the database is asked outside its loops")
        }
        return pools[loop.index]
    }

    /// How many loops there are.
    package var loopCount: Int { pools.count }

    /// What a connection of one's own connects to, as the server's login.
    package var target: String { pool.target }

    /// Asks once, identity and statement in one round trip and one transaction.
    ///
    /// For statements that take milliseconds; what may take longer belongs in `longQuery` or `transaction`.
    package func query(_ statement: Statement, as caller: Caller) async throws -> Rows {
        if let open = OpenTransaction.current {
            return try await open.join(as: caller) { try await $0.query(statement) }
        }
        return try await pool.query(statement, as: caller.identity, for: caller.party)
    }

    /// The same for a statement over many rows: on a connection that nobody else waits for, and cancelled when
    /// the client leaves.
    ///
    /// - Parameter isAlone: for what locks the caller's own row: one after the other, before a connection is taken.
    package func longQuery(
        _ statement: Statement, as caller: Caller, alone isAlone: Bool = false
    ) async throws -> Rows {
        if let open = OpenTransaction.current {
            return try await open.join(as: caller) { try await $0.query(statement) }
        }
        return try await pool.withSession(for: caller.party, alone: isAlone) { session in
            try await session.query(statement, as: caller.identity)
        }
    }

    /// The same as `query` for a short write that must get through: if the lane for short statements loses patience, as
    /// while the disk is busy, nothing was kept, and it is asked again as a long query.
    package func patientQuery(_ statement: Statement, as caller: Caller) async throws -> Rows {
        do {
            return try await query(statement, as: caller)
        } catch let error as PostgresError where error.sqlState == "57014" {
            guard OpenTransaction.current == nil else { throw error }
            return try await longQuery(statement, as: caller)
        }
    }

    /// Fails where a long query would be refused, for whoever has much to do before asking it.
    package func checkRoom(for caller: Caller) throws {
        if OpenTransaction.current == nil { try pool.checkRoom(for: caller.party) }
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

    /// Asks for a page. A long one takes the lane on which nobody waits behind it.
    ///
    /// - Parameter isLong: the statement may have to look at many rows for a short page.
    package func page(
        _ statement: Statement, _ page: Page, isLong: Bool = false, as caller: Caller
    ) async throws -> Rows {
        if isLong { return try await longQuery(statement, as: caller) }
        guard page.limit > 200 else { return try await query(statement, as: caller) }
        return try await transaction(as: caller) { try await $0.query(statement) }
    }

    /// Does something once what the request has written is committed, such as telling others to look for it.
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

    // MARK: Before anybody is known

    /// Asks as the login of the server itself, which may do nothing but call the functions of signing in.
    package func query(_ statement: Statement) async throws -> Rows {
        if let open = OpenTransaction.current {
            return try await open.join(as: nil) { try await $0.query(statement) }
        }
        return try await pool.query(statement, as: nil)
    }

    /// The same for whoever gives the answer no longer than that, from the first wait on.
    package func query(
        _ statement: Statement, withinMilliseconds milliseconds: Int
    ) async throws -> Rows {
        if OpenTransaction.current != nil { return try await query(statement) }
        return try await pool.query(statement, withinMilliseconds: milliseconds)
    }

    /// Runs several statements in one transaction as the login of the server itself.
    package func transaction<Value>(
        _ body: (Session) async throws -> Value
    ) async throws -> Value {
        if let open = OpenTransaction.current { return try await open.join(as: nil, body) }
        return try await pool.withSession { session in
            try await session.transaction(as: nil) { session in try await body(session) }
        }
    }

    /// Lends a connection as the login of the server itself.
    package func withSession<Value>(
        _ body: (Session) async throws -> Value
    ) async throws -> Value {
        try await pool.withSession(body)
    }
}
