import API
import EventLoop
import HTTPServer
import Synchronization

/// Where sign-ins wait if their network has sent many wrong passwords: one per second goes on. A right password among
/// them still signs in, only later.
final class SlowLine: Sendable {
    private static let nanosecondsPerTurn: Int64 = 1_000_000_000
    private static let maximumNetworks = 10_000

    /// When the next sign-in of a network may go on.
    private let turns = Mutex<[String: Int64]>([:])

    /// Waits for a turn; 503 if it comes later than the caller waits.
    ///
    /// - Parameter request: what is to say how long it still waits.
    func wait(_ network: String, _ patience: Patience, of request: HTTPRequest) async throws {
        let time = Loop.current?.time ?? .real
        switch takeTurn(network, patience, now: time.now) {
        case .comeBack(let nanoseconds):
            throw Problem.signInBusy(retryAfterSeconds: Int(nanoseconds / 1_000_000_000) + 1)
        case .goesOn(let nanoseconds):
            guard nanoseconds > 0 else { return }
            let end = time.now + nanoseconds
            request.setWait { Int(max(0, end - time.now) / 1_000_000_000) + 1 }
            defer { request.setWait(nil) }
            await pause(milliseconds: Int(nanoseconds / 1_000_000) + 1)
            try Task.checkCancellation()
        }
    }

    /// When a sign-in gets its turn.
    enum Turn: Equatable {
        case goesOn(after: Int64)
        /// No turn is free so soon.
        case comeBack(after: Int64)
    }

    /// Takes a turn of the network.
    func takeTurn(_ network: String, _ patience: Patience, now: Int64) -> Turn {
        turns.withLock { turns in
            let turn = max(now, turns[network] ?? 0)
            let excess = turn - now - Int64(patience.rawValue) * Self.nanosecondsPerTurn
            guard excess < 0 else { return .comeBack(after: excess + Self.nanosecondsPerTurn) }
            if turns.count >= Self.maximumNetworks { turns = turns.filter { $0.value > now } }
            turns[network] = turn + Self.nanosecondsPerTurn
            return .goesOn(after: turn - now)
        }
    }
}
