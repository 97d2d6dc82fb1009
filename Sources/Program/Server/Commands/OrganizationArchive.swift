import Crypto
import Files
import JSONBytes
import Postgres
import School
import Values

extension Subcommand {
    static let organizationArchive = Subcommand(
        "organization archive",
        "Writes everything of one organization as files that another Homeroom can restore.",
        operands: ["ID"],
        options: [
            .required("out", "FOLDER", "A new folder; only its owner can read the files."),
            .flag(
                "keep-sessions",
                "Takes sign-ins, tokens and codes along, so that nobody has to sign in again."),
            .json,
        ]
    ) { invocation in
        let organizationID = OrganizationID(try invocation.operandID())
        let folder = try BackupFolder.path(invocation.value("out") ?? "")
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        let connection = try installation.connectAsOwner(invocation.settings)
        try connection.execute("set role school_owner")
        let manifest = try OrganizationArchive(
            connection, organizationID, keepsSessions: invocation.has("keep-sessions")
        ).write(to: folder)
        invocation.report([
            ("organizationId", .text(organizationID.uuid.description)),
            ("name", .text(manifest.organizationName)), ("folder", .text(folder)),
            ("takenAt", .text(manifest.takenAt.description)),
            ("tables", .number(JSONNumber(Int64(manifest.tables.count)))),
            ("rows", .number(JSONNumber(Int64(manifest.rows)))),
            // To be noted elsewhere.
            ("digest", .text(manifest.digest)),
        ])
    }
}

/// Writes everything of one organization, from one snapshot: a file of JSON lines for each table, a description of
/// tables and columns, and a manifest with digests.
struct OrganizationArchive {
    private let connection: BlockingConnection
    private let organizationID: OrganizationID
    private let keepsSessions: Bool

    /// - Parameters:
    ///   - connection: as the owner of the schema.
    ///   - keepsSessions: whether `ArchiveManifest.sessionTables` are in it.
    init(
        _ connection: BlockingConnection, _ organizationID: OrganizationID,
        keepsSessions: Bool = false
    ) {
        self.connection = connection
        self.organizationID = organizationID
        self.keepsSessions = keepsSessions
    }

    /// The folder appears when it is complete.
    func write(to folder: String) throws -> ArchiveManifest {
        guard Folder.kind(of: folder) == nil else {
            throw CommandFailure("\(folder) is there already. Name a new folder.")
        }
        let aside = "\(folder).partial"
        try Folder.remove(aside)
        try Folder.make(aside, mode: 0o700, isDurable: true)
        do {
            try connection.execute("begin isolation level repeatable read")
            let manifest = try writeFiles(to: aside)
            try Folder.sync(aside)
            try Folder.rename(aside, to: folder)
            try connection.execute("commit")
            return manifest
        } catch {
            try? connection.execute("rollback")
            try? Folder.remove(aside)
            throw error
        }
    }

    private func writeFiles(to folder: String) throws -> ArchiveManifest {
        let found = try connection.query(
            """
            select name, school.moment() as taken_at from school.organization
             where organization_id = \(organizationID) and not school.is_development(organization_id)
            """)
        guard let organization = found.first else {
            throw CommandFailure("There is no such organization.")
        }
        // The archive contains the event that says that it was made.
        try connection.query(
            """
            select school.write_audit_event(
                       \(organizationID), 'export', 'server', null, null, null, 'organization',
                       \(organizationID.uuid.description), '{"archive": true}')
            """)
        let tables = try ArchivedTable.all(connection).filter {
            keepsSessions || !ArchiveManifest.sessionTables.contains($0.name)
        }
        let manifest = ArchiveManifest(
            organizationID: organizationID, organizationName: try organization.text("name"),
            takenAt: try organization.timestamp("taken_at"),
            tables: try tables.map { try write($0, to: folder) })
        let schema: JSONValue = ["tables": .array(tables.map(\.description))]
        try write(
            schema.bytes + [UInt8(ascii: "\n")], to: "\(folder)/\(ArchiveManifest.schemaName)")
        try write(manifest.bytes, to: "\(folder)/\(ArchiveManifest.name)")
        return manifest
    }

    private func write(_ content: [UInt8], to path: String) throws {
        let file = try File.creating(path, mode: 0o600)
        try file.append(content)
        try file.sync()
    }

    private func write(
        _ table: ArchivedTable, to folder: String
    ) throws -> ArchiveManifest.Table {
        let file = try File.creating("\(folder)/\(table.name).ndjson", mode: 0o600)
        var waiting: [UInt8] = []
        let summary = try ArchivedRows(of: organizationID, table.name, table.columns)
            .read(connection) { line in
                waiting.append(contentsOf: line)
                guard waiting.count >= 1 << 16 else { return }
                try file.append(waiting)
                waiting.removeAll(keepingCapacity: true)
            }
        try file.append(waiting)
        try file.sync()
        return summary
    }
}

/// The rows of an organization in a table, as lines of JSON.
struct ArchivedRows {
    private let organizationID: OrganizationID
    private let table: String
    private let columns: [String]

    init(of organizationID: OrganizationID, _ table: String, _ columns: [String]) {
        self.organizationID = organizationID
        self.table = table
        self.columns = columns
    }

    /// Reads them in order, and returns how many there are and their digest.
    ///
    /// - Parameter take: is given each line with its line feed.
    func read(
        _ connection: BlockingConnection, _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> ArchiveManifest.Table {
        let digest = RunningSHA256()
        var rows = 0
        var bytes = 0
        try connection.copyOut(.copyArchived(table, columns, of: organizationID)) { line in
            digest.update(line)
            rows += 1
            bytes += line.count
            try take(line)
        }
        return ArchiveManifest.Table(
            name: table, columns: columns, rows: rows, bytes: bytes,
            sha256: digest.digest().description)
    }
}
