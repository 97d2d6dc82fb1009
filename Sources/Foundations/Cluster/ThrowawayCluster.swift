import Files
import Glibc
import Log
import Synchronization

/// A PostgreSQL for tests, in a temporary folder: nothing is flushed to disk, and nothing is left behind.
///
/// It ends with the process even if that is killed; the next one removes the folders of killed ones.
package final class ThrowawayCluster: Sendable {
    package let cluster: Cluster
    private let mark: FileLock

    /// The account of its processes when run as root: only that account and root can reach its socket.
    package static var account: Account? {
        Account(named: "homeroom") ?? Account(named: "postgres") ?? Account(named: "nobody")
    }

    /// A program of the PostgreSQL that it uses, such as `pg_dump`.
    package static func program(_ name: String) throws(ClusterError) -> String {
        "\(try Binaries.find(major: nil).folder)/\(name)"
    }

    /// Creates and starts a server; as root its processes run under the first account that exists of
    /// `homeroom`, `postgres` and `nobody`.
    ///
    /// Its data are copied from a folder that `initdb` made once for this process, and have the same system identifier.
    ///
    /// - Parameters:
    ///   - replicates: whether replicas may follow it.
    ///   - primary: a server that replicates, for this one to follow.
    ///   - origin: one that rests, whose data this one begins with.
    ///   - isDistinct: whether `initdb` runs for this one alone, so that its system identifier is its own.
    ///   - variables: of its environment, such as `LD_PRELOAD=/path`.
    package init(
        log: Log, replicates: Bool = false, following primary: ThrowawayCluster? = nil,
        copying origin: ThrowawayCluster? = nil, isDistinct: Bool = false,
        variables: [String] = []
    ) throws(ClusterError) {
        var data: String?
        if let origin {
            data = "\(origin.cluster.folder)/postgresql"
        } else if primary == nil, !isDistinct {
            data = try ThrowawayCluster.initialised.get()
        }
        let reserved = try ThrowawayCluster.reserve()
        mark = reserved.mark
        var server = try PrivateServer(
            folder: reserved.folder, account: ThrowawayCluster.account, isThrowaway: true,
            replicates: replicates || primary != nil)
        server.variables = variables
        if let primary { try server.copyPrimary(at: primary.cluster.socketFolder) }
        if let data { try server.copyData(data) }
        cluster = try Cluster(server, log: log)
        ThrowawayCluster.register(self)
    }

    /// Where `initdb` made data that no server has used; they are made when the first cluster needs them.
    private static let initialised = Result { () throws(ClusterError) -> String in
        let reserved = try reserve()
        let server = try PrivateServer(
            folder: reserved.folder, account: account, isThrowaway: true)
        try server.prepare()
        _ = try server.installedBinaries(log: Log(minimum: .error))
        registry.withLock { $0.initialised = reserved }
        return server.dataFolder
    }

    /// A name for a folder, and the lock that keeps other processes from removing it.
    private struct Reserved: Sendable {
        let folder: String
        let mark: FileLock
    }

    private static func reserve() throws(ClusterError) -> Reserved {
        let parent = "\(place)/homeroom-tests-\(geteuid())"
        if mkdir(parent, 0o755) != 0 { try check(errno == EEXIST, "make the folder", parent) }
        let user = owner(of: parent) ?? geteuid()
        guard user == geteuid() else {
            throw .wrongOwner(
                path: parent, owner: Account.name(of: user), account: Account.name(of: geteuid()))
        }
        try check(chmod(parent, 0o755) == 0, "open to others", parent)
        // Held while sweeping and marking, so that no other process removes a folder that is not marked yet.
        let sweeping = try FileLock(path: "\(parent)/sweep.lock", owner: nil)
        defer { sweeping.close() }
        guard sweeping.wait(exclusive: true, seconds: 120) else { throw .tookTooLong(path: parent) }
        try sweep(parent)
        let folder = "\(parent)/\(getpid())-\(next())"
        let mark = try FileLock(path: "\(folder).lock", owner: nil)
        _ = mark.take(exclusive: true)
        return Reserved(folder: folder, mark: mark)
    }

    /// Ends the server in order and keeps its data, for others to begin with.
    package func rest() throws(ClusterError) {
        let folder = "\(cluster.folder)/postgresql"
        guard let postmaster = Postmaster.running(dataFolder: folder) else { return }
        Glibc.kill(postmaster.pid, SIGINT)
        for _ in 0..<30_000 {
            if !isAlive(postmaster.pid) { return }
            usleep(2_000)
        }
        throw .tookTooLong(path: folder)
    }

    /// Stops the server at once and removes its folder; this also happens when the process exits.
    package func discard() {
        cluster.leave()
        removeTree(cluster.folder)
        unlink("\(cluster.folder).lock")
        mark.close()
    }

    /// Ends the server as a crash would; its children notice. `cluster.ensureRunning` starts it again.
    package func kill() {
        guard let postmaster = Postmaster.running(dataFolder: "\(cluster.folder)/postgresql") else {
            return
        }
        Glibc.kill(postmaster.pid, SIGKILL)
    }

    /// In memory where there is plenty of it: making and dropping a database is mostly making and removing files, which a
    /// file system on a disk makes slow even if nothing is flushed.
    private static let place: String = {
        let memory = "/dev/shm"
        var status = statvfs()
        let isPlenty =
            statvfs(memory, &status) == 0
            && UInt64(status.f_bavail) * UInt64(status.f_frsize) >= 4 << 30
        return isPlenty && access(memory, W_OK) == 0 ? memory : "/tmp"
    }()

    private static func sweep(_ parent: String) throws(ClusterError) {
        for name in Folder.names(in: parent) where name.hasSuffix(".lock") && name != "sweep.lock" {
            let path = "\(parent)/\(name)"
            let lock = try FileLock(path: path, owner: nil)
            defer { lock.close() }
            guard lock.take(exclusive: true) else { continue }
            removeTree(String(path.dropLast(".lock".count)))
            unlink(path)
        }
    }

    private struct Registry {
        var made = 0
        var clusters: [ThrowawayCluster] = []
        var initialised: Reserved?
    }

    private static let registry = Mutex(Registry())

    private static func next() -> Int {
        registry.withLock { registry in
            registry.made += 1
            return registry.made
        }
    }

    private static func register(_ cluster: ThrowawayCluster) {
        let isFirst = registry.withLock { registry in
            registry.clusters.append(cluster)
            return registry.clusters.count == 1
        }
        guard isFirst else { return }
        atexit {
            let (clusters, initialised) = ThrowawayCluster.registry.withLock {
                ($0.clusters, $0.initialised)
            }
            for cluster in clusters { cluster.discard() }
            if let initialised {
                removeTree(initialised.folder)
                unlink("\(initialised.folder).lock")
            }
        }
    }
}
