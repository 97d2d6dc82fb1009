import CLibpq

extension BlockingConnection {
    /// Sends rows for `copy … from stdin`: the body passes chunks of any size to its parameter. If the body
    /// throws, PostgreSQL drops all of it. Returns the number of rows.
    @discardableResult
    package func copyIn(
        _ statement: Statement, _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> Int {
        let mayCommit = mayCommit("")
        let start = try rows(
            of: PQexec(connection, statement.makeTextWithLiterals()), mayCommit: false)
        guard PQresultStatus(start.result) == PGRES_COPY_IN else {
            throw PostgresError.misuse("the statement takes no rows")
        }
        do {
            try body { chunk in
                let status = PQputCopyData(
                    connection, chunk.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(chunk.count))
                guard status == 1 else {
                    throw PostgresError.connectionLost(mayHaveCommitted: false)
                }
            }
        } catch {
            _ = PQputCopyEnd(connection, "given up")
            _ = try? finishCopy(mayCommit: false)
            throw error
        }
        guard PQputCopyEnd(connection, nil) == 1 else {
            throw PostgresError.connectionLost(mayHaveCommitted: false)
        }
        return try finishCopy(mayCommit: mayCommit)
    }

    /// Receives the rows of `copy … to stdout`; the body gets one row at a time. If it throws, the remaining
    /// rows are read and dropped.
    package func copyOut(
        _ statement: Statement, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let start = try rows(
            of: PQexec(connection, statement.makeTextWithLiterals()), mayCommit: false)
        guard PQresultStatus(start.result) == PGRES_COPY_OUT else {
            throw PostgresError.misuse("the statement gives no copy")
        }
        var failure: (any Error)?
        var row: UnsafeMutablePointer<CChar>?
        while true {
            let length = PQgetCopyData(connection, &row, 0)
            guard length >= 0 else { break }
            defer { PQfreemem(row) }
            guard failure == nil else { continue }
            do { try body(UnsafeRawBufferPointer(start: row, count: Int(length))) } catch {
                failure = error
            }
        }
        try finishCopy(mayCommit: false)
        if let failure { throw failure }
    }

    @discardableResult
    private func finishCopy(mayCommit: Bool) throws(PostgresError) -> Int {
        var affected = 0
        var failure: PostgresError?
        while let result = PQgetResult(connection) {
            do throws(PostgresError) {
                affected = try rows(of: result, mayCommit: mayCommit).affected
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return affected
    }
}
