import CLinux
import Files
import Glibc
import Log

extension PrivateServer {
    /// The programs that match the data; creates the data if there is none.
    func installedBinaries(log: Log) throws(ClusterError) -> Binaries {
        if let version = readText("\(dataFolder)/PG_VERSION") {
            return try Binaries.find(major: Int(version.filter(\.isNumber)))
        }
        if let kept = keptMajor {
            throw .dataMissing(path: dataFolder, kept: "\(dataFolder).\(kept)")
        }
        let binaries = try Binaries.find(major: nil)
        log.info("private PostgreSQL is made", ["version": .int(binaries.major)])
        try makeData(binaries)
        return binaries
    }

    private static let notReplicating = """
        wal_level = minimal
        max_wal_senders = 0
        """

    /// Commits do not wait for the log to be written, and a replica gets only what is written. Single tables may be
    /// replicated, too.
    private static let replicating = """
        wal_level = logical
        max_wal_senders = 10
        wal_writer_delay = 1ms
        """

    /// Copies the data of a running server that replicates, so that this one follows it.
    func copyPrimary(at socketFolder: String) throws(ClusterError) {
        try prepare()
        let child = Child(
            path: "\(try Binaries.find(major: nil).folder)/pg_basebackup",
            arguments: [
                "--pgdata", dataFolder, "--host", socketFolder, "--port", "5432", "--username",
                Cluster.superuser, "--write-recovery-conf", "--checkpoint=fast", "--no-sync",
            ], folder: folder, account: account)
        let (status, output) = try child.run()
        guard status == 0 else { throw .notInitialised(path: dataFolder, output: output) }
    }

    /// Copies the data of a server that does not run, for tests; what names the folder is written anew at each start.
    func copyData(_ origin: String) throws(ClusterError) {
        try prepare()
        let child = Child(
            path: "/bin/cp", arguments: ["-a", "--reflink=auto", origin, dataFolder],
            folder: folder, account: account)
        let (status, output) = try child.run()
        guard status == 0 else { throw .notInitialised(path: dataFolder, output: output) }
    }

    /// Creates the data in a temporary folder and renames it, so that incomplete data is never used.
    private func makeData(_ binaries: Binaries) throws(ClusterError) {
        let aside = "\(dataFolder).new"
        removeTree(aside)
        try initialise(
            aside, binaries,
            isThrowaway
                ? ["--auth-local=trust", "--no-sync"]
                : ["--auth-local=reject", "--data-checksums"])
        try named { () throws(FileError) in
            try Folder.rename(aside, to: dataFolder)
            try Folder.sync(folder)
        }
    }

    /// Runs `initdb` for a folder that does not exist; removes the folder if it fails.
    func initialise(
        _ path: String, _ binaries: Binaries, _ arguments: [String]
    ) throws(ClusterError) {
        let shared = [
            "-D", path, "-U", Cluster.superuser, "--locale=C.UTF-8", "--encoding=UTF8",
            "--auth-host=reject", "--no-instructions",
        ]
        let child = Child(
            path: binaries.initdb, arguments: shared + arguments, folder: folder, account: account)
        let (status, output) = try child.run()
        guard status == 0 else {
            removeTree(path)
            throw .notInitialised(path: path, output: output)
        }
    }

    /// Rewrites `postgresql.conf` at each start; an operator's own settings go into `local.conf`. Returns the
    /// folder of the socket.
    func writeConfiguration(_ archiving: Archiving = .asPlanned) throws(ClusterError) -> String {
        let socketFolder = try makeSocketFolder()
        let text = """
            # Written anew at each start. Settings of your own go into local.conf beside this file.
            shared_buffers = 128MB
            # After a crash the data are flushed as a whole, not file by file, which was most of the recovery.
            recovery_init_sync_method = syncfs
            \(durability(archiving))
            jit = off
            datestyle = 'iso, ymd'
            timezone = 'UTC'
            log_timezone = 'UTC'
            lc_messages = 'C.UTF-8'
            log_checkpoints = off
            include_if_exists = 'local.conf'

            # Only this machine, only this account.
            listen_addresses = ''
            port = 5432
            unix_socket_directories = '\(socketFolder.split(separator: "'").joined(separator: "''"))'
            unix_socket_permissions = 0700

            # Details of rows and statements carry names.
            log_error_verbosity = terse
            log_min_error_statement = panic
            log_statement = none

            """
        try writeText(text, to: "\(dataFolder)/postgresql.conf", owner: account)
        return socketFolder
    }

    private func durability(_ archiving: Archiving) -> String {
        isThrowaway
            ? """
            fsync = off
            synchronous_commit = off
            full_page_writes = off
            \(replicates ? PrivateServer.replicating : PrivateServer.notReplicating)
            max_connections = 400
            # Plans of tests depend on what they store, not on when autovacuum comes by.
            autovacuum = off
            """
            : """
            max_connections = 100
            # A new school fills its tables within minutes, and until they are looked at plans are guesses.
            autovacuum_naptime = 10s
            # Always on, so that the first backup needs no restart.
            archive_mode = on
            \(archiveSettings(archiving))
            """
    }

    /// The folder of the socket, closed to other accounts. A socket's path has at most 107 bytes, so for a
    /// deeply nested folder it is elsewhere.
    func makeSocketFolder() throws(ClusterError) -> String {
        var path = "\(folder)/run"
        if path.utf8.count + "/.s.PGSQL.5432.lock".utf8.count > 107 || path.contains(",") {
            path = "\(runtimeFolder)/homeroom-\(hash(of: folder))"
        }
        if mkdir(path, 0o700) == 0 {
            try give(path)
        } else {
            try check(errno == EEXIST, "make the folder", path)
        }
        // In a folder that everyone can write to, another account may have created it first.
        var status = stat()
        try check(lstat(path, &status) == 0, "use the folder", path)
        let expected = account?.user ?? geteuid()
        guard status.st_uid == expected, status.st_mode & S_IFMT == S_IFDIR else {
            throw .wrongOwner(
                path: path, owner: Account.name(of: status.st_uid),
                account: Account.name(of: expected))
        }
        try check(chmod(path, 0o700) == 0, "close to others", path)
        return path
    }

    private var runtimeFolder: String {
        if account == nil, let folder = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }),
            folder.utf8.count < 60, owner(of: folder) == geteuid()
        {
            return folder
        }
        return "/tmp"
    }

    /// FNV-1a, to distinguish folders; no secret depends on it.
    private func hash(of text: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return String(hash, radix: 16)
    }
}
