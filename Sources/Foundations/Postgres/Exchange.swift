import CLibpq

/// One request on a connection: what is sent up to one Sync, and its results.
///
/// Outside a transaction it is one implicit transaction, which the Sync commits.
final class Exchange {
    /// What a result answers.
    enum Expectation {
        case deallocation(PreparedStatement)
        case parse(PreparedStatement)
        /// Of the begin or the identity, whose rows are not used.
        case preamble
        case statement(PreparedStatement?)
    }

    let statements: [Statement]
    let identity: Identity?
    let party: Party?
    /// Whether it begins a transaction, which outlives the Sync unless a statement ends it.
    let begins: Bool
    /// Whether the Sync commits, so that a lost connection leaves the outcome unknown.
    let commits: Bool
    private let completion: (Result<[Rows], PostgresError>) -> Void

    var expectations: [Expectation] = []
    private var position = 0
    private var hasResult = false
    private(set) var rows: [Rows] = []
    private(set) var failure: PostgresError?
    /// Whether all statements succeeded and the commit failed.
    private var failedAtSync = false
    /// Whether the server said that it ends the connection, and so reads nothing sent after this exchange.
    private(set) var sawEnd = false
    /// Whether to send it again if the statement timeout ended it while a statement was still being prepared.
    /// Only where nothing cancels, since PostgreSQL reports both the same way.
    let forgivesPreparing: Bool
    /// Whether the failure says nothing about the request, and the server rolled everything back, so that a
    /// second try is worthwhile: a prepared statement or a plan was stale, or preparing took too long, as it
    /// may on a new connection.
    private(set) var isWorthRepeating = false
    var isRetry = false
    /// On the loop's clock.
    var sentAt: Int64 = 0

    init(
        _ statements: [Statement], as identity: Identity?, for party: Party? = nil,
        begins: Bool = false, commits: Bool = true,
        forgivesPreparing: Bool = false,
        completion: @escaping (Result<[Rows], PostgresError>) -> Void
    ) {
        self.statements = statements
        self.identity = identity
        self.party = party
        self.begins = begins
        self.commits = commits
        self.forgivesPreparing = forgivesPreparing
        self.completion = completion
        expectations.reserveCapacity(statements.count + 1)
    }

    /// Resets it, to be sent again.
    func reset() {
        expectations = []
        position = 0
        hasResult = false
        rows = []
        failure = nil
        failedAtSync = false
        isWorthRepeating = false
        isRetry = true
    }

    /// Notes the end of one result; returns false if none had begun.
    func advance() -> Bool {
        guard hasResult else { return false }
        hasResult = false
        position += 1
        return true
    }

    /// Takes over one result; returns false if it breaks the protocol or means that the connection is broken.
    func take(_ result: OpaquePointer, prepared: inout PreparedStatements) -> Bool {
        guard !hasResult else {
            PQclear(result)
            return false
        }
        hasResult = true
        let isAtSync = position == expectations.count
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            guard !isAtSync else { break }
            succeed(result)
            return true
        case PGRES_PIPELINE_ABORTED:
            guard !isAtSync else { break }
            withdraw(sqlState: nil, &prepared)
            PQclear(result)
            return true
        case PGRES_FATAL_ERROR:
            // Errors that libpq reports itself have no SQLSTATE.
            guard let error = ServerError(result: result) else { break }
            if !isAtSync {
                if error.sqlState == "57014" { isWorthRepeating = forgivesPreparing && isPreparing }
                if error.isStalePlan { isWorthRepeating = true }
                withdraw(sqlState: error.sqlState, &prepared)
            }
            sawEnd = error.endsConnection
            if failure == nil {
                failure = .server(error)
                failedAtSync = isAtSync
            }
            PQclear(result)
            return true
        default: break
        }
        PQclear(result)
        return false
    }

    /// The message with which the server ended the connection, if it did so during this exchange.
    var farewell: String? {
        guard sawEnd, case .server(let error)? = failure else { return nil }
        return error.message
    }

    func complete() {
        completion(failure.map { .failure($0) } ?? .success(rows))
    }

    func complete(_ error: PostgresError) {
        completion(.failure(error))
    }

    /// The connection broke before the Sync came back.
    ///
    /// - Parameter wasRead: whether the server may have looked at it at all.
    func completeLost(wasRead: Bool) {
        switch failure {
        case .server(let error)? where !error.endsConnection: completion(.failure(.server(error)))
        case .server(let error)?:
            let mayHaveCommitted = commits && (failedAtSync || error.isPanic)
            completion(.failure(.connectionLost(mayHaveCommitted: mayHaveCommitted)))
        default: completion(.failure(.connectionLost(mayHaveCommitted: commits && wasRead)))
        }
    }

    private func succeed(_ result: OpaquePointer) {
        switch expectations[position] {
        case .statement(let entry):
            let received = Rows(result: result, columns: entry?.columns)
            entry?.columns = received.columnSet
            rows.append(received)
        case .parse(let entry):
            entry.isReady = true
            PQclear(result)
        case .deallocation, .preamble: PQclear(result)
        }
    }

    /// Whether the result belongs to a statement that was not prepared before.
    private var isPreparing: Bool {
        switch expectations[position] {
        case .parse, .statement(nil): return true
        case .statement:
            if position > 0, case .parse = expectations[position - 1] { return true }
            return false
        case .deallocation, .preamble: return false
        }
    }

    /// Corrects the registry for what PostgreSQL did not prepare or deallocate.
    private func withdraw(sqlState: String?, _ prepared: inout PreparedStatements) {
        switch expectations[position] {
        case .parse(let entry): prepared.remove(entry)
        case .deallocation(let entry):
            if sqlState != "26000" { prepared.retireAgain(entry) } else { isWorthRepeating = true }
        case .statement(let entry?) where sqlState == "0A000":
            // "cached plan must not change result type": a table was altered.
            prepared.retire(entry)
            isWorthRepeating = true
        case .statement(let entry?) where sqlState == "26000":
            prepared.remove(entry)
            isWorthRepeating = true
        case .statement, .preamble: break
        }
    }
}
