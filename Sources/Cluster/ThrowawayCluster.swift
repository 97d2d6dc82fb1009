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
    /// - Parameters:
    ///   - replicates: whether replicas may follow it.
    ///   - primary: a server that replicates, for this one to follow.
    ///   - variables: of its environment, such as `LD_PRELOAD=/path`.
    package init(
        log: Log, replicates: Bool = false, following primary: ThrowawayCluster? = nil,
        variables: [String] = []
    ) throws(ClusterError) {
        let account = ThrowawayCluster.account
        let parent = "\(ThrowawayCluster.place)/homeroom-tests-\(geteuid())"
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
        try ThrowawayCluster.sweep(parent)
        let name = "\(parent)/\(getpid())-\(ThrowawayCluster.next())"
        mark = try FileLock(path: "\(name).lock", owner: nil)
        _ = mark.take(exclusive: true)
        var server = try PrivateServer(
            folder: name, account: account, isThrowaway: true,
            replicates: replicates || primary != nil)
        server.variables = variables
        if let primary { try server.copyPrimary(at: primary.cluster.socketFolder) }
        cluster = try Cluster(server, log: log)
        ThrowawayCluster.register(self)
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
            let clusters = ThrowawayCluster.registry.withLock { $0.clusters }
            for cluster in clusters { cluster.discard() }
        }
    }
}
