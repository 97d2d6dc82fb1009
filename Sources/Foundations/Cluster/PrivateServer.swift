import CLinux
import Files
import Glibc
import Log

/// A folder for a private PostgreSQL, and the operations on it; the caller holds `start.lock`.
///
/// Processes are seen by their numbers, and those of another container are not. So the server itself holds a lock on a
/// file in the folder as long as it or a part of it lives (`PrivateServer+lock.swift`).
struct PrivateServer: Sendable {
    let folder: String
    /// The account that owns the processes and files, if the process is root.
    let account: Account?
    /// Whether losing all data is fine: for tests.
    let isThrowaway: Bool
    /// Whether replicas may follow it, or it is one: for tests.
    let replicates: Bool
    /// Who may connect besides the superuser.
    let access: Cluster.Access?
    /// The path of PostgreSQL's own data below the folder.
    let dataName: String
    /// Whether this is for finishing a restore.
    var isRestoring = false
    /// Variables of the server's environment, such as `LD_PRELOAD=/path`: for tests.
    var variables: [String] = []
    /// How long to wait for the end of a server that cannot be seen.
    var patience = 10.0

    var dataFolder: String { "\(folder)/\(dataName)" }
    var logFile: String { "\(folder)/postgresql.log" }
    var isRunning: Bool { Postmaster.running(dataFolder: dataFolder) != nil }

    init(
        folder: String, account: Account?, isThrowaway: Bool, replicates: Bool = false,
        access: Cluster.Access? = nil, dataName: String = "postgresql"
    ) throws(ClusterError) {
        self.dataName = dataName
        self.isThrowaway = isThrowaway
        self.replicates = replicates
        self.access = access
        self.account = geteuid() == 0 ? account : nil
        if geteuid() == 0, account == nil || account?.user == 0 { throw .rootNeedsAccount }
        self.folder = plainPath(folder.hasPrefix("/") ? folder : "\(resolved("."))/\(folder)")
    }

    /// Creates the folder; refuses one that belongs to another account.
    func prepare() throws(ClusterError) {
        if !exists(folder) {
            try makeFolder(folder, mode: 0o750)
            try give(folder)
        }
        let expected = account?.user ?? geteuid()
        let path = resolved(folder)
        guard let owner = owner(of: path) else {
            throw .failed(FileError("use the folder", folder, errno))
        }
        guard owner == expected else {
            throw .wrongOwner(
                path: folder, owner: Account.name(of: owner), account: Account.name(of: expected))
        }
    }

    /// The running server; starts it if it is down, and creates it if it does not exist.
    func postmaster(log: Log) throws(ClusterError) -> Postmaster {
        if !isRestoring, exists(restoreMark) { throw .restoreUnfinished(path: folder) }
        try endPrograms(log: log)
        if let running = Postmaster.running(dataFolder: dataFolder) {
            do throws(ClusterError) {
                return try wait(for: running.pid, otherThan: nil)
            } catch {
                // One that was stopping has stopped by now, and another one can start.
                if isAlive(running.pid) { throw error }
            }
        }
        let lock = try lockOfServer()
        defer { lock.leaveToPrograms() }
        try completeExchange()
        let began = linux_monotonic_nanoseconds()
        let binaries = try installedBinaries(log: log)
        let socketFolder = try writeConfiguration()
        var attempts = exists("\(dataFolder)/postmaster.pid") ? 20 : 1
        while true {
            attempts -= 1
            do throws(ClusterError) {
                Postmaster.removeMisleadingFiles(
                    dataFolder: dataFolder, socketFolder: socketFolder)
                let leftOver = Postmaster.FileMark(dataFolder: dataFolder)
                let postmaster = try wait(
                    for: try start(binaries, lock: lock), otherThan: leftOver)
                let milliseconds = Double(linux_monotonic_nanoseconds() - began) / 1e6
                log.info(
                    "private PostgreSQL started",
                    ["version": .int(binaries.major), "duration_ms": .milliseconds(milliseconds)])
                return postmaster
            } catch {
                // The children of a killed server need a moment to notice, and until then PostgreSQL refuses to start.
                if attempts == 0 { throw error }
                usleep(250_000)
            }
        }
    }

    /// The last serious line of the server's log, which quotes no data; `nil` if there is none.
    var lastTrouble: String? {
        let lines = (readText(logFile, last: 16_384) ?? "").split(separator: "\n")
        let marks = ["PANIC:", "No space left on device", "was terminated by signal"]
        let grave = lines.last { line in marks.contains { line.contains($0) } }
        return (grave ?? lines.last { $0.contains("FATAL:") }).map(String.init)
    }

    /// Stops the server and waits: its transactions are rolled back, its clients disconnected.
    func stop(log: Log) {
        guard let postmaster = Postmaster.running(dataFolder: dataFolder) else { return }
        kill(postmaster.pid, isThrowaway ? SIGQUIT : SIGINT)
        if waitForEnd(of: postmaster.pid, seconds: 60) { return }
        log.warning("private PostgreSQL does not stop in 60 s and is ended at once")
        kill(postmaster.pid, SIGQUIT)
        _ = waitForEnd(of: postmaster.pid, seconds: 10)
    }

    private func waitForEnd(of pid: pid_t, seconds: Int64) -> Bool {
        let deadline = linux_monotonic_nanoseconds() + seconds * 1_000_000_000
        while isAlive(pid) {
            if linux_monotonic_nanoseconds() > deadline { return false }
            usleep(2_000)
        }
        return true
    }

    private func start(_ binaries: Binaries, lock: FileLock) throws(ClusterError) -> pid_t {
        try protect(binaries)
        return try launch(binaries, deathSignal: isThrowaway ? SIGQUIT : 0, lock: lock)
    }

    /// Starts the program with options of its own.
    ///
    /// - Parameter lock: that of a server, which it holds until it ends.
    func launch(
        _ binaries: Binaries, options: [String] = [], deathSignal: Int32, lock: FileLock
    ) throws(ClusterError) -> pid_t {
        let output = open(logFile, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        try check(output >= 0, "open", logFile)
        defer { close(output) }
        // An unread log must not fill the disk.
        if lseek(output, 0, SEEK_END) > 16 << 20 { ftruncate(output, 0) }
        if let account { _ = fchown(output, account.user, account.group) }
        let child = Child(
            path: binaries.postgres, arguments: ["-D", dataFolder] + options, folder: dataFolder,
            account: account, deathSignal: deathSignal, lock: lock, variables: variables)
        return try child.startWatched(output: output)
    }

    /// Waits until the process is a server that answers; recovery after a crash may take minutes.
    ///
    /// - Parameter leftOver: the file of an earlier server, which says nothing about this one.
    func wait(
        for pid: pid_t, otherThan leftOver: Postmaster.FileMark?, seconds: Int64 = 600
    ) throws(ClusterError) -> Postmaster {
        let deadline = linux_monotonic_nanoseconds() + seconds * 1_000_000_000
        while linux_monotonic_nanoseconds() < deadline {
            if leftOver == nil || Postmaster.FileMark(dataFolder: dataFolder) != leftOver,
                let postmaster = Postmaster(dataFolder: dataFolder), postmaster.pid == pid,
                postmaster.isReady
            {
                return postmaster
            }
            guard isAlive(pid) else {
                throw .notStarted(
                    log: logFile, output: lastLines(readText(logFile, last: 4096) ?? ""))
            }
            usleep(2_000)
        }
        throw .tookTooLong(path: dataFolder)
    }

    func give(_ path: String) throws(ClusterError) {
        guard let account else { return }
        try check(chown(path, account.user, account.group) == 0, "give away", path)
    }
}
