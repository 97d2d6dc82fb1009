import EventLoop
import Glibc
import Synchronization

/// A thread that runs when it is woken, as long as anybody asks for it: for queues in the database, which a process
/// works off beside what it serves.
///
/// There is one at most, and none while there is nothing to do. Whoever asks while it works makes it look once more.
package final class WorkerThread: Sendable {
    private struct State {
        var isRunning = false
        var isWanted = false
    }

    private let retrySeconds: UInt32
    private let retriesMax: Int
    private let onFailure: @Sendable (_ error: any Error, _ isGivenUp: Bool) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - retrySeconds: how long to wait after a failure, such as of a database that is gone.
    ///   - retriesMax: how often in one run; then it waits to be woken again.
    ///   - onFailure: is told of each failure, on the thread.
    package init(
        retrySeconds: UInt32, retriesMax: Int,
        onFailure: @escaping @Sendable (_ error: any Error, _ isGivenUp: Bool) -> Void
    ) {
        self.retrySeconds = retrySeconds
        self.retriesMax = retriesMax
        self.onFailure = onFailure
    }

    /// Sees to it that whatever is queued now gets its turn.
    ///
    /// - Parameter work: does all that there is to do; while the thread runs, what it was begun with.
    package func wake(_ work: @escaping @Sendable () throws -> Void) {
        let mustStart = state.withLock { state in
            state.isWanted = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { startThread { self.run(work) } }
    }

    private func run(_ work: () throws -> Void) {
        var retries = 0
        while takeWish() {
            do {
                try work()
            } catch {
                let isGivenUp = retries >= retriesMax
                onFailure(error, isGivenUp)
                guard !isGivenUp else { continue }
                retries += 1
                sleep(retrySeconds)
                state.withLock { $0.isWanted = true }
            }
        }
    }

    /// Whether somebody asked for work since the last look; ends the run where nobody did.
    private func takeWish() -> Bool {
        state.withLock { state in
            state.isRunning = state.isWanted
            state.isWanted = false
            return state.isRunning
        }
    }
}
