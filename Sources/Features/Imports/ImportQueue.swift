import Log
import Metrics
import Postgres
import School

/// The queue of imports in the database, as seen by one worker.
package struct ImportQueue {
    private let work: BlockingConnection
    private let notes: BlockingConnection
    private let log: Log?
    private let target: String
    private let tallies: ImportTallies?

    package init(
        target: String, log: Log?, tallies: ImportTallies? = nil
    ) throws {
        work = try BlockingConnection(target)
        notes = try BlockingConnection(target)
        self.target = target
        self.log = log
        self.tallies = tallies
    }

    /// Runs the next import that is queued or was left behind.
    package func look() throws -> QueueWorker.Look {
        if try runNext() != nil { return .worked }
        let hasUnfinished = try notes.query(.hasUnfinishedImports())[0].bool("has_unfinished")
        return hasUnfinished ? .claimedByOthers : .empty
    }

    /// Runs the next import that no worker has claimed; `nil` when there is none.
    ///
    /// - Parameters:
    ///   - organizationID: only imports of that organization.
    ///   - report: called with the progress, from 0 to 1.
    package func runNext(
        of organizationID: OrganizationID? = nil, report: @escaping (Double) -> Void = { _ in }
    ) throws -> ImportID? {
        try notes.query(.prepareTurns())
        var claimed: ClaimedImport?
        defer { tallies?.running.set(0) }
        do {
            let outcome = try work.transaction {
                claimed = try work.query(.claim(of: organizationID)).first.map(ClaimedImport.init)
                tallies?.running.set(claimed == nil ? 0 : 1)
                return try claimed?.run(work: work, notes: notes, report: report)
            }
            if let claimed, let outcome { try finish(claimed, outcome) }
        } catch {
            guard let claimed else { throw error }
            log?.error(
                "import broke",
                [
                    "import_id": .uuid(claimed.importID.uuid),
                    "cause": .text(logText(of: error)),
                ])
            if case PostgresError.connectionLost = error { throw error }
            try claimed.fail(notes)
            tallies?.count(.failed)
        }
        return claimed?.importID
    }

    private func finish(_ claimed: ClaimedImport, _ outcome: ImportOutcome) throws {
        tallies?.count(outcome.status)
        log?.info(
            "import ended",
            [
                "import_id": .uuid(claimed.importID.uuid),
                "status": .text(outcome.status.rawValue), "errors": .int(outcome.errorCount),
            ])
        if outcome.status == .succeeded, outcome.files.contains(where: \.changesAnything) {
            try notes.query(.analyseDirectory())
        }
    }
}
