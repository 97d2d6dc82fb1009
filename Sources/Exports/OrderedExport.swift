import Files
import JSONBytes
import Postgres
import School
import Values

/// An export that a call ordered, on its way through one worker.
struct OrderedExport {
    /// How often a worker may begin it: one that ends its workers is given up.
    static let attemptsMax = 3

    let id: ExportID
    let organizationID: OrganizationID
    let timeZone: String

    init(_ row: Row) throws {
        id = ExportID(try row.uuid("export_id"))
        organizationID = OrganizationID(try row.uuid("organization_id"))
        timeZone = try row.text("time_zone")
    }

    /// Runs it, unless somebody else exports the organization right now: then false.
    ///
    /// The files appear before the commit that says so; what a crash between both leaves is written afresh.
    /// What goes wrong is recorded, and thrown.
    func run(_ connection: BlockingConnection, spool: ExportSpool) throws -> Bool {
        guard try connection.query(.lockExport(of: organizationID))[0].bool("is_taken") else {
            return false
        }
        defer { _ = try? connection.query(.unlockExport(of: organizationID)) }
        let caller = Caller(
            organizationID: organizationID, personID: nil, standings: [.exporter])
        guard let begun = try connection.query(.begin(id), as: caller.identity).first else {
            return true
        }
        let folder = spool.folder(of: id, in: organizationID)
        guard try begun.int("attempts") <= Self.attemptsMax else {
            try connection.query(
                .fail(
                    id, "The server stopped \(Self.attemptsMax) times while it wrote this export."),
                as: caller.identity)
            folder.giveUp()
            return true
        }
        do {
            while try !isWritten(connection, as: caller, into: folder) {}
        } catch {
            try connection.query(
                .fail(id, OrderedExport.sentence(for: error)), as: caller.identity)
            throw error
        }
        return true
    }

    /// Writes it; false: somebody was erased meanwhile, and it would tell of that person.
    private func isWritten(
        _ connection: BlockingConnection, as caller: Caller, into folder: ExportFolder
    ) throws -> Bool {
        try connection.query(.waitForErasures(in: organizationID))
        do {
            folder.giveUp()
            try folder.remove()
            try folder.begin()
            try connection.execute("begin isolation level repeatable read")
            try write(connection, as: caller, into: folder)
            try connection.execute("commit")
            return true
        } catch {
            try? connection.execute("rollback")
            folder.giveUp()
            guard case PostgresError.server(let server) = error, server.sqlState == "40001" else {
                throw error
            }
            return false
        }
    }

    /// What whoever ordered it is told.
    static func sentence(for error: any Error) -> String {
        if (error as? FileError)?.isForLackOfRoom == true { return Problem.storageFull.title }
        if (error as? PostgresError)?.sqlState == "53100" { return Problem.storageFull.title }
        return """
            Something went wrong on our side. The log of the server has the cause under the id of \
            this export.
            """
    }

    /// Everything between begin and commit.
    private func write(
        _ connection: BlockingConnection, as caller: Caller, into folder: ExportFolder
    ) throws {
        let last = try connection.query(.snapshotBefore(id), as: caller.identity)[0]
        try connection.query(.carryToken(of: id))
        let since = try last.optionalTimestamp("since")
        let takenAt = try last.timestamp("taken_at")
        let day = try connection.query(.today(in: timeZone))[0].day("today")
        let changes = Changes(
            organizationID: organizationID,
            age: since == nil ? nil : try last.optionalInt("age").map { Int32($0) }, since: since)
        let manifest = try ExportWriting(connection: connection, progress: { _ in })
            .write(changes, of: day, at: takenAt, into: folder)
        try connection.query(.succeed(id, manifest))
        try folder.appear()
    }
}
