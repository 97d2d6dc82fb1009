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
    /// The configuration of a plan that is not in force before its first backup is taken and read.
    var begunConfiguration: String { "\(backupConfiguration).begun" }

    /// Where WAL goes.
    enum Archiving {
        /// To the folder of the plan in force; before the first backup, it is discarded.
        case asPlanned
        /// To the folder of a plan that has begun. Before that, to the one in force, so that nothing is missing in
        /// either; alone, where that one takes none.
        case begun(alone: Bool)
    }

    /// The plan of the last backup; `nil` if there was none.
    var backupPlan: BackupPlan? {
        readText(backupConfiguration).flatMap {
            BackupPlan(configuration: $0, dataFolder: dataFolder)
        }
    }

    /// The lines of `postgresql.conf` that archive WAL.
    func archiveSettings(_ archiving: Archiving) -> String {
        var configurations = backupPlan == nil ? [] : [backupConfiguration]
        if case .begun(let alone) = archiving {
            configurations = (alone ? [] : configurations) + [begunConfiguration]
        }
        guard !configurations.isEmpty else { return "archive_command = '/bin/true'" }
        let commands = configurations.map { configuration in
            let words = [
                Self.backupTool, "--config=\(configuration)", "--stanza=\(Self.stanza)",
                "archive-push",
            ]
            let command = words.map { "'\($0.replacing("'", with: "'\\''"))'" }
                .joined(separator: " ").replacing("%", with: "%%")
            // A command that hangs must not hold the lock of a server that ended.
            return "\(command) %p \(FileLock.closing)"
        }
        let value = commands.joined(separator: " && ").replacing("\\", with: "\\\\")
            .replacing("'", with: "''")
        return """
            archive_command = '\(value)'
            archive_timeout = \(Self.archiveSeconds)s
            """
    }

    /// Sets up the folder for backups, or continues the ones in it, while the server runs. From then on WAL goes there,
    /// and as long as the plan is not adopted also to where it went before.
    ///
    /// - Parameter isFormerWell: whether the folder of the plan in force takes WAL.
    /// - Returns: the configuration that is used now.
    func beginBackups(_ plan: BackupPlan, isFormerWell: Bool) throws(ClusterError) -> String {
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
        let aside = begunConfiguration
        try writeText(text, to: aside, owner: account)
        var isBegun = false
        defer { if !isBegun { unlink(aside) } }
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
        if isContinued {
            try writeText(text, to: backupConfiguration, owner: account)
            try archive(.asPlanned)
            return backupConfiguration
        }
        isBegun = true
        let alone = !isFormerWell || !(backupPlan.map { BackupPlan.isThere($0.folder) } ?? true)
        do {
            try archive(.begun(alone: alone))
        } catch {
            abandonBackups()
            throw error
        }
        return aside
    }

    /// Lets a plan that has begun be the one in force, and WAL go to its folder alone.
    func adoptBackups() throws(ClusterError) {
        guard let text = readText(begunConfiguration) else { return }
        try writeText(text, to: backupConfiguration, owner: account)
        try archive(.asPlanned)
        unlink(begunConfiguration)
    }

    /// Lets the plan in force go on as if no other had begun; `false` if none had.
    @discardableResult
    func abandonBackups() -> Bool {
        guard exists(begunConfiguration) else { return false }
        try? archive(.asPlanned)
        unlink(begunConfiguration)
        return true
    }

    private func archive(_ archiving: Archiving) throws(ClusterError) {
        _ = try writeConfiguration(archiving)
        if let postmaster = Postmaster.running(dataFolder: dataFolder) {
            kill(postmaster.pid, SIGHUP)
        }
    }

    /// The configuration with which a plan's folder is read: that of the plan that has begun, if it is that one.
    func configuration(of plan: BackupPlan) -> String {
        let begun = readText(begunConfiguration).flatMap {
            BackupPlan(configuration: $0, dataFolder: dataFolder)
        }
        return begun == plan ? begunConfiguration : backupConfiguration
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
