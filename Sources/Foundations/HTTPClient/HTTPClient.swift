import EventLoop
import Synchronization

/// Asks other servers by HTTPS, on a few helper threads.
///
/// It does not follow redirects, keep cookies or use a proxy, and connects to private addresses only if it was made so
/// that it may. Each call is limited in time and length, so that no server can hold it for long. A host that is slow
/// keeps only those waiting who ask that host, and a party that asks much only itself.
package final class HTTPClient: OutgoingCalls {
    /// How long a call may take, how much it may receive, and how many there may be.
    package struct Limits: Sendable {
        /// For everything, from resolving the name to the last byte.
        package var milliseconds = 5000
        /// Of the body, and again of the head.
        package var bytes = 262_144
        /// Whether a longer body is cut off instead of being a failure.
        package var ignoresRest = false
        /// Calls at a time.
        package var running = 8
        /// Calls at a time to one host, whatever the port.
        package var runningToOne = 4
        /// Calls to one host that wait for their turn.
        package var waitingForOne = 32
        /// Calls at a time of one party.
        package var runningForParty = 2
        /// Calls of one party that wait for their turn.
        package var waitingForParty = 32

        package init() {}
    }

    private let limits: Limits
    private let reachesLocal: Bool
    private let threads: BlockingThreads
    private let turns: Turns

    /// - Parameter reachesLocal: whether servers may be on this machine, there also without TLS, or in a network that
    ///   is not the Internet.
    package init(reachesLocal: Bool = false, limits: Limits = Limits()) {
        self.reachesLocal = reachesLocal
        self.limits = limits
        threads = BlockingThreads(count: limits.running, queueLimit: limits.running)
        turns = Turns(limits)
    }

    package func send(_ request: OutgoingRequest) async throws -> OutgoingAnswer {
        guard request.address.isSecure || reachesLocal else { throw OutgoingFailure.notSecure }
        let host = request.address.host
        let turn = Turns.Turn(
            host: host.hasSuffix(".") ? String(host.dropLast()) : host, party: request.party)
        let ticket = try await turns.take(turn)
        defer { turns.give(ticket) }
        let call = CurlCall(request: request, limits: limits, reachesLocal: reachesLocal)
        do {
            return try await threads.run { try call.perform() }
        } catch is BlockingThreads.Full {
            throw OutgoingFailure.busy
        }
    }
}

/// Admits calls: so many in all, so many to one host, so many of one party. The others wait, so many for one host and of
/// one party.
final class Turns: Sendable {
    /// What a call takes a turn of.
    struct Turn {
        let host: String
        /// On whose behalf it is made; `nil` for nobody's in particular, who has no limit.
        let party: String?
    }

    private struct Waiting {
        let ticket: Int
        let turn: Turn
        let go: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var running: [Int: Turn] = [:]
        var waiting: [Waiting] = []
        var lastTicket = 0

        func hasRoom(for turn: Turn, _ limits: HTTPClient.Limits) -> Bool {
            let calls = running.values
            return calls.count < limits.running
                && calls.count(where: { $0.host == turn.host }) < limits.runningToOne
                && (turn.party == nil
                    || calls.count(where: { $0.party == turn.party }) < limits.runningForParty)
        }

        func mayWait(for turn: Turn, _ limits: HTTPClient.Limits) -> Bool {
            waiting.count(where: { $0.turn.host == turn.host }) < limits.waitingForOne
                && (turn.party == nil
                    || waiting.count(where: { $0.turn.party == turn.party })
                        < limits.waitingForParty)
        }
    }

    private let limits: HTTPClient.Limits
    private let state = Mutex(State())

    init(_ limits: HTTPClient.Limits) {
        self.limits = limits
    }

    /// Waits for a turn, and returns what to give it back with. Throws `OutgoingFailure.busy` if too many wait, or the
    /// task is cancelled.
    func take(_ turn: Turn) async throws -> Int {
        try Task.checkCancellation()
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let verdict = admit(Waiting(ticket: ticket, turn: turn, go: continuation))
                if let verdict { continuation.resume(with: verdict) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.waiting.firstIndex { $0.ticket == ticket }
                    .map { state.waiting.remove(at: $0) }
            }
            waiting?.go.resume(throwing: CancellationError())
        }
        return ticket
    }

    /// Ends a turn, and begins that of the first who waits and may go.
    func give(_ ticket: Int) {
        let next: Waiting? = state.withLock { state in
            state.running[ticket] = nil
            guard
                let index = state.waiting.firstIndex(where: {
                    state.hasRoom(for: $0.turn, limits)
                })
            else { return nil }
            let next = state.waiting.remove(at: index)
            state.running[next.ticket] = next.turn
            return next
        }
        next?.go.resume()
    }

    /// `nil` if the call has to wait.
    private func admit(_ call: Waiting) -> Result<Void, any Error>? {
        state.withLock { state in
            if state.hasRoom(for: call.turn, limits) {
                state.running[call.ticket] = call.turn
                return .success(())
            }
            guard state.mayWait(for: call.turn, limits) else {
                return .failure(OutgoingFailure.busy)
            }
            state.waiting.append(call)
            return nil
        }
    }
}
