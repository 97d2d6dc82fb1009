import EventLoop
import Glibc
import Log
import Postgres
import School
import Synchronization

/// Runs ordered exports one after the other on a thread of its own, as long as there are any, and removes the files
/// of those whose time is over.
///
/// Each process has one, woken when it starts, whenever it takes an order, and now and then. Workers of several
/// processes share the orders in the database; each takes what no other works on, also what a dead one left
/// behind.
package final class ExportWorker: Sendable {
    /// How long to wait before looking again whether somebody else finished, or died over, an export.
    private static let pauseMicroseconds: UInt32 = 500_000
    /// How long to wait for a database that is gone, and how often.
    private static let retrySeconds: UInt32 = 3
    private static let retriesMax = 200

    private struct State {
        var isRunning = false
        var isWanted = false
    }

    private let spool: ExportSpool
    private let log: Log?
    private let state = Mutex(State())

    init(spool: ExportSpool, log: Log?) {
        self.spool = spool
        self.log = log
    }

    /// Sees to it that whatever is ordered now gets its turn.
    ///
    /// - Parameter target: the database, as the server's login.
    func wake(target: String) {
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
                let connection = try NightlyExport.connect(target)
                try drain(connection)
                try spool.removeExpired(connection)
            } catch {
                log?.error("exports interrupted", ["cause": .text(logText(of: error))])
                guard retries < Self.retriesMax else { continue }
                retries += 1
                sleep(Self.retrySeconds)
                state.withLock { $0.isWanted = true }
            }
        }
    }

    /// Runs every export that is ordered, and waits for those that others run or keep from running.
    private func drain(_ connection: BlockingConnection) throws {
        while true {
            let orders = try connection.query(.unfinishedExports).map(OrderedExport.init)
            if orders.isEmpty { return }
            var hasRun = false
            for order in orders where try run(order, connection) { hasRun = true }
            if !hasRun { usleep(Self.pauseMicroseconds) }
        }
    }

    /// Whether it is done. What was wrong with it alone is logged, and keeps no other from its turn.
    private func run(_ order: OrderedExport, _ connection: BlockingConnection) throws -> Bool {
        do {
            return try order.run(connection, spool: spool)
        } catch {
            log?.error(
                "export failed",
                ["export_id": .uuid(order.id.uuid), "cause": .text(logText(of: error))])
            if case PostgresError.connectionLost = error { throw error }
            return true
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
