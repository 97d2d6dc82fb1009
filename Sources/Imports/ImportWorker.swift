import Log
import Postgres
import School

/// Runs imports one after the other on a thread of its own, as long as there are any.
///
/// Each process has one, woken when it starts and whenever it accepts an import. Workers of several
/// processes share the queue in the database, and each takes what no other works on, also what a dead one
/// left behind.
package final class ImportWorker: Sendable {
    /// How long to wait before looking again whether another process finished, or died over, its import.
    static let pauseMicroseconds: UInt32 = 500_000

    private let spool: String
    private let log: Log?
    private let thread: WorkerThread
    /// What this process did.
    let tallies = ImportTallies()

    /// A database that is gone is waited for ten minutes.
    ///
    /// - Parameter spool: the folder in which archives lie while they are read.
    package init(spool: String, log: Log?) {
        self.spool = spool
        self.log = log
        thread = WorkerThread(retrySeconds: 3, retriesMax: 200) { error, _ in
            log?.error("imports interrupted", ["cause": .text(logText(of: error))])
        }
    }

    /// Sees to it that whatever is queued now gets its turn.
    ///
    /// - Parameter target: the database, as the server's login.
    package func wake(target: String) {
        thread.wake {
            try ImportQueue(
                target: target, spool: self.spool, log: self.log, tallies: self.tallies
            ).drain()
        }
    }
}
