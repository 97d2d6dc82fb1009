import Files
import Glibc
import JSONBytes
import Postgres
import School
import Values

/// An organization to export.
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

/// Writes the folder of an organization and a date, and stores the snapshot it contains.
package struct NightlyExport {
    /// The options of a run.
    package struct Wishes: Sendable {
        /// The folder that holds a folder for each organization.
        package var root: String
        /// The date; `nil` means yesterday in the organization's time zone.
        package var day: Day?
        /// Everything, not only what changed.
        package var isFull = false
        /// How long to wait while another run has the organization.
        package var lockSeconds = 10
        /// Exports even if the audit trail is not the one that earlier exports saw.
        package var acceptsAuditTrail = false
        /// Writes another folder if the date is already exported.
        package var again = false

        package init(root: String) {
            self.root = root
        }
    }

    /// The result for an organization.
    package enum Outcome: Sendable {
        case exported(path: String, rows: Int)
        /// The date was exported before; nothing was written.
        case alreadyThere(path: String)
    }

    private let connection: BlockingConnection
    private let wishes: Wishes
    private let progress: (String) -> Void

    /// Connects for exports, with the settings that determine the bytes of the files.
    package static func connect(_ url: String) throws -> BlockingConnection {
        try BlockingConnection(url, options: settings)
    }

    /// Reconnects if the database was unreachable for no longer than that.
    package static func reconnect(_ url: String, seconds: Int) throws -> BlockingConnection {
        try Reconnecting(seconds: seconds).connect(url, options: settings)
    }

    /// With the last one, the statement of a killed run ends, and its lock is released, within a second.
    private static let settings: KeyValuePairs = [
        "extra_float_digits": "1", "jit": "off", "statement_timeout": "0",
        "client_connection_check_interval": "1s",
    ]

    /// - Parameters:
    ///   - connection: made by `connect`, with a login that may become `school_exporter`; used exclusively during the
    ///     run.
    ///   - progress: called with what is being written.
    package init(
        _ connection: BlockingConnection, _ wishes: Wishes,
        progress: @escaping (String) -> Void = { _ in }
    ) {
        self.connection = connection
        self.wishes = wishes
        self.progress = progress
    }

    /// Exports one organization, or throws and leaves nothing behind.
    ///
    /// Waits some seconds for the lock: a killed run's lock is released when its server notices.
    package func export(_ organization: ExportedOrganization) throws -> Outcome {
        let run = ExportRun(
            connection: connection, organizationID: organization.id, progress: progress)
        var attempts = wishes.lockSeconds * 4
        while true {
            if let outcome = try run.locked({ try export(organization, run) }) { return outcome }
            attempts -= 1
            guard attempts > 0 else { throw ExportError.running }
            usleep(250_000)
        }
    }

    private func export(_ organization: ExportedOrganization, _ run: ExportRun) throws -> Outcome {
        let day = try wishes.day ?? yesterday(organization)
        let folder = ExportFolder(
            wishes.root, organizationID: organization.id, day: day, again: wishes.again)
        try folder.clean()
        guard !folder.exists else { return .alreadyThere(path: folder.path) }
        let written = WrittenFolder.all(in: folder.parent)
        try check(day, of: organization, after: written)
        let manifest = try run.write(folder) {
            try checkAuditTrail(of: organization.id, written.last?.auditHead, as: run.caller)
            // What the receiver has is what lies here, whatever other folders were written meanwhile.
            let last = try connection.query(
                .snapshot(of: organization.id, takenAt: written.last?.snapshotAt),
                as: run.caller.identity)[0]
            let keptFrom = try keptFrom(as: run.caller)
            let keepsFull = written.contains { $0.since == nil && $0.day >= keptFrom ?? $0.day }
            return try ExportRun.Plan(
                last, of: organization.id, day: day,
                isFull: wishes.isFull || keptFrom != nil && !keepsFull)
        } record: { plan, manifest in
            try connection.query(
                .rememberSnapshot(
                    of: organization.id, day: day, takenAt: plan.takenAt,
                    since: plan.changes.since, auditHead: manifest.auditHead))
        }
        try removeOld(of: organization.id, as: run.caller)
        return .exported(path: folder.path, rows: manifest.rows)
    }

    /// Receivers load folders in the order of their dates: none may come before one that is there, or after today.
    private func check(
        _ day: Day, of organization: ExportedOrganization, after written: [WrittenFolder]
    ) throws {
        if let last = written.last, day < last.day {
            throw ExportError.dateBefore(day, last: last.name)
        }
        let today = try connection.query(.today(in: organization.timeZone))[0].day("today")
        guard day <= today else { throw ExportError.dateAhead(day, today: today) }
    }

    /// The first day whose folders the organization's rule of retention keeps; `nil` if it keeps all.
    private func keptFrom(as caller: Caller) throws -> Day? {
        try connection.query(.exportsKeptFrom, as: caller.identity)[0].optionalDay("kept_from")
    }

    /// Removes the folders of days that the organization's rule of retention no longer keeps.
    private func removeOld(of organizationID: OrganizationID, as caller: Caller) throws {
        guard let first = try keptFrom(as: caller) else { return }
        let parent = "\(wishes.root)/\(organizationID.uuid)"
        let old = Folder.names(in: parent).filter { name in
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard let day = parts.first.flatMap({ Day(String($0)) }) else { return false }
            return day < first
        }
        guard !old.isEmpty else { return }
        for name in old { try Folder.remove("\(parent)/\(name)") }
        try connection.query(
            .noteRemovedExports(old.count, keptFrom: first), as: caller.identity)
        progress("removed \(old.count) folders from before \(first), as the retention rule says")
    }

    private func yesterday(_ organization: ExportedOrganization) throws -> Day {
        try connection.query(.yesterday(in: organization.timeZone))[0].day("yesterday")
    }

    /// Refuses if the audit trail lacks the seal that the last export carried away, according to the database and to
    /// the manifest beside the new folder: someone has removed the end of the trail, or recreated it.
    private func checkAuditTrail(
        of organizationID: OrganizationID, _ written: AuditHead?, as caller: Caller
    ) throws {
        let remembered = try connection.query(
            .lastAuditHead(of: organizationID), as: caller.identity
        ).first.map(AuditHead.init)
        if wishes.acceptsAuditTrail { return }
        for head in [remembered, written].compactMap({ $0 }) {
            let outcome = try connection.query(.outcome(of: head), as: caller.identity)[0]
            guard ["found", "removed"].contains(try outcome.text("outcome")) else {
                throw ExportError.auditTrailCut(seal: head.noted(of: organizationID))
            }
        }
    }
}
