import CLibpq

/// Why a statement returned no rows.
package enum PostgresError: Error, Sendable, Equatable {
    /// PostgreSQL refused; the transaction around the statement is rolled back.
    case server(ServerError)
    /// There is no connection to PostgreSQL, and the wait for one is over. The text is for the log.
    case unavailable(String)
    /// Too many statements wait already, or one waited too long.
    case busy(retryAfterSeconds: Int)
    /// The connection broke while the statement was in progress.
    ///
    /// If it may have committed, only the database knows the outcome; a caller must never report success.
    case connectionLost(mayHaveCommitted: Bool)
    /// The task was cancelled, and the statement with it.
    case cancelled
    /// A column is missing, is null, or has another type than the program expects.
    case unexpected(column: String, String)
    /// The library was used against its rules or the server broke the protocol. The text is for the log.
    case misuse(String)

    /// The five characters of SQLSTATE, if PostgreSQL gave them.
    package var sqlState: String? {
        if case .server(let error) = self { error.sqlState } else { nil }
    }

    /// Whether a plan used a function, policy or table that has since been replaced, as by a migration: the
    /// statement had no effect, and the next try finds the new one.
    package var isStalePlan: Bool {
        if case .server(let error) = self { error.isStalePlan } else { false }
    }

    /// The named constraint that PostgreSQL found violated, if any.
    package var constraint: String? {
        if case .server(let error) = self { error.constraint } else { nil }
    }
}

/// For logs and terminals, without anything that a row held.
extension PostgresError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .server(let error): error.quotable
        case .unavailable(let reason): "no connection to the database: \(reason)"
        case .busy(let seconds): "the database is busy; try again in \(seconds) s"
        case .connectionLost(true): "connection lost; whether it was committed is unknown"
        case .connectionLost(false): "connection lost; nothing was committed"
        case .cancelled: "the statement was cancelled"
        case .unexpected(let column, let reason): "column \(column): \(reason)"
        case .misuse(let reason): reason
        }
    }
}

/// What PostgreSQL says about a statement that it refused.
///
/// Message and detail may quote data, including names of people, so they must not reach clients or logs. Those
/// use `quotable`.
package struct ServerError: Sendable, Equatable {
    package let sqlState: String
    package let message: String
    package let detail: String?
    package let hint: String?
    package let schema: String?
    package let table: String?
    package let column: String?
    package let constraint: String?
    /// Whether it is the last message of a backend, which ignores what was sent after the statement: FATAL, or
    /// PANIC, which takes down the whole server.
    let endsConnection: Bool
    /// Whether the server crashed while writing, so that even a commit may turn out to be done.
    let isPanic: Bool

    /// An internal error by its SQLSTATE, so that only the message identifies it. The message is the same in
    /// every language, as PostgreSQL does not translate internal errors.
    var isStalePlan: Bool {
        sqlState == "XX000"
            && (message.hasPrefix("cache lookup failed for ")
                || message.hasPrefix("could not find trigger ")
                || message.hasPrefix("could not open relation with OID "))
    }

    /// The code with the message, which never has the details of rows. The message of a data exception (class
    /// 22) repeats the bad value, so for those only the code is given; the constraint is named in either case.
    var quotable: String {
        let said = sqlState.hasPrefix("22") ? sqlState : "\(sqlState): \(message)"
        return constraint.map { said.contains($0) ? said : "\(said), constraint \($0)" } ?? said
    }

    /// `nil` for what libpq itself reports: the connection is then broken.
    init?(result: OpaquePointer) {
        func field(_ code: UInt8) -> String? {
            PQresultErrorField(result, Int32(code)).map { String(cString: $0) }
        }
        guard let sqlState = field(UInt8(ascii: "C")) else { return nil }
        self.sqlState = sqlState
        message = field(UInt8(ascii: "M")) ?? String(cString: PQresultErrorMessage(result))
        detail = field(UInt8(ascii: "D"))
        hint = field(UInt8(ascii: "H"))
        schema = field(UInt8(ascii: "s"))
        table = field(UInt8(ascii: "t"))
        column = field(UInt8(ascii: "c"))
        constraint = field(UInt8(ascii: "n"))
        let severity = field(UInt8(ascii: "V"))
        isPanic = severity == "PANIC"
        endsConnection = isPanic || severity == "FATAL"
    }
}
