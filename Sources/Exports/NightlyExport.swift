import Glibc
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
        /// How long to wait while another run has the organization.
        package var lockSeconds = 10
        /// Exports although the audit trail is not the one that former exports saw.
        package var acceptsAuditTrail = false
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
        try BlockingConnection(url, options: settings)
    }

    /// Connects again where the database was away for that time at most.
    package static func reconnect(_ url: String, seconds: Int) throws -> BlockingConnection {
        try Reconnecting(seconds: seconds).connect(url, options: settings)
    }

    /// The last one has a killed run's statement end, and give its lock back, in a second.
    private static let settings: KeyValuePairs = [
        "extra_float_digits": "1", "jit": "off", "statement_timeout": "0",
        "client_connection_check_interval": "1s",
    ]

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
        try lock(organization.id)
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

    /// Waits some seconds for the lock: that of a run that was killed is given back when its server notices.
    private func lock(_ organizationID: OrganizationID) throws {
        var attempts = wishes.lockSeconds * 4
        while try !connection.query(.lockExport(of: organizationID))[0].bool("is_taken") {
            attempts -= 1
            guard attempts > 0 else { throw ExportError.running }
            usleep(250_000)
        }
    }

    private func yesterday(_ organization: ExportedOrganization) throws -> Day {
        try connection.query(.yesterday(in: organization.timeZone))[0].day("yesterday")
    }

    /// Everything between begin and commit. Answers how many rows there are.
    private func write(
        _ organizationID: OrganizationID, _ day: Day, into folder: ExportFolder
    ) throws -> Int {
        let caller = Caller(
            organizationID: organizationID, personID: nil, standings: [.exporter])
        try checkAuditTrail(of: organizationID, as: caller)
        let last = try connection.query(
            .lastSnapshot(of: organizationID), as: caller.identity)[0]
        let takenAt = try last.timestamp("taken_at")
        let since = wishes.isFull ? nil : try last.optionalTimestamp("since")
        let age = since == nil ? nil : try last.optionalInt("age").map { Int32($0) }
        let manifest = try ExportWriting(connection: connection, progress: progress).write(
            Changes(organizationID: organizationID, age: age, since: since), of: day, at: takenAt,
            into: folder)
        try connection.query(
            .rememberSnapshot(
                of: organizationID, day: day, takenAt: takenAt, since: since,
                auditHead: manifest.auditHead))
        try folder.appear()
        return manifest.rows
    }

    /// Refuses where the audit trail does not hold the seal that the last export carried away, as the database
    /// and as the manifest beside the new folder say: somebody has removed its end, or made it afresh.
    private func checkAuditTrail(of organizationID: OrganizationID, as caller: Caller) throws {
        let remembered = try connection.query(
            .lastAuditHead(of: organizationID), as: caller.identity
        ).first.map(AuditHead.init)
        if wishes.acceptsAuditTrail { return }
        let written = AuditHead.latest(in: "\(wishes.root)/\(organizationID.uuid)")
        for head in [remembered, written].compactMap({ $0 }) {
            let outcome = try connection.query(.outcome(of: head), as: caller.identity)[0]
            guard try outcome.text("outcome") == "found" else {
                throw ExportError.auditTrailCut(seal: head.noted(of: organizationID))
            }
        }
    }
}
