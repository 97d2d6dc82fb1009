import JSONBytes
import Postgres
import School
import Values

/// An organization whose turn it is.
package struct ExportedOrganization: Sendable {
    package let id: OrganizationID
    let timeZone: String

    /// Every organization of the deployment.
    package static func all(_ connection: BlockingConnection) throws -> [ExportedOrganization] {
        try connection.query(.exportableOrganizations).map { row in
            try ExportedOrganization(
                id: OrganizationID(row.uuid("organization_id")), timeZone: row.text("time_zone"))
        }
    }
}

/// Writes the folder of an organization and a date.
///
/// Reads as `school_exporter` in one repeatable-read transaction, at whose end it remembers the snapshot. The
/// folder appears before the commit: a crash between both repeats changes in the next folder and loses none.
package struct NightlyExport {
    /// What is wanted of a run.
    package struct Wishes: Sendable {
        /// The folder that holds a folder for each organization.
        package var root: String
        /// The date; yesterday in the organization's time zone when `nil`.
        package var day: Day?
        /// Everything, not only what changed.
        package var isFull = false
        /// Writes another folder where the date is exported already.
        package var again = false

        package init(root: String) {
            self.root = root
        }
    }

    /// What became of an organization.
    package enum Outcome: Sendable {
        case exported(path: String, rows: Int)
        /// The date was exported before; nothing was written.
        case alreadyThere(path: String)
    }

    private let connection: BlockingConnection
    private let wishes: Wishes
    private let progress: (String) -> Void

    /// Connects for exports, with the settings on which the bytes of the files depend.
    package static func connect(_ url: String) throws -> BlockingConnection {
        try BlockingConnection(
            url, options: ["extra_float_digits": "1", "jit": "off", "statement_timeout": "0"])
    }

    /// - Parameters:
    ///   - connection: made by `connect`, of a login that may become `school_exporter`; for this alone while it runs.
    ///   - progress: is told what is being written.
    package init(
        _ connection: BlockingConnection, _ wishes: Wishes,
        progress: @escaping (String) -> Void = { _ in }
    ) {
        self.connection = connection
        self.wishes = wishes
        self.progress = progress
    }

    /// Exports one organization, or throws and leaves nothing behind.
    package func export(_ organization: ExportedOrganization) throws -> Outcome {
        guard try connection.query(.lockExport(of: organization.id))[0].bool("is_taken") else {
            throw ExportError.running
        }
        defer { _ = try? connection.query(.unlockExport(of: organization.id)) }
        let day = try wishes.day ?? yesterday(organization)
        let folder = ExportFolder(
            wishes.root, organizationID: organization.id, day: day, again: wishes.again)
        try folder.clean()
        guard !folder.exists else { return .alreadyThere(path: folder.path) }
        do {
            try folder.begin()
            try connection.execute("begin isolation level repeatable read")
            let rows = try write(organization.id, day, into: folder)
            try connection.execute("commit")
            return .exported(path: folder.path, rows: rows)
        } catch {
            try? connection.execute("rollback")
            folder.giveUp()
            throw error
        }
    }

    private func yesterday(_ organization: ExportedOrganization) throws -> Day {
        try connection.query(.yesterday(in: organization.timeZone))[0].day("yesterday")
    }

    /// Everything between begin and commit.
    private func write(
        _ organizationID: OrganizationID, _ day: Day, into folder: ExportFolder
    ) throws -> Int {
        let caller = Caller(
            organizationID: organizationID, personID: nil, standings: [.exporter])
        let last = try connection.query(
            .lastSnapshot(of: organizationID), as: caller.identity)[0]
        let since = wishes.isFull ? nil : try last.optionalTimestamp("since")
        let age = since == nil ? nil : try last.optionalInt("age").map { Int32($0) }
        let changes = Changes(organizationID: organizationID, age: age, since: since)
        var manifest = Manifest(
            organizationID: organizationID, day: day, takenAt: try last.timestamp("taken_at"),
            since: since)

        var rows = 0
        for set in DataSet.all {
            rows += try write(set, changes, into: folder.aside, manifest: &manifest)
        }
        let script = LoadScript(organizationID: organizationID, isFull: since == nil)
        for (name, content) in [
            (SchemaDocument.name, SchemaDocument.bytes), (LoadScript.name, Array(script.text.utf8)),
        ] {
            manifest.files.append(
                (try OutputFile.write(content, as: name, in: folder.aside), nil))
        }
        _ = try OutputFile.write(manifest.bytes, as: Manifest.name, in: folder.aside)

        try connection.query(
            .rememberSnapshot(
                of: organizationID, day: day, takenAt: manifest.takenAt, since: since))
        try connection.query(
            .audit(
                "export", subjectKind: "organization", subject: organizationID.uuid,
                details: [
                    "date": .text(day.description), "full": .bool(since == nil),
                    "rows": .number(.init(Int64(rows))),
                ]))
        try folder.appear()
        return rows
    }

    /// Both files of a data set; answers its rows.
    private func write(
        _ set: DataSet, _ changes: Changes, into folder: String, manifest: inout Manifest
    ) throws -> Int {
        let csv = try PackedFile("\(set.name).csv.gz", in: folder)
        let lines = try PackedFile("\(set.name).ndjson.gz", in: folder)
        try connection.copyOut(.csv(set.rows(changes))) { try csv.write(record: $0) }
        try connection.copyOut(.lines(set.rows(changes))) { try lines.write(record: $0) }
        let rows = csv.records - 1
        guard rows == lines.records else { throw ExportError.differentCounts(dataSet: set.name) }
        manifest.files.append((try csv.finish(), rows))
        manifest.files.append((try lines.finish(), rows))
        progress("\(set.name): \(rows) rows")
        return rows
    }
}
