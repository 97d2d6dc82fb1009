import EventLoop
import School
import Values

/// One open answer with the changes of a report. Confined to its loop.
final class LiveReader: @unchecked Sendable {
    enum News: Equatable {
        /// The report is at another position now.
        case position(String)
        /// Nothing; only a sign that the connection is alive.
        case sign
        case end
    }

    private let loop: Loop
    private let place: LiveCount.Place
    private let caller: Caller
    /// What the reader was sent last.
    private(set) var position: String
    private var hasMoved = false
    private var isSignDue = false
    private var hasEnded = false
    private var waiting: CheckedContinuation<Void, Never>?

    init(_ caller: Caller, at position: String, place: LiveCount.Place, on loop: Loop) {
        self.caller = caller
        self.position = position
        self.place = place
        self.loop = loop
    }

    /// What to send next; waits until there is something.
    func next() async -> News {
        while !hasEnded, !Task.isCancelled {
            if hasMoved {
                (hasMoved, isSignDue) = (false, false)
                return .position(position)
            }
            if isSignDue {
                isSignDue = false
                return .sign
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiting = $0 }
            } onCancel: {
                loop.execute { self.wake() }
            }
        }
        return .end
    }

    /// The report is at this position. A reader that is slow gets only the last one.
    func move(to position: String) {
        guard position != self.position else { return }
        self.position = position
        hasMoved = true
        wake()
    }

    /// Has something sent, so that a dead connection is noticed and proxies keep a live one.
    func sign() {
        isSignDue = true
        wake()
    }

    func end() {
        hasEnded = true
        wake()
    }

    /// Whether the token has come to its own end.
    func hasExpired(at moment: Timestamp) -> Bool { caller.expiresAt.map { $0 <= moment } ?? false }

    /// Whether a message of the channel `school_revocation` may be about its token.
    func mayBeRevoked(by message: String) -> Bool { caller.mayBeRevoked(by: message) }

    private func wake() {
        let waiting = waiting
        self.waiting = nil
        waiting?.resume()
    }
}
