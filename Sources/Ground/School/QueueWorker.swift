import EventLoop
import Glibc
import Log
import Synchronization

/// Works off a queue in the database beside the requests, on a thread of its own, until the queue is empty.
///
/// Each process has one worker per queue, woken when the process starts and whenever it adds something to the queue.
/// Workers of several processes share the queue: each claims what no other is working on, including what a dead
/// worker left behind. A worker has at most one thread, and none while there is nothing to do.
package final class QueueWorker: Sendable {
    /// The result of one look at the queue.
    package enum Look: Sendable {
        /// Something was done; there may be more.
        case worked
        /// The rest is claimed by others, such as workers, which may die before they finish.
        case claimedByOthers
        case empty
    }

    /// How long to wait after a failure, and how often in one run. After that, the worker waits until it is woken
    /// again.
    package struct Patience: Sendable {
        let seconds: UInt32
        let retries: Int
        /// Whether each failure is logged, or only the one that ends the run.
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
        var isStopped = false
    }

    /// How long to wait before checking again what other workers have claimed.
    package static let pauseMicroseconds: UInt32 = 500_000

    private let trouble: StaticString
    private let patience: Patience
    private let log: Log?
    private let work: @Sendable (_ target: String, _ isStopped: () -> Bool) throws -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - trouble: the log message of a failure.
    ///   - work: does all the work in the database with that connection string, usually by `drain`, until it is
    ///     stopped.
    package init(
        trouble: StaticString, _ patience: Patience, log: Log?,
        work: @escaping @Sendable (_ target: String, _ isStopped: () -> Bool) throws -> Void
    ) {
        self.trouble = trouble
        self.patience = patience
        self.log = log
        self.work = work
    }

    /// Works until the queue is empty or the worker is stopped, and waits for what other workers have claimed.
    package static func drain(
        _ look: () throws -> Look, until isStopped: () -> Bool = { false }
    ) throws {
        while !isStopped() {
            switch try look() {
            case .worked: continue
            case .claimedByOthers: usleep(pauseMicroseconds)
            case .empty: return
            }
        }
    }

    /// Makes sure that everything now in the queue will be processed.
    ///
    /// - Parameter target: connection string of the database, as the server's login.
    package func wake(target: String) {
        let mustStart = state.withLock { state in
            state.isWanted = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { startThread { self.run(target) } }
    }

    /// Begins nothing more, also if it is woken. What it has begun ends by itself, or with its connection.
    package func stop() { state.withLock { $0.isStopped = true } }

    /// Whether its thread is there.
    package var isRunning: Bool { state.withLock { $0.isRunning } }

    private func run(_ target: String) {
        var retries = 0
        while takeWish() {
            do {
                try work(target) { state.withLock { $0.isStopped } }
            } catch {
                guard !state.withLock({ $0.isStopped }) else { continue }
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

    /// Whether work was requested since the last look; ends the run if not.
    private func takeWish() -> Bool {
        state.withLock { state in
            state.isRunning = state.isWanted && !state.isStopped
            state.isWanted = false
            return state.isRunning
        }
    }
}
