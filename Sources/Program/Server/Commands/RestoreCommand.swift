import Cluster
import Exports
import JSONBytes
import Postgres
import School
import Values

extension Subcommand {
    static let restore = Subcommand(
        "restore",
        "Brings the private PostgreSQL back from a backup, into a data folder without one.",
        operands: ["DIR"],
        options: [
            .optional(
                "to", "TIME",
                "As it was at this moment, such as 2026-03-02T10:15:00+01:00; else the end."),
            .optional("key-file", "FILE", "The key of an encrypted backup."),
            .optional(
                "from", "FOLDER",
                "Exported folders, for erasures and seals since then; once for each."), .json,
        ]
    ) { invocation in
        try BackupFolder.requirePrivate(invocation.settings)
        let order = try RestoreOrder(invocation)
        var report = RestoreReport(printsJSON: invocation.has("json"))
        try order.bringBack(&report)
        let failures = try order.settle(&report)
        let diagnosis = try Doctor(restored: invocation.settings).look()
        report.add("doctor", diagnosis.lines.joined(separator: "\n"), diagnosis.json)
        report.add(
            "next",
            "Start the service, and set up its backup: homeroom backup \(order.plan.folder)",
            .text("homeroom backup \(order.plan.folder)"))
        report.end()
        guard failures.isEmpty, diagnosis.errors == 0 else {
            let found = failures + (diagnosis.errors > 0 ? ["The doctor found errors."] : [])
            throw CommandFailure("The database is back. \(found.joined(separator: " "))")
        }
    }
}

/// The steps of a restore: printed one by one, or together as JSON.
private struct RestoreReport {
    let printsJSON: Bool
    private var members: [(String, JSONValue)] = []

    init(printsJSON: Bool) {
        self.printsJSON = printsJSON
    }

    mutating func add(_ name: String, _ sentence: String, _ value: JSONValue) {
        members.append((name, value))
        if !printsJSON { printLine(sentence) }
    }

    func end() {
        guard printsJSON else { return }
        let object = JSONValue.object(JSONObject(members))
        printLine(String(decoding: object.bytes, as: UTF8.self))
    }
}

/// The arguments of `homeroom restore`.
private struct RestoreOrder {
    let plan: BackupPlan
    private let settings: Settings
    private let moment: Timestamp?
    private let ledger: BackupLedger
    private var exported = ExportedErasures()
    private var seals: [String]

    init(_ invocation: Invocation) throws {
        settings = invocation.settings
        moment = try invocation.value("to").map { text in
            guard let moment = Timestamp(text) else {
                throw UsageError(
                    description:
                        "--to should be a moment with its offset, such as 2026-03-02T10:15:00+01:00."
                )
            }
            guard moment <= Clock.system.now else {
                throw UsageError(description: "--to should not lie in the future.")
            }
            return moment
        }
        let folder = try BackupFolder.path(invocation.operands[0])
        try BackupFolder.requireOutside(folder, settings)
        let key = try invocation.value("key-file").map(BackupFolder.key)
        guard BackupPlan.isThere(folder) else {
            throw CommandFailure("There is no backup in \(folder).")
        }
        switch (BackupPlan.isEncrypted(folder), key) {
        case (true, nil):
            throw CommandFailure("The backup in \(folder) is encrypted: add --key-file.")
        case (false, _?):
            throw CommandFailure("The backup in \(folder) is not encrypted: leave out --key-file.")
        default: plan = BackupPlan(folder: folder, days: 1, key: key)
        }
        ledger = try BackupLedger(in: folder)
        seals = ledger.seals
        for folder in invocation.all("from") {
            try exported.read(folder)
            seals += ExportedSeals.newest(in: folder)
        }
    }

    /// Restores the data and replays its WAL.
    func bringBack(_ report: inout RestoreReport) throws {
        let known = try Definitions(folder: Definitions.folder(settings)).migrations.map(\.name)
        let restoration = try Restoration(
            into: settings.dataFolder, account: settings.clusterAccount(), from: plan,
            log: settings.commandLog)
        defer { restoration.release() }
        let listing = try BackupListing(restoration.listBackups(), in: plan.folder)
        guard let backup = listing.newestToRestore(before: moment) else {
            let oldest = listing.backups.first.map { " The oldest is of \($0.ended)." } ?? ""
            let wanted = moment.map { " from before \($0)" } ?? ""
            throw CommandFailure("There is no backup\(wanted) in \(plan.folder).\(oldest)")
        }
        if let schema = backup.schema, !schema.isEmpty, !known.contains(schema) {
            throw CommandFailure(
                """
                The backup \(backup.label) was taken by a newer version of Homeroom\
                \(backup.version.map { " (\($0))" } ?? ""). This one does not know \(schema). Use that version.
                """)
        }
        let target = moment.map { "\($0)".replacing("T", with: " ").replacing("Z", with: "+00") }
        let replayed = try restoration.restore(backup.label, to: target)
        report.add(
            "backup", "Restored the backup \(backup.label), taken at \(backup.ended).",
            backup.json)
        report.add(
            "lastTransaction",
            replayed.sentence, replayed.lastTransaction.map(JSONValue.text) ?? .null)
    }

    /// Does what has to happen before anyone uses the database; returns what went wrong.
    func settle(_ report: inout RestoreReport) throws -> [String] {
        let installation = try Installation.open(
            settings, isRestoring: true, log: settings.commandLog)
        defer { installation.close() }
        guard let cluster = installation.cluster else { return [] }
        let database = try RestoredDatabase(installation.connectAsOwner(settings))
        let failures =
            try compareSeals(database, &report) + repeatErasures(database, &report)
        let ended = try database.endSignIns()
        report.add(
            "endedSignIns",
            "Ended \(ended.sessions) sign-ins and revoked \(ended.tokens) tokens. Everyone signs in again.",
            [
                "sessions": .number(JSONNumber(Int64(ended.sessions))),
                "tokens": .number(JSONNumber(Int64(ended.tokens))),
            ])
        let waiting = try database.postponeDeletions()
        report.add(
            "deletions",
            waiting.isEmpty
                ? "No organization is to be deleted."
                : waiting.map {
                    "\($0.name) (\($0.organizationID.uuid)) is to be deleted, now on \($0.due). To keep it: "
                        + "homeroom organization delete \($0.organizationID.uuid) --cancel"
                }.joined(separator: "\n"),
            .array(waiting.map { .text($0.organizationID.uuid.description) }))
        try cluster.endRestore()
        return failures
    }

    private func compareSeals(
        _ database: RestoredDatabase, _ report: inout RestoreReport
    ) throws -> [String] {
        let comparison = try database.compare(seals)
        func list(_ seals: [NotedSeal]) -> JSONValue { .array(seals.map { .text($0.description) }) }
        let summary =
            "The audit trails hold \(comparison.found) of \(Set(seals).count) seals that were noted."
        let ends = comparison.missing.map {
            "The audit trail of \($0.organizationID.uuid) ends before seal \($0.number): later events are lost."
        }
        let wrong =
            comparison.different.map {
                "Seal \($0.number) of \($0.organizationID.uuid) has another digest."
            } + comparison.unknown.map { "The organization \($0.organizationID.uuid) is missing." }
        report.add(
            "auditTrail", ([summary] + ends + wrong).joined(separator: "\n"),
            [
                "found": .number(JSONNumber(Int64(comparison.found))),
                "missing": list(comparison.missing), "different": list(comparison.different),
                "unknown": list(comparison.unknown),
            ])
        // Going back to a moment loses what came later; otherwise something was not archived.
        return moment == nil ? ends + wrong : wrong
    }

    private func repeatErasures(
        _ database: RestoredDatabase, _ report: inout RestoreReport
    ) throws -> [String] {
        let wanted = Set(ledger.erasures + exported.erasures).sorted {
            $0.personID.uuid.description < $1.personID.uuid.description
        }
        let outcome = try RepeatedErasures(wanted, isDry: false, database.owner)
        report.add(
            "erasures",
            "Erased \(outcome.erased) people again; \(outcome.alreadyGone) were gone already.",
            [
                "erased": .number(JSONNumber(Int64(outcome.erased))),
                "alreadyGone": .number(JSONNumber(Int64(outcome.alreadyGone))),
                "failed": .number(JSONNumber(Int64(outcome.failures.count))),
            ])
        let failures = outcome.failures.map {
            "\($0.erasure.personID.uuid) of \($0.erasure.organizationID.uuid) was not erased: \($0.reason)"
        }
        guard !failures.isEmpty else { return [] }
        return failures + ["Then run: homeroom erasures apply --from \(plan.folder)"]
    }
}
