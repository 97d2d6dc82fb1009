import CLibpq
import Glibc

/// A connection for commands and tests, which blocks the calling thread and needs no loop.
///
/// Not for use by two threads at once.
package final class BlockingConnection: @unchecked Sendable {
    let connection: OpaquePointer
    private var parameters = ParameterBuffer()

    /// Connects to the server named by a URL or a `key=value` string; gives up after ten seconds unless that
    /// says otherwise. The options are session settings, for instance `search_path`.
    package init(
        _ target: String, options: KeyValuePairs<String, String> = [:]
    ) throws(PostgresError) {
        let settings = ConnectionSettings(target, options: options)
        let opened = settings.withPointers { PQconnectdbParams($0, $1, 1) }
        guard let opened else { throw .unavailable("out of memory") }
        guard PQstatus(opened) == CONNECTION_OK else {
            let reason = connectionMessage(opened)
            PQfinish(opened)
            throw .unavailable(reason)
        }
        connection = opened
        _ = PQsetNoticeReceiver(connection, { _, _ in }, nil)
    }

    deinit {
        PQfinish(connection)
    }

    /// The process number that the server announced for cancelling; a pooler announces one of its own.
    package var announcedProcess: Int { Int(PQbackendPID(connection)) }

    /// Runs one statement.
    @discardableResult
    package func query(_ statement: Statement) throws(PostgresError) -> Rows {
        parameters.encode(statement.values)
        let text = statement.makeText()
        let types = statement.values.map(\.type.oid)
        let mayCommit = mayCommit("")
        let result = parameters.withPointers { count, values, lengths, formats in
            PQexecParams(connection, text, count, types, values, lengths, formats, 1)
        }
        return try rows(of: result, mayCommit: mayCommit)
    }

    /// Runs one statement under an identity: in a transaction of its own, or in the open one, where the
    /// identity then stays for the rest of the transaction.
    @discardableResult
    package func query(
        _ statement: Statement, as identity: Identity
    ) throws(PostgresError) -> Rows {
        guard PQtransactionStatus(connection) == PQTRANS_IDLE else {
            try query(identity.statement)
            return try query(statement)
        }
        try execute("begin")
        do throws(PostgresError) {
            try query(identity.statement)
            let rows = try query(statement)
            try execute("commit")
            return rows
        } catch {
            try? execute("rollback")
            throw error
        }
    }

    /// Runs one or more administrative statements; discards the rows of the last one.
    package func execute(_ command: Command) throws(PostgresError) {
        let mayCommit = mayCommit(command.text)
        _ = try rows(of: PQexec(connection, command.text), mayCommit: mayCommit)
    }

    /// Runs all statements of a file, as one transaction unless the file says otherwise.
    package func execute(script: ScriptText) throws(PostgresError) {
        let text = script.bytes.map { CChar(bitPattern: $0) } + [0]
        _ = try rows(of: PQexec(connection, text), mayCommit: true)
    }

    /// Runs the body in a transaction: commits when it returns, rolls back when it throws.
    @discardableResult
    package func transaction<Value>(
        as identity: Identity? = nil, _ body: () throws -> Value
    ) throws -> Value {
        try execute("begin")
        do {
            if let identity { try query(identity.statement) }
            let value = try body()
            try execute("commit")
            return value
        } catch {
            try? execute("rollback")
            throw error
        }
    }

    /// Whether something may be committed by what is sent next: everything outside a transaction but what begins one,
    /// and inside of one the commit alone.
    func mayCommit(_ command: String) -> Bool {
        PQtransactionStatus(connection) == PQTRANS_IDLE
            ? !command.hasPrefix("begin") : command.hasPrefix("commit")
    }

    /// The rows of a result, or the error it represents.
    ///
    /// - Parameter mayCommit: whether something may have been committed if the connection was lost.
    func rows(of result: OpaquePointer?, mayCommit: Bool) throws(PostgresError) -> Rows {
        guard let result else { throw .connectionLost(mayHaveCommitted: mayCommit) }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY, PGRES_COPY_IN, PGRES_COPY_OUT:
            return Rows(result: result)
        default:
            defer { PQclear(result) }
            guard let error = ServerError(result: result), !error.endsConnection else {
                throw .connectionLost(mayHaveCommitted: mayCommit)
            }
            throw .server(error)
        }
    }
}

/// What libpq says about a connection, without the final newline.
func connectionMessage(_ connection: OpaquePointer) -> String {
    var text = String(cString: PQerrorMessage(connection))
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
}
