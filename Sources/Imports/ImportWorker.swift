import EventLoop
import Glibc
import Log
import Postgres
import School
import Synchronization

/// Runs imports one after the other on a thread of its own, as long as there are any.
///
/// Each process has one, woken when it starts and whenever it accepts an import. Workers of several
/// processes share the queue in the database, and each takes what no other works on, also what a dead one
/// left behind.
package final class ImportWorker: Sendable {
    /// How long to wait before looking again whether another process finished, or died over, its import.
    static let pauseMicroseconds: UInt32 = 500_000
    /// How long to wait for a database that is gone, and how often.
    static let retrySeconds: UInt32 = 3
    static let retriesMax = 200

    private struct State {
        var isRunning = false
        var isWanted = false
    }

    private let spool: String
    private let log: Log?
    private let state = Mutex(State())
    /// What this process did.
    let tallies = ImportTallies()

    /// - Parameter spool: the folder in which archives lie while they are read.
    package init(spool: String, log: Log?) {
        self.spool = spool
        self.log = log
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
        if mustStart { startThread { self.work(target) } }
    }

    private func work(_ target: String) {
        var retries = 0
        while takeWish() {
            do {
                try ImportQueue(target: target, spool: spool, log: log, tallies: tallies).drain()
            } catch {
                log?.error("imports interrupted", ["cause": .text(ImportQueue.cause(error))])
                guard retries < ImportWorker.retriesMax else { continue }
                retries += 1
                sleep(ImportWorker.retrySeconds)
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
