import Cluster
import Glibc
import JSONBytes
import Postgres
import School
import Values

extension Subcommand {
    static let backup = Subcommand(
        "backup",
        "Takes a full backup of the private PostgreSQL, and sends its WAL after it from now on.",
        operands: ["DIR"],
        options: [
            .optional("key-file", "FILE", "Encrypts it with the line in this file."),
            .optional("days", "COUNT", "How long backups are kept from now on; 30 at first."),
            .flag(
                "accept-audit-trail",
                "Keeps no earlier seal although an audit trail lacks it, as after a restore to a moment."
            ),
            .flag("new", "Goes on in another folder than before, or begins again in an empty one."),
            .json,
        ]
    ) { invocation in
        let settings = invocation.settings
        try BackupFolder.requirePrivate(settings)
        let order = try BackupOrder(invocation)
        let installation = try Installation.open(settings, log: settings.commandLog)
        defer { installation.close() }
        guard let cluster = installation.cluster else { return }
        let taken = try order.take(cluster, as: installation.connectAsOwner(settings), settings)
        if invocation.has("json") {
            printLine(String(decoding: taken.json.bytes, as: UTF8.self))
        } else {
            for line in taken.lines { printLine(line) }
        }
    }
}

/// The arguments of `homeroom backup`.
private struct BackupOrder {
    private static let firstDays = 30

    let folder: String
    let key: String?
    let days: Int?
    let isNew: Bool
    let acceptsAuditTrail: Bool

    init(_ invocation: Invocation) throws {
        folder = try BackupFolder.path(invocation.operands[0])
        try BackupFolder.requireOutside(folder, invocation.settings)
        days = try invocation.value("days").map { text in
            guard let days = Int(text), (1...3650).contains(days) else {
                throw UsageError(description: "--days should be a number from 1 to 3650.")
            }
            return days
        }
        key = try invocation.value("key-file").map(BackupFolder.key)
        isNew = invocation.has("new")
        acceptsAuditTrail = invocation.has("accept-audit-trail")
    }

    func take(
        _ cluster: Cluster, as owner: BlockingConnection, _ settings: Settings
    ) throws -> TakenBackup {
        guard
            try owner.query("select current_setting('archive_mode') as mode")[0].text("mode")
                == "on"
        else {
            throw CommandFailure(
                """
                PostgreSQL was started by a version of Homeroom that made no backups, or local.conf turns \
                archive_mode off. Restart the service, then try again.
                """)
        }
        let former = cluster.backupPlan
        let plan = try plan(after: former)
        let clock = BackupClock(owner)
        try clock.refuseFarAhead()
        do {
            return try take(plan, by: clock, cluster, as: owner, settings)
        } catch {
            guard cluster.abandonBackups() else { throw error }
            throw failure(error, of: plan, after: former)
        }
    }

    /// Why the first backup of a plan failed, what may be the reason, and what holds now.
    private func failure(
        _ error: any Error, of plan: BackupPlan, after former: BackupPlan?
    ) -> CommandFailure {
        let space = FreeSpace(at: plan.folder)
        let full =
            space?.isFull == true
            ? " \(space?.sentence(for: plan.folder) ?? "") A full disk may be why." : ""
        let now =
            former.map { "Backups and WAL go to \($0.folder) as before." }
            ?? "This database still has no backup."
        return CommandFailure("\(error)\(full) \(now)")
    }

    private func take(
        _ plan: BackupPlan, by clock: BackupClock, _ cluster: Cluster,
        as owner: BlockingConnection, _ settings: Settings
    ) throws -> TakenBackup {
        let isFormerWell = try !owner.query(.archiver)[0].bool("is_failing")
        let configuration = try cluster.beginBackups(plan, isFormerWell: isFormerWell)
        try waitUntilArchiving(owner, with: configuration)
        try clock.refuse(
            BackupListing(cluster.listBackups(plan), in: plan.folder), in: plan.folder)
        let schema = try Definitions(folder: Definitions.folder(settings)).migrations.last?.name
        try cluster.takeBackup(
            plan,
            notes: [
                (BackupListing.versionNote, Program.version),
                (BackupListing.schemaNote, schema ?? ""),
            ])
        var ledger = try BackupLedger(in: plan.folder)
        try owner.execute("set role school_owner")
        let cut = try ledger.update(from: owner, acceptsAuditTrail: acceptsAuditTrail)
        try cluster.keep(ledger.text, besideBackups: plan, as: BackupLedger.name)
        try cluster.verifyBackups(plan)
        try refuseDamage(cluster, plan, owner)
        // Until now, a plan for another folder was not in force.
        try cluster.adoptBackups()
        // Earlier backups hold what was removed.
        try BackupLedger.refuse(cut, in: plan.folder)
        // Only now, so that none goes before there is a sound one; and by a clock that is right after all that time.
        let reasonToKeep = BackupClock(owner).reasonToKeep
        if reasonToKeep == nil { try cluster.removeOldBackups(plan) }
        let listing = try BackupListing(cluster.listBackups(plan), in: plan.folder)
        guard let newest = listing.newest else {
            throw CommandFailure("The backup in \(plan.folder) is gone.")
        }
        try cluster.noteBackup(seconds: newest.ended.milliseconds / 1000)
        return TakenBackup(
            plan: plan, newest: newest, listing: listing, reasonToKeep: reasonToKeep)
    }

    /// Ends with an error if the newest backup holds damaged pages: copied as they are, they agree with their digests.
    ///
    /// Sound backups stay, however old. Of damaged ones only the newest does, so that the disk does not fill up.
    private func refuseDamage(
        _ cluster: Cluster, _ plan: BackupPlan, _ owner: BlockingConnection
    ) throws {
        let backups = try BackupListing(cluster.listBackups(plan), in: plan.folder).backups
        guard let newest = backups.last, newest.isDamaged else { return }
        for old in backups.dropLast() where old.isDamaged {
            try cluster.removeBackup(old.label, plan)
        }
        let files = try cluster.damagedFiles(in: newest.label, plan)
        let tables = try files.map { file in
            try owner.query(.relation(in: file))[0].optionalText("name").map { "\($0) (\(file))" }
                ?? file
        }
        let sound = backups.last { !$0.isDamaged }
        throw CommandFailure(
            """
            The database is damaged: pages do not have their checksums in \(tables.joined(separator: ", ")). \
            The backup \(newest.label) holds them as they are. \(
                sound.map { "The newest sound one is of \($0.ended); sound ones are kept." }
                    ?? "No backup in \(plan.folder) is sound.") \
            deploy/guides/backups.md says what to do.
            """)
    }

    /// The plan after this call: what the arguments leave out stays as it was.
    private func plan(after existing: BackupPlan?) throws -> BackupPlan {
        let plan = BackupPlan(
            folder: folder, days: days ?? existing?.days ?? Self.firstDays,
            key: key ?? (isNew ? nil : existing?.key))
        if let existing, !isNew {
            guard existing.folder == folder else {
                throw CommandFailure(
                    "Backups of this database go to \(existing.folder). To go on in \(folder), add --new."
                )
            }
            guard BackupPlan.isThere(folder) else {
                throw CommandFailure(
                    """
                    \(folder) no longer holds the backup of this database. Is its disk mounted? To begin again \
                    there, add --new.
                    """)
            }
        }
        guard BackupPlan.isThere(folder) else { return plan }
        switch (BackupPlan.isEncrypted(folder), plan.key) {
        case (true, nil):
            throw CommandFailure("The backup in \(folder) is encrypted: add --key-file.")
        case (false, _?):
            throw CommandFailure(
                "The backup in \(folder) is not encrypted. To encrypt, begin in an empty folder with --new."
            )
        case (true, let key?) where existing?.folder == folder && key != existing?.key:
            throw ClusterError.wrongKey(path: folder)
        default: return plan
        }
    }

    /// A backup needs the WAL from its beginning, so PostgreSQL must already use the new settings.
    private func waitUntilArchiving(
        _ owner: BlockingConnection, with configuration: String
    ) throws {
        let quoted = configuration.replacing("'", with: "'\\''").replacing("%", with: "%%")
        for _ in 0..<100 {
            let rows = try owner.query("select current_setting('archive_command') as command")
            if try rows[0].text("command").contains("--config=\(quoted)'") { return }
            usleep(100_000)
        }
        throw CommandFailure(
            "PostgreSQL does not send its WAL to \(folder). Does local.conf set archive_command?")
    }
}

extension Statement {
    /// The table or index that a file of the data folder is part of, if it is of this database.
    fileprivate static func relation(in file: String) -> Statement {
        """
        select pg_filenode_relation(0, m.parts[2]::oid)::regclass::text as name
          from (select regexp_match(\(file), '^base/(\\d+)/(\\d+)') as parts) as m
          left join pg_database as d on d.datname = current_database() and d.oid = m.parts[1]::oid
         where d.oid is not null
        union all
        select null
         limit 1
        """
    }
}

/// A backup that was taken and verified.
private struct TakenBackup {
    let plan: BackupPlan
    let newest: BackupListing.Backup
    let listing: BackupListing
    /// Why older backups than the plan keeps were not removed; `nil` if they were.
    let reasonToKeep: String?

    /// Whether a backup is there that the plan no longer keeps.
    private var keepsOlder: Bool {
        let days = Int64(plan.days) * 86_400_000
        return listing.backups.contains {
            $0.ended.milliseconds < newest.ended.milliseconds - days
        }
    }

    var lines: [String] {
        let seconds = (newest.ended.milliseconds - newest.began.milliseconds) / 1000
        let count = listing.backups.count
        let since = listing.backups.first.map { " since \($0.ended)" } ?? ""
        return [
            "Backed up into \(plan.folder) in \(seconds) s: \(newest.label), "
                + "\(size(newest.databaseBytes)) in \(size(newest.storedBytes)).",
            plan.key == nil ? "It is not encrypted." : "It is encrypted.",
            "Everything in the folder was read and is sound: \(count) backup\(count == 1 ? "" : "s")\(since).",
            "Each is kept for \(plan.days) day\(plan.days == 1 ? "" : "s"). Changes follow within a minute.",
        ] + (keepsOlder ? reasonToKeep.map { ["Older ones stay: \($0)."] } ?? [] : [])
    }

    var json: JSONValue {
        [
            "folder": .text(plan.folder), "backup": .text(newest.label),
            "databaseBytes": .number(JSONNumber(newest.databaseBytes)),
            "storedBytes": .number(JSONNumber(newest.storedBytes)), "isVerified": true,
            "isEncrypted": .bool(plan.key != nil), "days": .number(JSONNumber(Int64(plan.days))),
            "backups": .array(listing.backups.map(\.json)),
        ]
    }

    private func size(_ bytes: Int64) -> String { "\(max(1, bytes >> 20)) MiB" }
}
