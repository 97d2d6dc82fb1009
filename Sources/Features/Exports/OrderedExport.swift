import API
import Files
import JSONBytes
import Postgres
import School
import Values

/// An export that was ordered by a call, while one worker processes it.
struct OrderedExport {
    /// How often a worker may begin it; an export that keeps killing its workers is given up.
    static let attemptsMax = 3

    let id: ExportID
    let organizationID: OrganizationID
    let timeZone: String

    init(_ row: Row) throws {
        id = ExportID(try row.uuid("export_id"))
        organizationID = OrganizationID(try row.uuid("organization_id"))
        timeZone = try row.text("time_zone")
    }

    /// Runs it; returns false if someone else is exporting the organization at the moment.
    ///
    /// The files appear before the commit that says so; if a crash happens between the two, they are written again.
    /// Errors are recorded, and thrown.
    func run(_ connection: BlockingConnection, spool: ExportSpool) throws -> Bool {
        let run = ExportRun(connection: connection, organizationID: organizationID)
        return try run.locked {
            try write(by: run, into: spool.folder(of: id, in: organizationID))
        } != nil
    }

    private func write(by run: ExportRun, into folder: ExportFolder) throws {
        let identity = run.caller.identity
        guard let begun = try run.connection.query(.begin(id), as: identity).first else { return }
        guard try begun.int("attempts") <= Self.attemptsMax else {
            try run.connection.query(
                .fail(
                    id, "The server stopped \(Self.attemptsMax) times while it wrote this export."),
                as: identity)
            folder.giveUp()
            return
        }
        do {
            while try !isWritten(by: run, into: folder) {}
        } catch {
            try run.connection.query(
                .fail(id, OrderedExport.sentence(for: error)), as: identity)
            throw error
        }
    }

    /// Writes it; false if someone was erased in the meantime whose data it would contain.
    private func isWritten(by run: ExportRun, into folder: ExportFolder) throws -> Bool {
        let connection = run.connection
        try connection.query(.waitForErasures(in: organizationID))
        folder.giveUp()
        try folder.remove()
        do {
            _ = try run.write(folder) {
                let last = try connection.query(.snapshotBefore(id), as: run.caller.identity)[0]
                try connection.query(.carryToken(of: id))
                let day = try connection.query(.today(in: timeZone))[0].day("today")
                return try ExportRun.Plan(last, of: organizationID, day: day)
            } record: { _, manifest in
                try connection.query(.succeed(id, manifest))
            }
            return true
        } catch PostgresError.server(let server) where server.sqlState == "40001" {
            return false
        }
    }

    /// The error text for the person who ordered it.
    static func sentence(for error: any Error) -> String {
        if (error as? FileError)?.isForLackOfSpace == true { return Problem.storageFull.title }
        if (error as? PostgresError)?.sqlState == "53100" { return Problem.storageFull.title }
        return """
            Something went wrong on our side. The log of the server has the cause under the id of \
            this export.
            """
    }
}
