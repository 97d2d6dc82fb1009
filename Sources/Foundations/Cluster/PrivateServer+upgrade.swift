import CLinux
import Files
import Glibc
import Log

// The steps of an upgrade. The caller holds both locks, and no server runs.

extension PrivateServer {
    /// The major version of the data; `nil` if there is none.
    var major: Int? {
        readText("\(dataFolder)/PG_VERSION").flatMap { Int($0.filter(\.isNumber)) }
    }

    /// Stops what an interrupted upgrade left running, and deletes what it made.
    func removeRemains(log: Log) throws(ClusterError) {
        try completeExchange()
        stop(log: log)
        try next().stop(log: log)
        removeTree(upgradeFolder)
    }

    /// The server over the data that an upgrade is making.
    func next() throws(ClusterError) -> PrivateServer {
        try PrivateServer(
            folder: folder, account: account, isThrowaway: isThrowaway,
            dataName: PrivateServer.nextName)
    }

    /// Runs the server for the body, and stops it cleanly.
    func whileRunning<Value>(
        log: Log, _ body: (_ socketFolder: String) throws -> Value
    ) throws -> Value {
        let postmaster = try postmaster(log: log)
        defer { stop(log: log) }
        return try body(postmaster.socketFolder)
    }

    /// Creates empty data of another version, whose superuser has the same password.
    func makeNext(_ binaries: Binaries) throws(ClusterError) {
        try makeUpgradeFolder()
        let secret = (readText(passFile) ?? "").split(separator: ":").last ?? ""
        let file = "\(upgradeFolder)/password"
        try writeText(String(secret), to: file, owner: account)
        defer { unlink(file) }
        try initialise(
            nextFolder, binaries,
            ["--auth-local=scram-sha-256", "--pwfile=\(file)", "--data-checksums"])
    }

    /// Runs `pg_upgrade`, which copies the data and never changes it.
    ///
    /// It is killed with this process. What it started is not: `endPrograms` sees to that before the next start.
    func runUpgrade(_ old: Binaries, _ new: Binaries, onlyChecks: Bool) throws {
        let socketFolder = try makeSocketFolder()
        let lock = try lockOfPrograms()
        defer { lock.leaveToPrograms() }
        let child = Child(
            path: new.program("pg_upgrade"),
            arguments: [
                "-b", old.folder, "-B", new.folder, "-d", dataFolder, "-D", nextFolder,
                "-U", Cluster.superuser, "-s", socketFolder,
            ] + (onlyChecks ? ["--check"] : []),
            folder: upgradeFolder, account: account, deathSignal: SIGKILL, lock: lock,
            variables: ["PGPASSFILE=\(passFile)"])
        let (status, output) = try child.run()
        guard status == 0 else { throw UpgradeError.failed(output: output, log: upgradeFolder) }
    }

    /// Copies the settings that an operator made, which `pg_upgrade` leaves behind.
    func copyOwnSettings() throws(ClusterError) {
        for name in ["local.conf", "local_hba.conf", "postgresql.auto.conf"] {
            guard let text = readText("\(dataFolder)/\(name)") else { continue }
            try writeText(text, to: "\(nextFolder)/\(name)", owner: account)
        }
    }

    /// Marks the stopped server's data as made by an upgrade, complete and not used yet.
    func markAsUpgraded() throws(ClusterError) {
        try writeText(
            try checkpoint(), to: "\(dataFolder)/\(PrivateServer.markName)", owner: account)
        try named { () throws(FileError) in try Folder.sync(dataFolder) }
    }

    /// Whether the data is as the upgrade left it.
    func isUnusedSinceUpgrade() throws(ClusterError) -> Bool {
        try readText("\(dataFolder)/\(PrivateServer.markName)") == checkpoint()
    }

    /// Where the last checkpoint is; each stop of the server makes one.
    private func checkpoint() throws(ClusterError) -> String {
        let binaries = try Binaries.find(major: major)
        let child = Child(
            path: "/bin/sh",
            arguments: [
                "-c", "\"$0\" -D \"$1\" | grep '^Latest checkpoint location:'",
                binaries.program("pg_controldata"), dataFolder,
            ], folder: folder, account: account)
        let (status, output) = try child.run()
        guard status == 0 else { throw .notStarted(log: logFile, output: output) }
        return output
    }

    /// Refuses an upgrade for which the disk is too small.
    func checkSpace() throws {
        let needed = size(of: dataFolder) / 10 * 11 + 256 << 20
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return }
        let free = Int(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
        guard free >= needed else {
            throw UpgradeError.noSpace(path: folder, needed: needed, free: free)
        }
    }

    /// How many bytes a folder takes on disk.
    private func size(of path: String) -> Int {
        var status = stat()
        guard lstat(path, &status) == 0 else { return 0 }
        let own = Int(status.st_blocks) * 512
        guard status.st_mode & S_IFMT == S_IFDIR else { return own }
        return Folder.names(in: path).reduce(own) { $0 + size(of: "\(path)/\($1)") }
    }
}
