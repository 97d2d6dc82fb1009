import CLinux
import Glibc
import Log
import Synchronization

/// A private PostgreSQL in its own folder, reachable only through a Unix socket.
///
/// The first user of a folder starts the server, others join it, and the last one to leave stops it. Three locks
/// in the folder coordinate this: `start.lock` is held while a server is started or stopped; `users.lock` is
/// shared by all users while they use the server; `server.lock` is held by the server itself, so that no second one
/// starts beside one that cannot be seen, as in another container. The system releases them when a process dies,
/// however it dies. A server whose users all died keeps running until the next user joins it and, leaving last, stops it.
///
/// The server is a child in its own session, so that Ctrl-C reaches its user first. Commits are durable. All
/// calls block, so do not call them on an event loop.
package final class Cluster: Sendable {
    /// The superuser of the server. Its password is in a file that only the account can read, and the socket is
    /// in a folder closed to other accounts.
    package static let superuser = "homeroom"

    /// The given folder: PostgreSQL's own data is in `postgresql` inside it.
    package let folder: String
    /// Where the socket is.
    package let socketFolder: String
    /// The server's messages, in English, without the details of rows.
    package var logFile: String { server.logFile }

    let server: PrivateServer
    private let log: Log
    private let users: FileLock
    private let hasLeft = Mutex(false)

    /// Joins the server of the folder; creates and starts it if needed.
    ///
    /// When run as root, PostgreSQL's programs run under the account, which becomes the owner of the folder.
    /// Otherwise the account is ignored. The process that starts the server decides who besides the superuser
    /// may connect. A folder in which a restore is not finished is refused, unless this is for finishing it.
    package convenience init(
        joining folder: String, account: Account? = nil, access: Access? = nil,
        isRestoring: Bool = false, log: Log
    ) throws(ClusterError) {
        var server = try PrivateServer(
            folder: folder, account: account, isThrowaway: false, access: access)
        server.isRestoring = isRestoring
        try self.init(server, log: log)
    }

    init(_ server: PrivateServer, log: Log) throws(ClusterError) {
        try server.prepare()
        let starting = try FileLock(path: "\(server.folder)/start.lock", owner: server.account)
        defer { starting.close() }
        users = try FileLock(path: "\(server.folder)/users.lock", owner: server.account)
        guard starting.wait(exclusive: true, seconds: 120) else {
            users.close()
            throw .tookTooLong(path: server.folder)
        }
        do throws(ClusterError) {
            socketFolder = try server.postmaster(log: log).socketFolder
        } catch {
            users.close()
            throw error
        }
        // Only a process that stops the server holds it exclusively, and that needs the other lock.
        _ = users.take(exclusive: false)
        folder = server.folder
        self.server = server
        self.log = log
    }

    deinit {
        leave()
    }

    /// The connection parameters for libpq, as keywords and values.
    package func connectionString(database: String, user: String) -> String {
        server.connectionString(socketFolder: socketFolder, database: database, user: user)
    }

    /// Restarts the server if it died, as after `kill -9`; long-running users call this periodically. Returns
    /// whether it had died.
    @discardableResult
    package func ensureRunning() throws(ClusterError) -> Bool {
        if hasLeft.withLock({ $0 }) || server.isRunning { return false }
        let starting = try FileLock(path: "\(server.folder)/start.lock", owner: server.account)
        defer { starting.close() }
        guard starting.wait(exclusive: true, seconds: 120) else {
            throw .tookTooLong(path: server.folder)
        }
        if hasLeft.withLock({ $0 }) || server.isRunning { return false }
        log.error(
            "private PostgreSQL died and is started again",
            ["cause": .text(server.lastTrouble ?? "it said nothing")])
        _ = try server.postmaster(log: log)
        return true
    }

    /// Stops using the server; the last user stops it and waits for its end. A second call does nothing.
    package func leave() {
        let isFirst = hasLeft.withLock { left in
            defer { left = true }
            return !left
        }
        guard isFirst else { return }
        defer { users.close() }
        guard
            let starting = try? FileLock(path: "\(server.folder)/start.lock", owner: server.account)
        else { return }
        defer { starting.close() }
        guard starting.wait(exclusive: true, seconds: 120), users.take(exclusive: true) else {
            return
        }
        server.stop(log: log)
    }
}
