import EventLoop
import Files
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres

extension Problem {
    /// Turns any error into a problem for the client; an unknown error becomes a 500.
    ///
    /// - Parameter constraints: problems for violations of named constraints.
    package init(explaining error: any Error, constraints: [String: Problem]) {
        switch error {
        case let problem as Problem: self = problem
        case is BlockingThreads.Full: self = .busy
        // The client has gone or has its answer: no one reads this.
        case _ where error.isGivenUp: self = .unavailable
        case let error as PostgresError: self = Problem.explain(error, constraints)
        case let error as FileError where error.isForLackOfSpace: self = .storageFull
        case let error as JSONError: self = Problem.malformed(error)
        case let refusal as HTTPRefusal:
            self.init(
                refusal.status, refusal.code, "The body cannot be read.", detail: refusal.detail,
                headers: [ResponseField("Connection", "close")])
        default: self = .internalError
        }
    }

    private static func explain(
        _ error: PostgresError, _ constraints: [String: Problem]
    ) -> Problem {
        switch error {
        case .server(let server): explain(server, constraints)
        case .busy(let seconds):
            Problem(
                503, "busy", "Too many requests are waiting.",
                detail: "Nothing was changed. Try again after the time in Retry-After.",
                headers: [ResponseField("Retry-After", String(seconds))])
        case .unavailable: .unavailable
        case .cancelled: .timedOut
        case .connectionLost(let mayHaveCommitted):
            mayHaveCommitted
                ? Problem(
                    503, "outcome_unknown", "The connection to the database was lost.",
                    detail: "It is unknown whether the change was made. Read before you repeat it.",
                    headers: [ResponseField("Retry-After", "1")])
                : .unavailable
        default: .internalError
        }
    }

    private static func explain(
        _ error: ServerError, _ constraints: [String: Problem]
    ) -> Problem {
        if error.sqlState.hasPrefix("23") {
            if let name = error.constraint, let problem = constraints[name] { return problem }
            return Problem(
                409, "conflict", "This contradicts what is stored.",
                detail: error.constraint.map { "It breaks the rule \($0)." })
        }
        switch error.sqlState {
        case "42501": return .forbidden("This role may not do that.")
        case "40001", "40P01", "55P03": return .contended
        case "57014": return .timedOut
        case "53100": return .storageFull
        // In the middle of a transaction, which cannot be repeated from here.
        case _ where PostgresError.server(error).isStalePlan: return .unavailable
        // Read-only: a standby, or a server that is about to become one.
        case "25006": return .unavailable
        default:
            let isTrouble = Self.classesOfTrouble.contains(String(error.sqlState.prefix(2)))
            return isTrouble ? .unavailable : .internalError
        }
    }

    /// SQLSTATE classes: connection, resources, operator intervention, system errors outside PostgreSQL.
    private static let classesOfTrouble: Set<String> = ["08", "53", "57", "58"]

    private static func malformed(_ error: JSONError) -> Problem {
        Problem(
            400, "malformed_json", "The body is not valid JSON.",
            detail: "\(error.reason.sentence) That is at byte \(error.offset).",
            errors: [
                Invalid(
                    pointer: error.pointer, code: "malformed_json", detail: error.reason.sentence)
            ])
    }
}

extension Error {
    /// Whether the request was abandoned: client gone, or deadline passed.
    package var isGivenUp: Bool {
        self is CancellationError || self is ConnectionLost || self as? PostgresError == .cancelled
    }
}
