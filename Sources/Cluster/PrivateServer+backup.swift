import CLinux
import Files
import Glibc

/// Backups with pgBackRest: full backups, and each WAL file once PostgreSQL has filled it.
extension PrivateServer {
    /// What pgBackRest calls the database.
    static let stanza = "homeroom"
    static let backupTool = "/usr/bin/pgbackrest"
    /// How long WAL waits to be archived at most. Archiving takes time too, so that at most a minute is lost.
    private static let archiveSeconds = 50

    /// What backups need besides the database: their configuration, with the key, and locks.
    var backupFolder: String { "\(folder)/backup" }
    var backupConfiguration: String { "\(backupFolder)/pgbackrest.conf" }

    /// The plan of the last backup; `nil` if there was none.
    var backupPlan: BackupPlan? {
        readText(backupConfiguration).flatMap {
            BackupPlan(configuration: $0, dataFolder: dataFolder)
        }
    }

    /// The lines of `postgresql.conf` that archive WAL; before the first backup, WAL is discarded.
    var archiveSettings: String {
        guard backupPlan != nil else { return "archive_command = '/bin/true'" }
        let words = [
            Self.backupTool, "--config=\(backupConfiguration)", "--stanza=\(Self.stanza)",
            "archive-push",
        ]
        let command = words.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ")
            .replacing("%", with: "%%")
        // A command that hangs must not hold the lock of a server that ended.
        let value = "\(command) %p \(FileLock.closing)".replacing("\\", with: "\\\\").replacing(
            "'", with: "''")
        return """
            archive_command = '\(value)'
            archive_timeout = \(Self.archiveSeconds)s
            """
    }

    /// Sets up the folder for backups, or continues the ones in it, while the server runs.
    func beginBackups(_ plan: BackupPlan) throws(ClusterError) {
        let isContinued = backupPlan?.folder == plan.folder && BackupPlan.isThere(plan.folder)
        for path in [plan.folder, backupFolder] where !exists(path) {
            try makeFolder(path, mode: 0o700)
            try give(path)
        }
        let socketFolder =
            Postmaster.running(dataFolder: dataFolder)?.socketFolder ?? "\(folder)/run"
        let text = plan.configuration(
            dataFolder: dataFolder, socketFolder: socketFolder, workFolder: backupFolder,
            queueMebibytes: queueMebibytes)
        let aside = "\(backupFolder)/pgbackrest.conf.begun"
        try writeText(text, to: aside, owner: account)
        defer { unlink(aside) }
        // After an upgrade to another major version of PostgreSQL, the folder holds backups of both.
        try backUp(
            isContinued ? "stanza-upgrade" : "stanza-create", "set up the backup in \(plan.folder)",
            folder: plan.folder, configuration: aside)
        // A restored database has a history, which an earlier archive may not hold. Without it, the next restore would
        // count its own history from the same number.
        let logs = "\(dataFolder)/pg_wal"
        for name in Folder.names(in: logs) where name.hasSuffix(".history") {
            try backUp(
                "archive-push", "archive \(name)", ["\(logs)/\(name)"], folder: plan.folder,
                configuration: aside)
        }
        try writeText(text, to: backupConfiguration, owner: account)
        _ = try writeConfiguration()
        if let postmaster = Postmaster.running(dataFolder: dataFolder) {
            kill(postmaster.pid, SIGHUP)
        }
    }

    /// Runs pgBackRest and returns what it printed.
    ///
    /// - Parameters:
    ///   - action: what it is to do, for the error.
    ///   - folder: of the backup, for the error.
    ///   - lock: held until pgBackRest has ended, even if this process is killed.
    @discardableResult
    func backUp(
        _ command: String, _ action: String, _ options: [String] = [], folder backup: String,
        configuration: String, lock: FileLock? = nil
    ) throws(ClusterError) -> String {
        guard Glibc.access(Self.backupTool, X_OK) == 0 else { throw .backupToolMissing }
        let child = Child(
            path: "/usr/bin/env",
            arguments: [
                "PGPASSFILE=\(passFile)", Self.backupTool, "--config=\(configuration)",
                "--stanza=\(Self.stanza)", command,
            ] + options, folder: folder, account: account, deathSignal: SIGTERM,
            lock: lock)
        let (status, output) = try child.finish(limit: 64 << 20)
        // A list of backups that cannot be decrypted is not an error to pgBackRest.
        guard status != 0 || command == "info" && Self.isWrongKey(output) else { return output }
        if output.contains("ERROR: [028]") { throw .otherDatabase(path: backup) }
        if output.contains("ERROR: [050]") { throw .backupUnderWay }
        if Self.isWrongKey(output) { throw .wrongKey(path: backup) }
        throw .backupFailed(action: action, output: lastLines(output))
    }

    /// Whether pgBackRest failed to decrypt, or found nonsense behind the encryption.
    private static func isWrongKey(_ output: String) -> Bool {
        output.contains("CryptoError") || output.contains("FormatError")
    }

    /// How much WAL may wait while the folder of the backup is away or full: a tenth of the disk of the database, which
    /// must not fill up because of it.
    private var queueMebibytes: Int {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return 1024 }
        let size = UInt64(status.f_blocks) &* UInt64(status.f_frsize)
        return Int(clamping: min(max(size / 10, 1 << 30), 16 << 30) >> 20)
    }
}
