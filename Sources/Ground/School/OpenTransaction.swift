import Postgres

/// The one transaction in which a request with an idempotency key runs.
///
/// It is bound to the request's task, and every call of `Database` in that task joins it. What a handler writes is
/// therefore committed together with the key or not at all, and handlers need not know about keys. Confined to the
/// loop of its session.
final class OpenTransaction: @unchecked Sendable {
    /// The transaction of the request that this task answers; `nil` for a request without a key.
    @TaskLocal static var current: OpenTransaction?

    let session: Session
    private let caller: Caller
    private var failure: (any Error)?
    private var afterwards: [@Sendable () -> Void] = []

    init(_ session: Session, as caller: Caller) {
        self.session = session
        self.caller = caller
    }

    /// Runs a part of the transaction, in the name of the caller that it was begun for and no one else.
    ///
    /// A part that throws fails the whole transaction, even if the handler catches the error: there are no
    /// savepoints.
    func join<Value>(
        as joining: Caller?, _ body: (Session) async throws -> Value
    ) async throws -> Value {
        try check()
        do {
            guard let joining, joining.isSame(as: caller) else {
                throw PostgresError.misuse("a request with an idempotency key has one identity")
            }
            return try await body(session)
        } catch {
            failure = error
            throw error
        }
    }

    /// Throws if a part has failed, so that nothing is committed.
    func check() throws {
        if let failure { throw failure }
    }

    /// Stores a body to run once the transaction is committed.
    func keep(_ body: @escaping @Sendable () -> Void) {
        afterwards.append(body)
    }

    /// Runs the stored bodies; call it after the commit.
    func finish() {
        for body in afterwards { body() }
    }
}
