import CLibpq
import EventLoop

/// One connection of the exclusive lane, lent to one task.
///
/// Confined to its loop, and not to be used after the body of `withSession` has returned. Do not change
/// settings of the session itself, only of a transaction: they would stay for the next user.
package final class Session: @unchecked Sendable {
    /// How long a cancelled statement may take to end.
    private static let cancelMilliseconds = 3000

    private enum Transaction {
        case none
        /// To be begun together with the first statement.
        case pending(Identity?)
        case open
    }

    let connection: Connection
    let loop: Loop
    private let threads: BlockingThreads
    private let canceller: Canceller
    private var transaction = Transaction.none
    /// Why the open transaction can only be rolled back.
    private var failure: PostgresError?
    private var hasEnded = false

    private var serial = 0
    private var waiting: (() -> Void)?
    private var isCancelling = false
    private var wasCancelled = false
    /// Restores the connection after a COPY that was left open.
    var abandonCopy: (() async -> Void)?

    init(_ connection: Connection, cancelling threads: BlockingThreads) {
        self.connection = connection
        self.threads = threads
        loop = connection.loop
        canceller = Canceller(connection.handle)
    }

    /// Runs one statement: within the open transaction, otherwise in one of its own.
    @discardableResult
    package func query(_ statement: Statement) async throws -> Rows {
        try await query([statement])[0]
    }

    /// Runs statements in one round trip, within the open transaction, otherwise in one of their own.
    package func query(_ statements: [Statement]) async throws -> [Rows] {
        switch transaction {
        case .none:
            return try await exchange(statements, as: nil, begins: false, commits: true)
        case .pending(let identity):
            transaction = .open
            do {
                return try await exchange(statements, as: identity, begins: true, commits: false)
            } catch let error as PostgresError where error.isStalePlan {
                // Nothing has been done in this transaction yet, so it can begin again.
                await rollBack()
                transaction = .open
                return try await exchange(statements, as: identity, begins: true, commits: false)
            }
        case .open:
            return try await exchange(statements, as: nil, begins: false, commits: false)
        }
    }

    /// Runs one statement under an identity, in a transaction of its own.
    @discardableResult
    package func query(_ statement: Statement, as identity: Identity) async throws -> Rows {
        guard case .none = transaction else {
            throw PostgresError.misuse("a transaction has one identity")
        }
        return try await exchange([statement], as: identity, begins: false, commits: true)[0]
    }

    /// Commits when the body returns, or rolls back when it throws. `begin` and the identity are sent with the
    /// first statement. A failed statement fails the transaction, even if the body catches the error.
    @discardableResult
    package func transaction<Value>(
        as identity: Identity?, _ body: (Session) async throws -> Value
    ) async throws -> Value {
        guard case .none = transaction else {
            throw PostgresError.misuse("transactions do not nest")
        }
        transaction = .pending(identity)
        failure = nil
        do {
            let value = try await body(self)
            if let failure { throw failure }
            try await commit()
            return value
        } catch {
            await rollBack()
            throw error
        }
    }

    // MARK: For COPY

    /// Whether a later statement commits what is done now.
    var isInTransaction: Bool { if case .none = transaction { false } else { true } }

    /// Throws if no statement may run, or the task is cancelled.
    func checkUsable() throws(PostgresError) {
        guard !hasEnded, abandonCopy == nil else {
            throw .misuse("the session is over, or in a COPY")
        }
        guard !Task.isCancelled else { throw .cancelled }
    }

    /// Begins the pending transaction without a statement.
    func beginPending() async throws {
        if case .pending = transaction { _ = try await query([]) }
    }

    /// Records a failure that happened outside an exchange.
    func note(_ error: PostgresError) {
        if failure == nil { failure = error }
    }

    // MARK: Ending

    /// Prepares the connection for the next user, or closes it.
    func end() async {
        hasEnded = true
        // A late cancellation finds another ticket.
        _ = nextTicket()
        await abandonCopy?()
        await rollBack()
        guard connection.isAlive, PQtransactionStatus(connection.handle) != PQTRANS_IDLE else {
            return
        }
        // A transaction that was begun by hand.
        _ = try? await perform(["rollback"], as: nil, begins: false, commits: false)
    }

    private func commit() async throws {
        guard case .open = transaction else {
            transaction = .none
            return
        }
        let rows = try await exchange(["commit"], as: nil, begins: false, commits: true)
        transaction = .none
        // PostgreSQL answers the commit of a failed transaction with a rollback.
        guard let result = rows.first?.result, String(cString: PQcmdStatus(result)) == "COMMIT"
        else { throw PostgresError.misuse("the transaction had failed and was rolled back") }
    }

    private func rollBack() async {
        if case .open = transaction, connection.isAlive,
            PQtransactionStatus(connection.handle) != PQTRANS_IDLE
        {
            _ = try? await perform(["rollback"], as: nil, begins: false, commits: false)
        }
        transaction = .none
        failure = nil
    }

    // MARK: One exchange

    private func exchange(
        _ statements: [Statement], as identity: Identity?, begins: Bool, commits: Bool
    ) async throws -> [Rows] {
        try checkUsable()
        let ticket = nextTicket()
        do {
            return try await withTaskCancellationHandler {
                try await perform(statements, as: identity, begins: begins, commits: commits)
            } onCancel: {
                loop.execute { self.cancel(ticket) }
            }
        } catch let error as PostgresError {
            note(error)
            throw error
        }
    }

    private func perform(
        _ statements: [Statement], as identity: Identity?, begins: Bool, commits: Bool
    ) async throws -> [Rows] {
        let result: Result<[Rows], PostgresError> = await withCheckedContinuation { continuation in
            connection.send(
                Exchange(
                    statements, as: identity, begins: begins, commits: commits
                ) { result in
                    self.settle { continuation.resume(returning: self.explain(result)) }
                })
        }
        return try result.get()
    }

    private func explain(
        _ result: Result<[Rows], PostgresError>
    ) -> Result<[Rows], PostgresError> {
        guard wasCancelled, case .failure(.server(let error)) = result,
            error.sqlState == "57014"
        else { return result }
        return .failure(.cancelled)
    }

    // MARK: Cancelling

    /// Numbers what can be cancelled, so that a late cancellation cancels nothing else.
    func nextTicket() -> Int {
        serial += 1
        wasCancelled = false
        return serial
    }

    /// Whether the cancellation of this ticket reached the server.
    func isCancelled(_ ticket: Int) -> Bool { serial == ticket && wasCancelled }

    /// Asks the server to stop the running statement, on a helper thread because libpq blocks. If the server
    /// neither accepts the request nor stops in time, the connection is closed.
    func cancel(_ ticket: Int) {
        guard serial == ticket, !wasCancelled, connection.isAlive else { return }
        wasCancelled = true
        isCancelling = true
        let canceller = canceller
        let threads = threads
        loop.spawn {
            try? await threads.run { canceller.cancel() }
            self.endCancelling()
        }
        loop.schedule(afterMilliseconds: Self.cancelMilliseconds) {
            guard self.serial == ticket, self.isCancelling || self.connection.silence != nil
            else { return }
            self.connection.fail("no answer to a cancellation")
            self.endCancelling()
        }
    }

    private func endCancelling() {
        isCancelling = false
        let waiting = waiting
        self.waiting = nil
        waiting?()
    }

    /// Continues once no cancellation is in progress, since it could otherwise hit the next statement.
    func settle(_ body: @escaping () -> Void) {
        if isCancelling { waiting = body } else { body() }
    }
}

/// What a helper thread needs to cancel a statement; independent of the connection's lifetime.
final class Canceller: @unchecked Sendable {
    private let handle: OpaquePointer?

    init(_ connection: OpaquePointer) {
        handle = PQgetCancel(connection)
    }

    deinit {
        PQfreeCancel(handle)
    }

    func cancel() {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
            _ = PQcancel(handle, message.baseAddress, 256)
        }
    }
}
