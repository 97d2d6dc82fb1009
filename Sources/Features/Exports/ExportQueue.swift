import Log
import Postgres
import School

/// The ordered exports in the database, as seen by one worker.
struct ExportQueue {
    private let connection: BlockingConnection
    private let spool: ExportSpool
    private let log: Log?

    init(target: String, spool: ExportSpool, log: Log?) throws {
        connection = try NightlyExport.connect(target)
        self.spool = spool
        self.log = log
    }

    /// Runs every ordered export that does not have to wait for another run.
    func look() throws -> QueueWorker.Look {
        let orders = try connection.query(.unfinishedExports).map(OrderedExport.init)
        if orders.isEmpty { return .empty }
        var hasRun = false
        for order in orders where try run(order) { hasRun = true }
        return hasRun ? .worked : .claimedByOthers
    }

    /// Removes the files of expired exports.
    func removeExpired() throws { try spool.removeExpired(connection) }

    /// Returns whether it is done. A failure of this export alone is logged and does not keep the others from
    /// running.
    private func run(_ order: OrderedExport) throws -> Bool {
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
