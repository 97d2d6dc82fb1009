import Cluster
import Crypto
import Demonstration
import HTTPServer
import JSONBytes
import Postgres
import Records
import School
import Values

extension Subcommand {
    static let doctor = Subcommand(
        "doctor", "Looks whether everything is as it should be; exit code 1 if something is wrong.",
        options: [
            .optional("organization", "ID", "This organization alone."),
            .optional("class", "ID", "Whether this class of it is ready, and nothing else."),
            .optional(
                "seal", "ORGANIZATION:NUMBER:DIGEST",
                "Whether the audit trail still holds this seal; once for each."),
            .optional(
                "exports", "FOLDER",
                "Whose manifests hold seals, too; exports in the data folder if there is one."),
            .json,
        ]
    ) { invocation in
        let doctor = try Doctor(invocation)
        let diagnosis = try doctor.look()
        if invocation.has("json") {
            printLine(String(decoding: diagnosis.json.bytes, as: UTF8.self))
        } else {
            for line in diagnosis.lines { printLine(line) }
        }
        guard diagnosis.errors == 0 else {
            throw CommandFailure(
                "Not everything is well: \(diagnosis.errors) error\(diagnosis.errors == 1 ? "" : "s")."
            )
        }
    }
}

/// Checks settings, database and organizations. Changes nothing, except that it migrates a private database of an
/// older version, as every command does.
struct Doctor {
    let settings: Settings
    let organizationID: OrganizationID?
    private let classID: ClassID?
    private let seals: [NotedSeal]
    /// Checks that are left out.
    private let leftOut: [String]
    /// Where nightly exports are.
    let exports: String?
    let isRestored: Bool

    /// For a whole installation that was just restored: a server has had no time yet to do what is late, and the last
    /// look at the clock is that of the backup.
    init(restored settings: Settings) {
        self.settings = settings
        leftOut = ["retention_is_late", "deletion_is_late", "clock_jumped"]
        exports = nil
        isRestored = true
        organizationID = nil
        classID = nil
        seals = []
    }

    init(_ invocation: Invocation) throws {
        settings = invocation.settings
        leftOut = []
        exports = invocation.value("exports")
        isRestored = false
        seals = try invocation.all("seal").map(NotedSeal.init)
        organizationID =
            try invocation.has("organization")
            ? OrganizationID(invocation.uuid("organization")) : nil
        classID = try invocation.has("class") ? ClassID(invocation.uuid("class")) : nil
        if classID != nil, organizationID == nil {
            throw UsageError(description: "--class needs --organization.")
        }
    }

    /// Stops at the first failure that makes the other checks impossible.
    func look() throws -> Diagnosis {
        var diagnosis = Diagnosis()
        look(atSettings: &diagnosis)
        if let space = FreeSpace(at: settings.dataFolder) {
            diagnosis.note(
                "free_space", space.isLow ? space.sentence(for: settings.dataFolder) : nil,
                advice: "Make room: on a full disk nothing can be saved.",
                severity: space.isFull ? .error : .warning)
        }
        if settings.databaseURL == nil { diagnosis.note(privateDataIn: settings.dataFolder) }
        if settings.databaseURL == nil, !ClusterUpgrade.hasData(in: settings.dataFolder) {
            diagnosis.note(
                "database",
                "There is no database in \(settings.dataFolder). Run homeroom serve once to make it.",
                advice: "Start homeroom serve, or set HOMEROOM_DATA or HOMEROOM_DATABASE_URL.")
            return diagnosis
        }
        let installation: Installation
        do {
            installation = try Installation.open(settings, log: settings.commandLog)
        } catch {
            diagnosis.note(
                "database", "\(error)", advice: "Nothing else can be looked at before that.")
            return diagnosis
        }
        defer { installation.close() }
        let connection = try BlockingConnection(
            installation.databaseURL, options: ["statement_timeout": "0"])
        diagnosis.note("database", nil)
        for seal in seals { try seal.look(at: connection, &diagnosis) }
        if classID == nil {
            try look(atDatabase: connection, &diagnosis)
            try look(atSecrets: connection, &diagnosis)
            if let cluster = installation.cluster {
                try diagnosis.notePrograms(of: connection)
                try BackupHealth(of: cluster).look(at: connection, &diagnosis)
            }
            try look(atTrails: connection, installation.cluster?.backupPlan, &diagnosis)
        }
        try look(atOrganizations: connection, &diagnosis)
        return diagnosis
    }

    /// What is wrong with the settings, and whether the certificate is about to expire; settings that cannot be read
    /// were refused earlier.
    private func look(atSettings diagnosis: inout Diagnosis) {
        do {
            let expiry = try settings.httpServerSettings().tls?.expiry
            diagnosis.note("settings", nil)
            guard let expiry else { return }
            let validity = CertificateValidity(
                secondsLeft: expiry - Int(Clock.system.now.milliseconds / 1000))
            diagnosis.note(
                "certificate", validity.finding,
                advice: "Renew it, and run systemctl reload homeroom.", severity: validity.severity)
        } catch {
            diagnosis.note("settings", "\(error)")
        }
    }

    private func look(atDatabase connection: BlockingConnection, _ diagnosis: inout Diagnosis)
        throws
    {
        let definitions = try Definitions(folder: Definitions.folder(settings))
        let files = definitions.migrations.map(\.name)
        let applied = try connection.query("select name from school.applied_migrations()").map {
            try $0.text("name")
        }
        let missing = files.filter { !applied.contains($0) }
        diagnosis.note(
            "migrations",
            missing.isEmpty ? nil : "Not applied: \(missing.joined(separator: ", ")).",
            advice: "Run homeroom migrate.")
        diagnosis.note(try RuleComparison(definitions, connection))
        if organizationID == nil { try RowsWithoutParents(connection).look(&diagnosis) }
        for row in try connection.query(.deploymentChecks) {
            let code = try row.text("code")
            if leftOut.contains(code) { continue }
            try diagnosis.note(
                code, row.optionalText("said"), advice: row.text("advice"),
                severity: CheckReport.Severity(rawValue: row.text("severity")) ?? .error)
        }
    }

    /// Whether the key of this machine opens the secrets of schools. It is read, never made.
    private func look(atSecrets connection: BlockingConnection, _ diagnosis: inout Diagnosis)
        throws
    {
        let path = settings.credentialsKey ?? settings.dataFolder + "/credentials.key"
        let own: String?
        do {
            own = try CredentialKey(at: path).find()?.id
        } catch {
            diagnosis.note(
                "credentials_key", "\(error)", advice: "Without it no secret of a school opens.")
            return
        }
        var (plain, foreign) = (0, 0)
        for row in try connection.query("select key_id, total from school.keys_of_secrets()") {
            let total = try row.int("total")
            guard let key = try row.optionalText("key_id") else {
                plain += total
                continue
            }
            if key != own { foreign += total }
        }
        diagnosis.note(
            "secrets_not_sealed",
            plain > 0 ? "\(plain) secrets of schools are stored unencrypted." : nil,
            advice:
                "A server encrypts them when it starts. Look for \"secrets not sealed\" in its log.",
            severity: .warning)
        diagnosis.note(
            "credentials_key",
            foreign > 0
                ? "\(foreign) secrets of schools were encrypted with another key than that in \(path)."
                : nil,
            advice:
                "Copy credentials.key from where they were stored, or enter the secrets again: client secrets of "
                + "sign-in providers and the roster source; secrets of webhooks are replaced.")
    }

    private func look(atOrganizations connection: BlockingConnection, _ diagnosis: inout Diagnosis)
        throws
    {
        var isFound = organizationID == nil
        for row in try connection.query(.doctorOrganizations) {
            let id = OrganizationID(try row.uuid("organization_id"))
            guard organizationID == nil || organizationID == id else { continue }
            isFound = true
            let rows = try connection.query(.checks(of: id, classID: classID))
            diagnosis.organizations.append(
                Diagnosis.Organization(
                    id: id, name: try row.text("name"), sealNumber: try row.optionalInt("number"),
                    sealDigest: try row.optionalText("digest"),
                    cutNumber: try row.optionalInt("cut_number"),
                    cutAt: try row.optionalTimestamp("cut_at"),
                    endsAt: try row.optionalTimestamp("ends_at"),
                    report: try CheckReport(rows, at: Clock.system.now)))
        }
        guard isFound else { throw CommandFailure("There is no such organization.") }
        guard organizationID == nil else { return }
        let id = DemonstrationAccount.organizationID
        diagnosis.noteDemonstration(
            isLocal: try connection.query("select school.is_local(\(id)) as is_local")[0]
                .bool("is_local"))
    }
}

extension Diagnosis {
    /// Whether the demonstration school, whose passwords are printed in every copy, is beside real ones. Once its
    /// deletion is ordered, nobody signs in to it.
    ///
    /// - Parameter isLocal: whether its people sign in from this machine alone.
    fileprivate mutating func noteDemonstration(isLocal: Bool) {
        let demonstration = DemonstrationAccount.organizationID
        let isThere = organizations.contains { $0.id == demonstration && $0.endsAt == nil }
        let isBeside = organizations.count > 1 && isThere
        note(
            "demonstration_network",
            isThere && !isLocal
                ? "Anyone who reaches the server can sign in to the demonstration school: its passwords are printed."
                : nil,
            advice: "Unless that is meant: homeroom demo --network refuse", severity: .warning)
        note(
            "demonstration",
            isBeside
                ? "The demonstration school is beside other organizations, and anybody knows its passwords."
                : nil,
            advice: "Remove it: homeroom organization delete \(demonstration.uuid)")
    }
}

extension Statement {
    static var deploymentChecks: Statement {
        "select code, severity, said, advice from school.deployment_checks()"
    }

    static var doctorOrganizations: Statement {
        """
        select organization_id, name, number, digest, cut_number, cut_at, ends_at
          from school.doctor_organizations()
        """
    }
}
