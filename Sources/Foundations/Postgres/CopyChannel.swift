import CLibpq
import EventLoop

/// A session's connection while a COPY uses it, outside pipeline mode. Confined to its loop.
final class CopyChannel: @unchecked Sendable {
    private let session: Session
    private let connection: Connection
    private let ticket: Int
    private var waiter: CheckedContinuation<Void, Never>?
    private(set) var isOpen = true
    private var failure: PostgresError?
    /// Whether all data has been sent and the server commits it by itself, so that losing the connection leaves
    /// the outcome unknown.
    private var mayHaveCommitted = false

    private init(_ session: Session) {
        self.session = session
        connection = session.connection
        ticket = session.nextTicket()
    }

    var handle: OpaquePointer { connection.handle }

    /// Sends a `copy` and waits until data may flow.
    static func open(
        _ session: Session, _ statement: Statement, expecting status: ExecStatusType
    ) async throws -> CopyChannel {
        try session.checkUsable()
        try await session.beginPending()
        guard session.connection.isAlive else {
            throw PostgresError.connectionLost(mayHaveCommitted: false)
        }
        guard PQexitPipelineMode(session.connection.handle) == 1 else {
            throw PostgresError.misuse("a COPY begins when nothing is under way")
        }
        let channel = CopyChannel(session)
        session.connection.onReadiness = { channel.ready() }
        session.abandonCopy = {
            _ = try? await channel.finish()
        }
        try await channel.begin(statement, expecting: status)
        return channel
    }

    private func begin(_ statement: Statement, expecting status: ExecStatusType) async throws {
        guard PQsendQuery(handle, statement.makeTextWithLiterals()) == 1 else {
            connection.fail(connectionMessage(handle))
            throw PostgresError.connectionLost(mayHaveCommitted: false)
        }
        try await flush()
        while PQisBusy(handle) == 1 { try await wait(for: .read) }
        let result = PQgetResult(handle)
        defer { PQclear(result) }
        guard PQresultStatus(result) == status else {
            if PQresultStatus(result) == PGRES_FATAL_ERROR {
                failure = result.flatMap(Self.failure(in:)) ?? lose()
            } else {
                failure = .misuse("the statement is not a COPY in this direction")
            }
            _ = try await finish()
            throw PostgresError.misuse("unreachable: finishing throws the failure")
        }
    }

    /// Sets how to abandon a COPY that was left open; called before `finish`.
    func onAbandon(_ body: @escaping () async throws -> Void) {
        session.abandonCopy = { [self] in
            guard isOpen, connection.isAlive else { return }
            try? await body()
            _ = try? await finish()
        }
    }

    /// Throws if the COPY is over or the task is cancelled.
    func checkUsable() throws(PostgresError) {
        guard isOpen else { throw failure ?? .misuse("the COPY is over") }
        guard connection.isAlive else { throw lose() }
        guard !Task.isCancelled else { throw .cancelled }
    }

    /// Must be called before the end of the data is sent.
    func expectCommit() {
        mayHaveCommitted = !session.isInTransaction
    }

    /// Asks the server to stop.
    func cancel() {
        session.cancel(session.nextTicket())
    }

    /// Sends the data buffered in memory.
    func flush() async throws {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1: try await wait(for: [.read, .write])
            default: throw lose()
            }
        }
    }

    /// Waits for the socket, then reads what has arrived.
    func wait(for interest: Interest) async throws {
        guard connection.isAlive else { throw lose() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter = continuation
                connection.copyWaitsSince = connection.loop.now
                connection.watch(interest)
            }
        } onCancel: {
            connection.loop.execute { self.session.cancel(self.ticket) }
        }
        guard connection.isAlive else { throw lose() }
        guard PQconsumeInput(handle) == 1 else { throw lose() }
    }

    /// Reads the results behind the data and puts the connection back into pipeline mode. Returns the number of
    /// rows; throws the error if the COPY failed.
    func finish() async throws -> Int {
        guard isOpen else { throw failure ?? .misuse("the COPY is over") }
        var affected = 0
        while connection.isAlive {
            while PQisBusy(handle) == 1 { try await wait(for: .read) }
            guard let result = PQgetResult(handle) else { break }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK:
                affected = Int(String(cString: PQcmdTuples(result))) ?? 0
            case PGRES_COPY_IN:
                _ = PQputCopyEnd(handle, "given up")
                try await flush()
            case PGRES_COPY_OUT:
                try await skip()
            case PGRES_FATAL_ERROR where failure == nil:
                failure = Self.failure(in: result) ?? lose()
            default: break
            }
            PQclear(result)
        }
        await leave()
        if let failure { throw failure }
        return affected
    }

    /// Reads and drops the rest of the data.
    func skip() async throws {
        var row: UnsafeMutablePointer<CChar>?
        while true {
            switch PQgetCopyData(handle, &row, 1) {
            case 0: try await wait(for: .read)
            case ..<0: return
            default: PQfreemem(row)
            }
        }
    }

    /// PostgreSQL's error; `nil` if it says that the connection ends, or the error is libpq's own.
    private static func failure(in result: OpaquePointer) -> PostgresError? {
        guard let error = ServerError(result: result), !error.endsConnection else { return nil }
        return .server(error)
    }

    private func ready() {
        guard let waiter else { return connection.unwatch() }
        self.waiter = nil
        connection.copyWaitsSince = nil
        connection.watch([])
        waiter.resume()
    }

    private func leave() async {
        isOpen = false
        connection.meters?.count(failure)
        await withCheckedContinuation { continuation in
            session.settle { continuation.resume() }
        }
        if case .server(let error) = failure, error.sqlState == "57014", session.isCancelled(ticket)
        {
            failure = .cancelled
        }
        if let failure { session.note(failure) }
        session.abandonCopy = nil
        connection.onReadiness = nil
        guard connection.isAlive else { return }
        guard PQenterPipelineMode(handle) == 1 else {
            return connection.fail("the COPY did not end")
        }
        connection.watch(.read)
    }

    private func lose() -> PostgresError {
        isOpen = false
        session.abandonCopy = nil
        connection.fail("lost in a COPY")
        let error = failure ?? .connectionLost(mayHaveCommitted: mayHaveCommitted)
        failure = error
        session.note(error)
        return error
    }
}
