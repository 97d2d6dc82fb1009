import Postgres
import School
import Values

/// One export of an organization, nightly or ordered: from taking the lock until the folder appears.
///
/// Reads as `school_exporter` in one repeatable-read transaction. The folder appears before the commit: a crash
/// between the two repeats changes in the next folder and loses none.
struct ExportRun {
    /// What a folder will contain, as the database says at the beginning of the transaction.
    struct Plan {
        let changes: Changes
        let day: Day
        let takenAt: Timestamp

        /// - Parameter isFull: everything, not only changes since the last snapshot.
        init(
            _ snapshot: Row, of organizationID: OrganizationID, day: Day, isFull: Bool = false
        ) throws {
            let since = isFull ? nil : try snapshot.optionalTimestamp("since")
            let age = since == nil ? nil : try snapshot.optionalInt("age").map { Int32($0) }
            changes = Changes(organizationID: organizationID, age: age, since: since)
            self.day = day
            takenAt = try snapshot.timestamp("taken_at")
        }
    }

    let connection: BlockingConnection
    let organizationID: OrganizationID
    /// Called with what is being written.
    var progress: (String) -> Void = { _ in }

    /// The caller that it reads as.
    var caller: Caller {
        Caller(organizationID: organizationID, personID: nil, standings: [.exporter])
    }

    /// Runs the body while no other run has the organization; `nil`, without running it, if another has it.
    func locked<Value>(_ body: () throws -> Value) throws -> Value? {
        guard try connection.query(.lockExport(of: organizationID))[0].bool("is_taken") else {
            return nil
        }
        defer { _ = try? connection.query(.unlockExport(of: organizationID)) }
        return try body()
    }

    /// Writes the folder, or throws and leaves nothing behind.
    ///
    /// - Parameters:
    ///   - plan: queried in the transaction, before anything is written.
    ///   - record: records in the same transaction what was written.
    func write(
        _ folder: ExportFolder, plan: () throws -> Plan,
        record: (Plan, ExportManifest) throws -> Void
    ) throws -> ExportManifest {
        do {
            try folder.begin()
            try connection.execute("begin isolation level repeatable read")
            let plan = try plan()
            let manifest = try ExportWriting(connection: connection, progress: progress)
                .write(plan.changes, of: plan.day, at: plan.takenAt, into: folder)
            try record(plan, manifest)
            try folder.appear()
            try connection.execute("commit")
            return manifest
        } catch {
            try? connection.execute("rollback")
            folder.giveUp()
            throw error
        }
    }
}
