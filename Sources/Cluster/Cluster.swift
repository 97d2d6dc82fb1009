import CLinux
import Glibc
import Log
import Synchronization

/// A private PostgreSQL in a folder of its own, reachable through a Unix socket and by nobody else.
///
/// The first user of a folder starts the server, others join it, and the last one to leave stops it. Two locks
/// in the folder decide: `start.lock` is held while a server is started or stopped, `users.lock` is shared by
/// all users for as long as they are. The system gives both back when a process dies, however it dies; a
/// server whose users all died goes on until the next one joins it and, leaving last, stops it.
///
/// The server is a child in a session of its own, so that Ctrl-C reaches its user first. Commits are durable.
/// All calls block; none belongs on an event loop.
package final class Cluster: Sendable {
    /// The superuser of the server. A password protects it that a file holds, readable to the account alone, behind
    /// a socket folder that is closed to other accounts.
    package static let superuser = "homeroom"

    /// The folder given: PostgreSQL's own data are in `postgresql` inside it.
    package let folder: String
    /// Where the socket is.
    package let socketFolder: String
    /// The server's messages, in English, without the details of rows.
    package var logFile: String { place.logFile }

    private let place: Place
    private let log: Log
    private let users: FileLock
    private let hasLeft = Mutex(false)

    /// Joins the server of the folder, and starts it, and makes it, where that is needed.
    ///
    /// As root PostgreSQL's programs run under the account, which gets to own the folder. As anybody else the
    /// account is ignored. Whoever starts the server decides who else than the superuser may connect.
    package convenience init(
        joining folder: String, account: Account? = nil, access: Access? = nil, log: Log
    ) throws(ClusterError) {
        try self.init(
            Place(folder: folder, account: account, isThrowaway: false, access: access), log: log)
    }

    init(_ place: Place, log: Log) throws(ClusterError) {
        try place.prepare()
        let starting = try FileLock(path: "\(place.folder)/start.lock", owner: place.account)
        defer { starting.close() }
        users = try FileLock(path: "\(place.folder)/users.lock", owner: place.account)
        guard starting.wait(exclusive: true, seconds: 120) else {
            users.close()
            throw .tookTooLong(path: place.folder)
        }
        do throws(ClusterError) {
            socketFolder = try place.runningServer(log: log).socketFolder
        } catch {
            users.close()
            throw error
        }
        // Nobody holds it exclusively but who stops the server, and that needs the other lock.
        _ = users.take(exclusive: false)
        folder = place.folder
        self.place = place
        self.log = log
    }

    deinit {
        leave()
    }

    /// How libpq connects: keywords and values.
    package func connectionString(database: String, user: String) -> String {
        let secret =
            user == Cluster.superuser && !place.isThrowaway ? [("passfile", place.passFile)] : []
        return
            ([("host", socketFolder), ("port", "5432"), ("dbname", database), ("user", user)]
            + secret)
            .map { keyword, value in
                let escaped = value.map { "\\'".contains($0) ? "\\\($0)" : String($0) }.joined()
                return "\(keyword)='\(escaped)'"
            }
            .joined(separator: " ")
    }

    /// Starts the server again if it died, as after `kill -9`; for a user that stays for long, again and again.
    /// Answers whether it had died.
    @discardableResult
    package func ensureRunning() throws(ClusterError) -> Bool {
        if hasLeft.withLock({ $0 }) || place.isRunning { return false }
        let starting = try FileLock(path: "\(place.folder)/start.lock", owner: place.account)
        defer { starting.close() }
        guard starting.wait(exclusive: true, seconds: 120) else {
            throw .tookTooLong(path: place.folder)
        }
        if hasLeft.withLock({ $0 }) || place.isRunning { return false }
        log.error(
            "private PostgreSQL died and is started again",
            ["cause": .text(place.lastTrouble ?? "it said nothing")])
        _ = try place.runningServer(log: log)
        return true
    }

    /// Stops using the server; the last user stops it and waits for its end. The second call does nothing.
    package func leave() {
        let isFirst = hasLeft.withLock { left in
            defer { left = true }
            return !left
        }
        guard isFirst else { return }
        defer { users.close() }
        guard let starting = try? FileLock(path: "\(place.folder)/start.lock", owner: place.account)
        else { return }
        defer { starting.close() }
        guard starting.wait(exclusive: true, seconds: 120), users.take(exclusive: true) else {
            return
        }
        place.stop(log: log)
    }
}
