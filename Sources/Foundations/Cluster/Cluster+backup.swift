import Files
import Glibc

/// Backups of the server, while it runs.
extension Cluster {
    /// Where the last backup went, and how; `nil` if there was none.
    package var backupPlan: BackupPlan? { server.backupPlan }

    /// Sets up the plan's folder, or continues the backups in it, and archives WAL there from now on.
    ///
    /// The plan is in force only once it is adopted, if it names another folder than the one in force: until then WAL
    /// goes to both.
    ///
    /// - Parameter isFormerWell: whether the folder of the plan in force takes WAL. If it does not, the new one alone
    ///   gets it: PostgreSQL sends no file before the one that failed.
    /// - Returns: what `archive_command` names when WAL goes there.
    package func beginBackups(_ plan: BackupPlan, isFormerWell: Bool) throws(ClusterError) -> String
    {
        try server.beginBackups(plan, isFormerWell: isFormerWell)
    }

    /// Lets the plan that has begun be the one in force.
    package func adoptBackups() throws(ClusterError) { try server.adoptBackups() }

    /// Gives up the plan that has begun, so that the one in force goes on; `false` if none had.
    package func abandonBackups() -> Bool { server.abandonBackups() }

    /// Takes a full backup; the others stay until `removeOldBackups`.
    ///
    /// - Parameter notes: are kept with the backup.
    package func takeBackup(_ plan: BackupPlan, notes: [(name: String, value: String)])
        throws(ClusterError)
    {
        try ask(
            plan, "backup", "take a backup into \(plan.folder)",
            ["--type=full", "--no-expire-auto"]
                + notes.map { "--annotation=\($0.name)=\($0.value)" })
    }

    /// Removes the backups that are too old, and the WAL that only they need.
    package func removeOldBackups(_ plan: BackupPlan) throws(ClusterError) {
        try ask(plan, "expire", "remove old backups from \(plan.folder)", [])
    }

    /// Removes one backup, however old it is.
    package func removeBackup(_ label: String, _ plan: BackupPlan) throws(ClusterError) {
        try ask(plan, "expire", "remove \(label) from \(plan.folder)", ["--set=\(label)"])
    }

    /// The files whose pages did not have their checksums when a backup copied them, such as `base/16384/17284`.
    package func damagedFiles(in label: String, _ plan: BackupPlan) throws(ClusterError) -> [String]
    {
        let text = try ask(
            plan, "info", "read the backup in \(plan.folder)",
            ["--output=text", "--set=\(label)"])
        let mark = "error list:"
        return text.split(separator: "\n").compactMap { line in
            line.firstRange(of: mark).map { line[$0.upperBound...] }
        }.flatMap { $0.split { $0 == "," || $0 == " " }.map(String.init) }
    }

    /// Reads everything in the folder and compares it with its digests.
    package func verifyBackups(_ plan: BackupPlan) throws(ClusterError) {
        let action = "verify the backup in \(plan.folder)"
        let output = try ask(plan, "verify", action, ["--output=text", "--verbose"])
        let lines = output.split(separator: "\n").map { $0.drop { $0 == " " } }
        let isSound =
            lines.contains { $0 == "status: ok" }
            && lines.allSatisfy { !$0.hasPrefix("backup:") || $0.contains("status: valid") }
        guard isSound else { throw .backupFailed(action: action, output: lastLines(output)) }
    }

    /// What pgBackRest says about the backups in the folder, as JSON.
    package func listBackups(_ plan: BackupPlan) throws(ClusterError) -> String {
        try ask(plan, "info", "read the backup in \(plan.folder)", ["--output=json"])
    }

    /// Keeps a text beside the backups, readable by the account alone.
    package func keep(_ text: String, besideBackups plan: BackupPlan, as name: String)
        throws(ClusterError)
    {
        try writeText(text, to: "\(plan.folder)/\(name)", owner: server.account)
        try named { () throws(FileError) in try Folder.sync(plan.folder) }
    }

    /// The file that says when the last backup of a folder's server was taken and verified, in seconds since 1970.
    package static func backupNote(in folder: String) -> String { "\(folder)/backup/newest" }

    /// Writes down when a backup was taken and verified.
    package func noteBackup(seconds: Int64) throws(ClusterError) {
        try writeText("\(seconds)", to: Cluster.backupNote(in: folder), owner: server.account)
    }

    /// Ends a restore: from now on everyone may use the server.
    package func endRestore() throws(ClusterError) {
        unlink(server.restoreMark)
        try named { () throws(FileError) in try Folder.sync(folder) }
    }

    @discardableResult
    private func ask(
        _ plan: BackupPlan, _ command: String, _ action: String, _ options: [String]
    ) throws(ClusterError) -> String {
        try server.backUp(
            command, action, options, folder: plan.folder,
            configuration: server.configuration(of: plan))
    }
}
