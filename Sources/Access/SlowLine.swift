import API
import EventLoop
import HTTPServer
import Synchronization

/// Where sign-ins wait if their network has sent many wrong passwords: one per second goes on. A right password among
/// them still signs in, only later.
final class SlowLine: Sendable {
    private static let nanosecondsPerTurn: Int64 = 1_000_000_000
    /// The maximum number of waiting sign-ins per network.
    private static let most: Int64 = 16
    private static let maximumNetworks = 10_000

    /// When the next sign-in of a network may go on.
    private let turns = Mutex<[String: Int64]>([:])

    /// Waits for a turn; 429 if too many wait.
    func wait(_ network: String) async throws {
        let now = Loop.current?.now ?? 0
        guard let nanoseconds = takeTurn(network, now: now) else {
            throw Problem.tooManyTries(retryAfterSeconds: Int(Self.most))
        }
        if nanoseconds > 0 { await pause(milliseconds: Int(nanoseconds / 1_000_000) + 1) }
        try Task.checkCancellation()
    }

    /// The nanoseconds until the turn that was taken; `nil` if too many wait.
    func takeTurn(_ network: String, now: Int64) -> Int64? {
        turns.withLock { turns in
            let turn = max(now, turns[network] ?? 0)
            guard turn - now < Self.most * Self.nanosecondsPerTurn else { return nil }
            if turns.count >= Self.maximumNetworks { turns = turns.filter { $0.value > now } }
            turns[network] = turn + Self.nanosecondsPerTurn
            return turn - now
        }
    }
}
