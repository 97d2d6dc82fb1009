import EventLoop
import Synchronization

/// Asks other servers by HTTPS, on a few helper threads.
///
/// It does not follow redirects, keep cookies or use a proxy, and connects to private addresses only if it was made so
/// that it may. Each call is limited in time and length, so that no server can hold it for long. A server that is
/// slow keeps only those waiting who ask that server.
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
        /// Calls at a time to one server.
        package var runningToOne = 4
        /// Calls to one server that wait for their turn.
        package var waitingForOne = 32

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
        let server = request.address.origin
        try await turns.take(server)
        defer { turns.give(server) }
        let call = CurlCall(request: request, limits: limits, reachesLocal: reachesLocal)
        do {
            return try await threads.run { try call.perform() }
        } catch is BlockingThreads.Full {
            throw OutgoingFailure.busy
        }
    }
}

/// Admits calls: so many in all, so many to one server. The others wait, so many for one server.
final class Turns: Sendable {
    private struct Waiting {
        let ticket: Int
        let server: String
        let go: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var running: [String: Int] = [:]
        var waiting: [Waiting] = []
        var lastTicket = 0

        func hasRoom(for server: String, _ limits: HTTPClient.Limits) -> Bool {
            running.values.reduce(0, +) < limits.running
                && running[server, default: 0] < limits.runningToOne
        }
    }

    private let limits: HTTPClient.Limits
    private let state = Mutex(State())

    init(_ limits: HTTPClient.Limits) {
        self.limits = limits
    }

    /// Waits for a turn; throws `OutgoingFailure.busy` if too many wait for the server, or the task is cancelled.
    func take(_ server: String) async throws {
        try Task.checkCancellation()
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let verdict = admit(Waiting(ticket: ticket, server: server, go: continuation))
                if let verdict { continuation.resume(with: verdict) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.waiting.firstIndex { $0.ticket == ticket }
                    .map { state.waiting.remove(at: $0) }
            }
            waiting?.go.resume(throwing: CancellationError())
        }
    }

    /// Ends a turn, and begins that of the first who waits and may go.
    func give(_ server: String) {
        let next: Waiting? = state.withLock { state in
            let left = state.running[server, default: 1] - 1
            state.running[server] = left == 0 ? nil : left
            guard
                let index = state.waiting.firstIndex(where: {
                    state.hasRoom(for: $0.server, limits)
                })
            else { return nil }
            let next = state.waiting.remove(at: index)
            state.running[next.server, default: 0] += 1
            return next
        }
        next?.go.resume()
    }

    /// `nil` if the call has to wait.
    private func admit(_ call: Waiting) -> Result<Void, any Error>? {
        state.withLock { state in
            if state.hasRoom(for: call.server, limits) {
                state.running[call.server, default: 0] += 1
                return .success(())
            }
            guard state.waiting.count(where: { $0.server == call.server }) < limits.waitingForOne
            else { return .failure(OutgoingFailure.busy) }
            state.waiting.append(call)
            return nil
        }
    }
}
