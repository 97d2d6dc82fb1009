import CLibpq
import Glibc

/// Whether there is a server at a target, whatever it says to a login.
package enum Reachability: Sendable, Equatable {
    /// It accepts connections; a refused login has another cause, such as a password.
    case answers
    /// It is down, starting up or shutting down.
    case away
    /// Nothing was tried: the target is not valid.
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

/// Attempts to connect to a database that may be down for a while, as during a restart.
package struct Reconnecting {
    /// How often in a row a server that is up may refuse, as when it is full, or came up only after the attempt.
    private static let refusalsMax = 5

    /// Called between two attempts; returns false to give up.
    private let pause: (PostgresError) throws -> Bool

    /// - Parameter pause: waits for a moment, given the last error, and returns whether to try again.
    package init(pause: @escaping (PostgresError) throws -> Bool) {
        self.pause = pause
    }

    /// Retries every quarter of a second for that time.
    package init(seconds: Int) {
        var rest = seconds * 4
        self.init { _ in
            rest -= 1
            usleep(250_000)
            return rest > 0
        }
    }

    /// Opens a connection, or throws the error of the last attempt; does so at once if waiting cannot help.
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
