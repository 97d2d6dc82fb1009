import EventLoop
import Glibc
import Log
import Synchronization

/// Works off a queue in the database beside the requests, on a thread of its own, as long as there is something in it.
///
/// Each process has one for each of its queues, woken when it starts and whenever it puts something in. Workers of
/// several processes share the queue: each claims what no other works on, also what a dead one left behind. There is
/// one thread at most, and none while there is nothing to do.
package final class QueueWorker: Sendable {
    /// What one look at the queue came to.
    package enum Look: Sendable {
        /// Something is done; there may be more.
        case worked
        /// What is left is claimed by others, who may die over it.
        case claimedByOthers
        case empty
    }

    /// How long to wait after a failure, and how often in one run; then the worker waits to be woken again.
    package struct Patience: Sendable {
        let seconds: UInt32
        let retries: Int
        /// Whether the log hears of each failure, or of the one that ends the run alone.
        let isEachLogged: Bool

        package init(seconds: UInt32, retries: Int, logsEach isEachLogged: Bool) {
            self.seconds = seconds
            self.retries = retries
            self.isEachLogged = isEachLogged
        }
    }

    private struct State {
        var isRunning = false
        var isWanted = false
    }

    /// How long to wait before looking again at what others have claimed.
    package static let pauseMicroseconds: UInt32 = 500_000

    private let trouble: StaticString
    private let patience: Patience
    private let log: Log?
    private let work: @Sendable (_ target: String) throws -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - trouble: what the log says of a failure.
    ///   - work: does all there is to do in the database of that address; mostly by `drain`.
    package init(
        trouble: StaticString, _ patience: Patience, log: Log?,
        work: @escaping @Sendable (_ target: String) throws -> Void
    ) {
        self.trouble = trouble
        self.patience = patience
        self.log = log
        self.work = work
    }

    /// Works until the queue is empty, and waits for what others have claimed.
    package static func drain(_ look: () throws -> Look) throws {
        while true {
            switch try look() {
            case .worked: continue
            case .claimedByOthers: usleep(pauseMicroseconds)
            case .empty: return
            }
        }
    }

    /// Sees to it that whatever is queued now gets its turn.
    ///
    /// - Parameter target: the database, as the server's login.
    package func wake(target: String) {
        let mustStart = state.withLock { state in
            state.isWanted = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { startThread { self.run(target) } }
    }

    private func run(_ target: String) {
        var retries = 0
        while takeWish() {
            do {
                try work(target)
            } catch {
                let isGivenUp = retries >= patience.retries
                if isGivenUp || patience.isEachLogged {
                    log?.error(trouble, ["cause": .text(logText(of: error))])
                }
                guard !isGivenUp else { continue }
                retries += 1
                sleep(patience.seconds)
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
