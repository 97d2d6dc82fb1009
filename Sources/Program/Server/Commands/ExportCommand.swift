import Exports
import JSONBytes
import Log
import OneRoster
import Postgres
import School
import Values

extension Subcommand {
    static let export = Subcommand(
        "export", "Writes the day's activity reports of every organization as files, or a roster.",
        options: [
            .required(
                "out", "FOLDER",
                "Where the folders ORGANIZATION/DATE are made; of a roster, the new folder or .zip file."
            ),
            .optional(
                "format", "NAME",
                """
                reports (default), or the roster of one organization: oneroster (1.2), oneroster-1.1, or school-data-sync.
                """
            ),
            .optional("date", "DATE", "Such as 2026-03-02; yesterday, where the organization is."),
            .optional("organization", "ID", "This organization alone."),
            .flag("full", "Everything, not only what changed since the last export."),
            .flag("again", "Writes DATE.2 where the date is exported already."),
            .flag(
                "accept-audit-trail",
                "Exports although the audit trail is not the one that the last export saw."), .json,
        ]
    ) { invocation in
        if let name = invocation.value("format"), name != "reports" {
            guard let format = RosterFormat(rawValue: name) else {
                let names = RosterFormat.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError(description: "--format should be reports, or one of \(names).")
            }
            return try RosterExport(invocation, as: format).run(invocation)
        }
        let order = try ExportOrder(invocation)
        if let url = invocation.settings.databaseURL {
            _ = try NightlyExport.reconnect(url, seconds: ExportOrder.patienceSeconds)
        }
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        try installation.connect().query(.clockState).first.map(DatabaseClock.init)?
            .refuseFarAhead("Nothing was exported", naming: "a folder")
        try order.run(installation.databaseURL, printsJSON: invocation.has("json"))
    }

    static let exportVerify = Subcommand(
        "export verify", "Holds exported files against their manifests: digests and rows.",
        operands: ["FOLDER"]
    ) { invocation in
        let verification = try Verification.verify(invocation.operands[0])
        for finding in verification.findings { complain("\(finding)") }
        let folders = "\(verification.folders) folder\(verification.folders == 1 ? "" : "s")"
        guard verification.findings.isEmpty else {
            throw CommandFailure(
                "\(verification.findings.count) mismatches in \(folders).")
        }
        printLine("\(folders) as the manifests say.")
    }
}

/// The options of `homeroom export`.
private struct ExportOrder {
    /// How long the database may be unreachable, and how many times during one organization's export.
    static let patienceSeconds = 30
    private static let attemptsMax = 3

    let wishes: NightlyExport.Wishes
    let organizationID: OrganizationID?

    init(_ invocation: Invocation) throws {
        var root = invocation.value("out") ?? ""
        while root.count > 1, root.hasSuffix("/") { root.removeLast() }
        guard !root.isEmpty else { throw UsageError(description: "--out should be a folder.") }
        var wishes = NightlyExport.Wishes(root: root)
        if let text = invocation.value("date") {
            guard let day = Day(text) else {
                throw UsageError(description: "--date should be a date such as 2026-03-02.")
            }
            wishes.day = day
        }
        wishes.isFull = invocation.has("full")
        wishes.again = invocation.has("again")
        wishes.acceptsAuditTrail = invocation.has("accept-audit-trail")
        self.wishes = wishes
        organizationID = try invocation.value("organization").map { text in
            guard let id = UUID(text) else {
                throw UsageError(description: "--organization should be the id of one.")
            }
            return OrganizationID(id)
        }
    }

    /// Exports one organization after the other; if one fails, the others still run.
    func run(_ url: String, printsJSON: Bool) throws {
        var organizations = try persistently("the organizations", at: url) {
            try ExportedOrganization.all($0)
        }
        if let organizationID {
            organizations.removeAll { $0.id != organizationID }
            guard !organizations.isEmpty else {
                throw CommandFailure("There is no organization \(organizationID.uuid).")
            }
        }
        var results: [JSONValue] = []
        var failures = 0
        for organization in organizations {
            let id = organization.id.uuid.description
            do {
                let outcome = try export(organization, url)
                if printsJSON { results.append(outcome.json(id)) } else { printLine("\(outcome)") }
            } catch {
                failures += 1
                complain("\(id): not exported. \(error)", .error)
                let failure = JSONValue.text("\(error)")
                results.append(["organizationId": .text(id), "error": failure])
            }
        }
        if printsJSON {
            printLine(String(decoding: JSONValue.array(results).bytes, as: UTF8.self))
        }
        guard failures == 0 else {
            throw CommandFailure(
                "\(failures) of \(organizations.count) organizations could not be exported.")
        }
    }

    private func export(
        _ organization: ExportedOrganization, _ url: String
    ) throws -> NightlyExport.Outcome {
        try persistently("\(organization.id.uuid)", at: url) { connection in
            let night = NightlyExport(connection, wishes) { line in
                complain("\(organization.id.uuid): \(line)")
            }
            return try night.export(organization)
        }
    }

    /// Starts again if the connection to the database is lost, as when PostgreSQL restarts.
    private func persistently<Value>(
        _ name: String, at url: String, _ body: (BlockingConnection) throws -> Value
    ) throws -> Value {
        var attempts = 0
        while true {
            attempts += 1
            do {
                return try body(NightlyExport.reconnect(url, seconds: Self.patienceSeconds))
            } catch PostgresError.connectionLost where attempts < Self.attemptsMax {
                complain("\(name): the connection was lost; it begins again.", .warning)
            }
        }
    }
}

extension NightlyExport.Outcome: CustomStringConvertible {
    package var description: String {
        switch self {
        case .exported(let path, let rows): "exported \(path), \(rows) rows"
        case .alreadyThere(let path): "left \(path) as it is: exported already"
        }
    }

    fileprivate func json(_ organizationID: String) -> JSONValue {
        switch self {
        case .exported(let path, let rows):
            [
                "organizationId": .text(organizationID), "folder": .text(path),
                "status": "exported", "rows": .number(JSONNumber(Int64(rows))),
            ]
        case .alreadyThere(let path):
            [
                "organizationId": .text(organizationID), "folder": .text(path),
                "status": "alreadyExported",
            ]
        }
    }
}
