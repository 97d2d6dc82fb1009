import EventLoop
import Postgres

/// The only door to data: every statement goes through it in the name of a caller.
///
/// Each loop has its own pool; a request uses the one of the loop it runs on.
package struct Database: Sendable {
    private let pools: [Pool]

    /// - Parameter pools: one for each loop, in the order of the loops' indices.
    package init(pools: [Pool]) {
        self.pools = pools
    }

    /// The pool of the loop that the caller runs on.
    package var pool: Pool {
        guard let loop = Loop.current, loop.index < pools.count else {
            preconditionFailure("the database is asked outside its loops")
        }
        return pools[loop.index]
    }

    /// Asks once, identity and statement in one round trip and one transaction.
    ///
    /// For statements that take milliseconds; what may take longer belongs in `transaction`.
    package func query(_ statement: Statement, as caller: Caller) async throws -> Rows {
        try await pool.query(statement, as: caller.identity)
    }

    /// Runs several statements in one transaction, which ends when the body returns or throws.
    package func transaction<Value>(
        as caller: Caller, _ body: (Session) async throws -> Value
    ) async throws -> Value {
        let identity = caller.auditedIdentity
        return try await pool.withSession { session in
            try await session.transaction(as: identity) { session in try await body(session) }
        }
    }

    /// Asks as the login of the server itself, which may do nothing but call the functions of signing in.
    package func query(_ statement: Statement) async throws -> Rows {
        try await pool.query(statement, as: nil)
    }

    /// Runs several statements in one transaction as the login of the server itself.
    package func transaction<Value>(
        _ body: (Session) async throws -> Value
    ) async throws -> Value {
        try await pool.withSession { session in
            try await session.transaction(as: nil) { session in try await body(session) }
        }
    }
}
