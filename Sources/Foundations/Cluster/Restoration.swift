import CLinux
import Files
import Glibc
import Log

/// Restores a private PostgreSQL from a backup, into a folder that has none.
///
/// Until `Cluster.endRestore` a mark in the folder keeps everyone else out, and a restore that died starts over. Not
/// for use by two threads at once.
package final class Restoration {
    private let server: PrivateServer
    private let plan: BackupPlan
    private let starting: FileLock
    private let users: FileLock
    private let log: Log

    /// Locks the folder. Throws `notEmpty`, `inUse` or `usedElsewhere`.
    package init(
        into folder: String, account: Account?, from plan: BackupPlan, log: Log
    ) throws(ClusterError) {
        server = try PrivateServer(folder: folder, account: account, isThrowaway: false)
        self.plan = plan
        self.log = log
        if exists(server.dataFolder), !exists(server.restoreMark) {
            throw .notEmpty(path: server.folder)
        }
        try server.prepare()
        starting = try FileLock(path: "\(server.folder)/start.lock", owner: server.account)
        do throws(ClusterError) {
            users = try FileLock(path: "\(server.folder)/users.lock", owner: server.account)
        } catch {
            starting.close()
            throw error
        }
        guard starting.take(exclusive: true), users.take(exclusive: true) else {
            release()
            throw .inUse(path: server.folder)
        }
        do throws(ClusterError) {
            try server.requireNoneElsewhere()
            try makeWorkFolder()
        } catch {
            release()
            throw error
        }
    }

    /// What pgBackRest says about the backups in the plan's folder, as JSON.
    package func listBackups() throws(ClusterError) -> String {
        try server.backUp(
            "info", "read the backup in \(plan.folder)", ["--output=json"], folder: plan.folder,
            configuration: configuration)
    }

    /// Restores a backup and replays the WAL after it, all of it or up to a moment; then stops the server.
    ///
    /// - Parameter moment: as PostgreSQL reads it.
    package func restore(
        _ label: String, to moment: String?
    ) throws(ClusterError) -> ReplayedLog {
        try writeText("", to: server.restoreMark, owner: server.account)
        try server.endPrograms(log: log)
        if server.isRunning { server.stop(log: log) }
        removeTree(server.dataFolder)
        // A restored database archives nothing before the operator says so: it may be a rehearsal beside the original.
        removeTree(server.backupFolder)
        unlink(server.passFile)
        try makeFolder(server.dataFolder, mode: 0o700)
        try server.give(server.dataFolder)
        let target = moment.map { ["--type=time", "--target=\($0)", "--target-action=promote"] }
        let lock = try server.lockOfPrograms()
        defer { lock.leaveToPrograms() }
        try server.backUp(
            "restore", "restore the backup \(label) of \(plan.folder)",
            ["--set=\(label)"] + (target ?? []), folder: plan.folder, configuration: configuration,
            lock: lock)
        return try server.recover(log: log)
    }

    /// Releases the folder; an unfinished restore keeps its mark.
    package func release() {
        removeTree(workFolder)
        users.close()
        starting.close()
    }

    private var workFolder: String { "\(server.folder)/restore" }
    private var configuration: String { "\(workFolder)/pgbackrest.conf" }

    private func makeWorkFolder() throws(ClusterError) {
        removeTree(workFolder)
        try makeFolder(workFolder, mode: 0o700)
        try server.give(workFolder)
        let text = plan.configuration(
            dataFolder: server.dataFolder, socketFolder: "\(server.folder)/run",
            workFolder: workFolder, queueMebibytes: 1024)
        try writeText(text, to: configuration, owner: server.account)
    }
}

/// How far a restore came with the WAL after the backup.
package struct ReplayedLog: Sendable {
    /// When the last transaction ended, as PostgreSQL's log writes it; `nil` if there was none after the backup.
    package let lastTransaction: String?
    /// Whether the archive goes on after the moment that was asked for, if one was.
    package let reachesMoment: Bool

    /// The same in words.
    package var sentence: String {
        let end =
            reachesMoment
            ? "" : " The archive holds nothing from after the moment that you asked for."
        guard let lastTransaction else { return "Nothing was written after the backup.\(end)" }
        return
            "Replayed what was written since; the last transaction ended at \(lastTransaction).\(end)"
    }
}

extension PrivateServer {
    /// A file that exists until a restore into the folder is finished.
    var restoreMark: String { "\(folder)/restore.unfinished" }

    /// Lets PostgreSQL replay WAL as a restore has written it down, and stops it again; nobody can connect meanwhile.
    ///
    func recover(log: Log) throws(ClusterError) -> ReplayedLog {
        let binaries = try installedBinaries(log: log)
        _ = try writeConfiguration()
        try writeText("local all all reject\n", to: "\(dataFolder)/pg_hba.conf", owner: account)
        let before = (try? File.reading(logFile).size()) ?? 0
        var isWhole = true
        do throws(ClusterError) {
            try replay(binaries, [])
        } catch {
            guard case .notStarted(_, let output) = error, output.contains(Self.targetNotReached)
            else { throw error }
            // The archive ends before the moment: nothing was written after it, or that was not archived.
            isWhole = false
            try replay(binaries, ["-c", "recovery_target_time="])
        }
        stop(log: log)
        let after = (try? File.reading(logFile).size()) ?? 0
        let lines = (readText(logFile, last: max(0, after - before)) ?? "").split(separator: "\n")
        let last = lines.compactMap { line in
            line.firstRange(of: Self.lastTransaction).map { String(line[$0.upperBound...]) }
        }.last
        return ReplayedLog(lastTransaction: last, reachesMoment: isWhole)
    }

    private static let targetNotReached =
        "recovery ended before configured recovery target was reached"
    private static let lastTransaction = "last completed transaction was at log time "

    private func replay(_ binaries: Binaries, _ options: [String]) throws(ClusterError) {
        let fixed = ["-c", "hot_standby=off", "-c", "archive_mode=off"]
        let lock = try lockOfServer()
        defer { lock.leaveToPrograms() }
        let pid = try launch(
            binaries, options: fixed + options, deathSignal: SIGQUIT, lock: lock)
        // A day's WAL takes its time.
        _ = try wait(for: pid, otherThan: nil, seconds: 86_400)
    }
}
