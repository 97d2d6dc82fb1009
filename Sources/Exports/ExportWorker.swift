import Glibc
import Log
import Postgres
import School

/// Runs ordered exports one after the other on a thread of its own, as long as there are any, and removes the files
/// of those whose time is over.
///
/// Each process has one, woken when it starts, whenever it takes an order, and now and then. Workers of several
/// processes share the orders in the database; each takes what no other works on, also what a dead one left
/// behind.
package final class ExportWorker: Sendable {
    /// How long to wait before looking again whether somebody else finished, or died over, an export.
    private static let pauseMicroseconds: UInt32 = 500_000

    private let spool: ExportSpool
    private let log: Log?
    private let thread: WorkerThread

    /// A database that is gone is waited for ten minutes.
    init(spool: ExportSpool, log: Log?) {
        self.spool = spool
        self.log = log
        thread = WorkerThread(retrySeconds: 3, retriesMax: 200) { error, _ in
            log?.error("exports interrupted", ["cause": .text(logText(of: error))])
        }
    }

    /// Sees to it that whatever is ordered now gets its turn.
    ///
    /// - Parameter target: the database, as the server's login.
    func wake(target: String) {
        thread.wake {
            let connection = try NightlyExport.connect(target)
            try self.drain(connection)
            try self.spool.removeExpired(connection)
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
}
