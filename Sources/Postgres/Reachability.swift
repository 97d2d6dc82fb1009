import CLibpq
import Glibc

/// Whether there is a server behind a target, whatever it says to a login.
package enum Reachability: Sendable, Equatable {
    /// It takes connections; who is refused is refused for another reason, such as a password.
    case answers
    /// It is away, or starts up, or ends.
    case away
    /// Nothing was tried: the target is not one.
    case unusable

    /// Asks the server; waits as long as connecting may take.
    package static func of(_ target: String) -> Reachability {
        switch ConnectionSettings(target).withPointers({ PQpingParams($0, $1, 1) }) {
        case PQPING_OK: .answers
        case PQPING_NO_ATTEMPT: .unusable
        default: .away
        }
    }
}

/// Attempts to connect to a database that may be away for a while, as while it is restarted.
package struct Reconnecting {
    /// How often a server that answers may refuse, as one that is full does, or one that came back meanwhile.
    private static let refusalsMax = 5

    /// Between two attempts; answers false to give up.
    private let pause: (PostgresError) throws -> Bool

    /// - Parameter pause: waits for a moment, and answers whether to try again; is told what went wrong.
    package init(pause: @escaping (PostgresError) throws -> Bool) {
        self.pause = pause
    }

    /// Tries again every quarter of a second for that time.
    package init(seconds: Int) {
        var rest = seconds * 4
        self.init { _ in
            rest -= 1
            usleep(250_000)
            return rest > 0
        }
    }

    /// Opens a connection, or throws what the last attempt met; at once where waiting makes no difference.
    package func connect(
        _ target: String, options: KeyValuePairs<String, String> = [:]
    ) throws -> BlockingConnection {
        var refusals = 0
        while true {
            do {
                return try BlockingConnection(target, options: options)
            } catch {
                switch Reachability.of(target) {
                case .unusable: throw error
                case .answers: refusals += 1
                case .away: refusals = 0
                }
                guard refusals < Reconnecting.refusalsMax, try pause(error) else { throw error }
            }
        }
    }
}
