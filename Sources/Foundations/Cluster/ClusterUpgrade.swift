import Glibc
import Log

/// Takes the data of a private PostgreSQL to another major version, and back.
///
/// `pg_upgrade` makes the new data beside the old, which is never changed and stays as the way back. Until this object
/// is closed, nobody else uses the data. If the process is killed, the data is as before or as after, and everything can be
/// repeated.
package final class ClusterUpgrade {
    /// The connection parameters of a running server's superuser for a database.
    package typealias Target = (_ database: String) -> String

    /// The major version of the data.
    package let major: Int

    private let server: PrivateServer
    private var locks: [FileLock]
    private let log: Log

    /// Takes the locks of the folder; throws an `UpgradeError` if its database is in use.
    ///
    /// - Parameters:
    ///   - account: whose the data is, if the process is root.
    ///   - access: who may connect besides the superuser, since other processes may join a server that is left running.
    ///   - isAlone: whether nobody may use the database meanwhile; needed for all but `finish`.
    package init(
        of folder: String, account: Account?, access: Cluster.Access? = nil, isAlone: Bool = true,
        log: Log
    ) throws {
        guard exists(folder) else { throw UpgradeError.noData(path: folder) }
        server = try PrivateServer(
            folder: folder, account: account, isThrowaway: false, access: access)
        try server.prepare()
        locks = try ClusterUpgrade.locks(of: server, isAlone: isAlone)
        self.log = log
        do {
            try server.endPrograms(log: log)
            try server.requireNoneElsewhere()
            try server.completeExchange()
            guard let major = server.major else { throw UpgradeError.noData(path: folder) }
            self.major = major
        } catch {
            for lock in locks { lock.close() }
            throw error
        }
    }

    deinit {
        close()
    }

    /// Lets others use the database again. A second call does nothing.
    package func close() {
        for lock in locks { lock.close() }
        locks = []
    }

    /// Makes the data of another version and puts it in the place of the old.
    ///
    /// - Parameters:
    ///   - wanted: the version; the newest that is installed if `nil`. That of the data itself makes a copy.
    ///   - onlyChecks: whether to find out if it can be done, and leave everything as it is.
    ///   - before: looks at the old data.
    ///   - after: completes the new data and compares it with what was seen; if it throws, the old data stays in use.
    ///   - say: gets a sentence for each step.
    /// - Returns: the new version.
    @discardableResult
    package func run<State>(
        to wanted: Int?, onlyChecks: Bool = false, before: (Target) throws -> State,
        after: (Target, State) throws -> Void, say: (String) -> Void
    ) throws -> Int {
        if let kept = server.keptMajor {
            throw UpgradeError.unfinished(kept: server.keptFolder(kept))
        }
        let (old, new) = try binaries(wanted)
        try server.removeRemains(log: log)
        try server.checkSpace()
        say("Looking at the data of PostgreSQL \(old.major) …")
        let state = try server.whileRunning(log: log) { try before(targets(server, $0)) }
        say("Checking whether PostgreSQL \(new.major) takes it …")
        try server.makeNext(new)
        try server.runUpgrade(old, new, onlyChecks: true)
        if onlyChecks {
            try server.removeRemains(log: log)
            return new.major
        }
        say("Copying it …")
        try server.runUpgrade(old, new, onlyChecks: false)
        try server.copyOwnSettings()
        say("Completing the data of PostgreSQL \(new.major) …")
        let next = try server.next()
        try next.whileRunning(log: log) { try after(targets(next, $0), state) }
        try next.markAsUpgraded()
        try server.useNext(insteadOf: old.major)
        return new.major
    }

    /// Goes back to the data as it was before the last upgrade, and deletes the newer; returns the version.
    ///
    /// - Parameter discardsChanges: whether to lose what was written since.
    package func undo(discardsChanges: Bool) throws -> Int {
        let kept = try keptMajor()
        server.stop(log: log)
        guard try discardsChanges || server.isUnusedSinceUpgrade() else {
            throw UpgradeError.changedSince(path: server.folder)
        }
        try server.useKept(kept)
        return kept
    }

    /// Deletes the data as it was before the last upgrade; returns its version.
    package func finish() throws -> Int {
        let kept = try keptMajor()
        try server.deleteKept(kept)
        return kept
    }

    private func keptMajor() throws -> Int {
        guard let kept = server.keptMajor else {
            throw UpgradeError.nothingKept(path: server.folder)
        }
        return kept
    }

    /// The programs of the data's version and of the wanted one.
    private func binaries(_ wanted: Int?) throws -> (old: Binaries, new: Binaries) {
        if let wanted, wanted < major { throw UpgradeError.older(major: major, wanted: wanted) }
        let new = try Binaries.find(major: wanted)
        guard wanted != nil || new.major > major else { throw UpgradeError.noNewer(major: major) }
        return (try Binaries.find(major: major), new)
    }

    private func targets(
        _ server: PrivateServer, _ socketFolder: String
    ) -> Target {
        { database in
            server.connectionString(
                socketFolder: socketFolder, database: database, user: Cluster.superuser)
        }
    }

    /// The lock for starting and stopping, and that of a folder that nobody uses.
    private static func locks(of server: PrivateServer, isAlone: Bool) throws -> [FileLock] {
        let starting = try FileLock(path: "\(server.folder)/start.lock", owner: server.account)
        let users = try FileLock(path: "\(server.folder)/users.lock", owner: server.account)
        // A process that was killed may have been starting a program, which has its files until it runs. So a folder
        // that was just left may look used for a moment.
        if starting.wait(exclusive: true, seconds: 10),
            !isAlone || users.wait(exclusive: true, seconds: 2)
        {
            return [starting, users]
        }
        starting.close()
        users.close()
        throw UpgradeError.inUse(path: server.folder)
    }
}
