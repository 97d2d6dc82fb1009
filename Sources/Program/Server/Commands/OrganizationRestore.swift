import Crypto
import Files
import JSONBytes
import Log
import Postgres
import School
import Values

extension Subcommand {
    static let organizationRestore = Subcommand(
        "organization restore",
        "Takes in an organization from the folder that organization archive wrote.",
        operands: ["FOLDER"],
        options: [
            .optional(
                "digest", "DIGEST", "What organization archive printed: refuses any other archive."),
            .flag("keep-sessions", "Takes in sign-ins, tokens and codes, if the archive has them."),
            .json,
        ]
    ) { invocation in
        let folder = invocation.operands[0]
        let manifest = try ArchiveManifest(of: folder)
        let isChecked = try manifest.isChecked(against: invocation.value("digest"))
        if !isChecked {
            complain(
                "The archive was not compared with a digest. Anyone who could write to \(folder) could make anyone an "
                    + "administrator of this organization. Give the digest with --digest.", .warning
            )
        }
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        let connection = try installation.connectAsOwner(invocation.settings)
        try connection.execute("set role school_owner")
        let restore = OrganizationRestore(
            connection, manifest, folder, keepsSessions: invocation.has("keep-sessions"))
        try restore.run()
        invocation.report([
            ("organizationId", .text(manifest.organizationID.uuid.description)),
            ("name", .text(manifest.organizationName)),
            ("tables", .number(JSONNumber(Int64(restore.tables.count)))),
            ("rows", .number(JSONNumber(Int64(restore.tables.reduce(0) { $0 + $1.rows })))),
            ("isChecked", .bool(isChecked)),
        ])
    }
}

extension ArchiveManifest {
    /// Whether it was compared with a digest that was noted elsewhere; refuses another archive than that.
    fileprivate func isChecked(against noted: String?) throws -> Bool {
        guard let noted else { return false }
        guard noted.lowercased() == digest else {
            throw CommandFailure(
                "The archive has another digest, \(digest): it was changed, or is another one. Nothing was changed."
            )
        }
        return true
    }
}

/// Restores an archive, all or nothing, and verifies that every table then matches the archive.
struct OrganizationRestore {
    /// How much is inserted at once.
    private static let batchBytes = 1 << 20

    private let connection: BlockingConnection
    private let manifest: ArchiveManifest
    private let folder: String
    /// What is taken in.
    let tables: [ArchiveManifest.Table]

    /// - Parameter keepsSessions: whether `ArchiveManifest.sessionTables` are taken in.
    init(
        _ connection: BlockingConnection, _ manifest: ArchiveManifest, _ folder: String,
        keepsSessions: Bool = false
    ) {
        self.connection = connection
        self.manifest = manifest
        tables = manifest.tables.filter {
            keepsSessions || !ArchiveManifest.sessionTables.contains($0.name)
        }
        self.folder = folder
    }

    func run() throws {
        let known = try knownTables()
        for table in manifest.tables { try verify(table) }
        do {
            try connection.transaction {
                try connection.query("select set_config('lock_timeout', '1min', true)")
                try connection.query("select school.pause_triggers(true)")
                for table in known {
                    guard let entry = tables.first(where: { $0.name == table.name }) else {
                        continue
                    }
                    try restore(entry, atOnce: table.isSelfReferring)
                }
                try connection.execute("set constraints all immediate")
                try connection.query("select school.pause_triggers(false)")
                for table in tables { try compare(table) }
                try connection.query("select school.finish_restoring(\(manifest.organizationID))")
            }
        } catch let error as PostgresError {
            switch error.constraint {
            case "domain_directory_pkey":
                throw CommandFailure("Another organization here has a domain of the archive.")
            case "managed_id_directory_pkey":
                throw CommandFailure("Someone here has a managed ID of the archive.")
            default: throw error
            }
        }
    }

    /// The tables of this database, after checking that they have every column of the archive.
    private func knownTables() throws -> [ArchivedTable] {
        let present = try connection.query(
            """
            select exists (select from school.organization
                            where organization_id = \(manifest.organizationID)) as is_present
            """)
        guard try !present[0].bool("is_present") else {
            throw CommandFailure(
                "The organization \(manifest.organizationID.uuid) is here already. Nothing was changed."
            )
        }
        let known = try ArchivedTable.all(connection)
        for table in manifest.tables {
            let columns = known.first { $0.name == table.name }?.columns
            guard let columns, Set(table.columns).isSubset(of: columns) else {
                throw CommandFailure(
                    """
                    This Homeroom does not know everything in the archive's table \(table.name). Restore it \
                    with the version that made it, or a newer one.
                    """)
            }
        }
        return known
    }

    /// Compares a file with its entry in the manifest.
    private func verify(_ table: ArchiveManifest.Table) throws {
        let file = try File.reading("\(folder)/\(table.file)")
        let digest = RunningSHA256()
        while let piece = try file.next() { piece.withUnsafeBytes { digest.update($0) } }
        guard digest.digest().description == table.sha256 else {
            throw CommandFailure(
                "\(folder)/\(table.file) is not as the manifest says. Nothing was changed.")
        }
    }

    private func restore(_ table: ArchiveManifest.Table, atOnce: Bool) throws {
        let file = try File.reading("\(folder)/\(table.file)")
        var waiting: [UInt8] = []
        var restored = 0
        while let piece = try file.next(upTo: 1 << 20) {
            waiting += piece
            guard !atOnce, waiting.count >= Self.batchBytes,
                let end = waiting.lastIndex(of: UInt8(ascii: "\n"))
            else { continue }
            restored += try insert(waiting[..<end], into: table)
            waiting.removeSubrange(...end)
        }
        if waiting.last == UInt8(ascii: "\n") { waiting.removeLast() }
        if !waiting.isEmpty { restored += try insert(waiting[...], into: table) }
        guard restored == table.rows else {
            throw CommandFailure(
                """
                \(folder)/\(table.file) has rows of another organization, or not as many as the manifest says. \
                Nothing was changed.
                """)
        }
    }

    /// - Parameter lines: without the last line feed.
    private func insert(_ lines: ArraySlice<UInt8>, into table: ArchiveManifest.Table) throws -> Int
    {
        let separated = lines.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: ",") : $0 }
        let rows = "[\(String(decoding: separated, as: UTF8.self))]"
        return try connection.query(
            """
            select school.restore_rows(\(manifest.organizationID), \(table.name), \(table.columns),
                                       \(rows)::json) as restored
            """)[0].int("restored")
    }

    /// Reads the table back.
    private func compare(_ table: ArchiveManifest.Table) throws {
        let present = try ArchivedRows(of: manifest.organizationID, table.name, table.columns)
            .read(connection) { _ in }
        guard present.sha256 == table.sha256 else {
            throw CommandFailure(
                "\(table.name) would not be as in the archive. Nothing was changed; report this.")
        }
    }
}
