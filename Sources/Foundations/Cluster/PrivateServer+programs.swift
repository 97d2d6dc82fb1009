import Log

// An upgrade and a restore leave the data to programs, which may outlive a process that was killed: `pg_upgrade` starts
// others, and pgBackRest needs a moment to stop. They hold a lock, so that nobody uses the data before they ended.

extension PrivateServer {
    /// A lock to give to a program that changes the data; the caller holds `start.lock`, and no such program runs.
    func lockOfPrograms() throws(ClusterError) -> FileLock {
        let lock = try openLock()
        // A program that is being started has the file of whoever held the lock last, until it runs.
        guard lock.wait(exclusive: true, seconds: 10) else {
            lock.close()
            throw .inUse(path: folder)
        }
        return lock
    }

    /// Waits for the end of programs that changed the data for a killed process, and stops the servers of an upgrade; the
    /// caller holds `start.lock`.
    func endPrograms(log: Log) throws(ClusterError) {
        let lock = try openLock()
        defer { lock.close() }
        let next = try next()
        // With `start.lock` held here, no upgrade is going on: a server over the data that one was completing is left of a
        // process that was killed. It holds the lock of a server.
        if dataFolder != next.dataFolder { next.stop(log: log) }
        for _ in 0..<300 {
            for server in [self, next] where server.isRunningForUpgrade { server.stop(log: log) }
            if lock.wait(exclusive: true, seconds: 0.1) { return }
        }
        throw .inUse(path: folder)
    }

    private func openLock() throws(ClusterError) -> FileLock {
        try FileLock(path: "\(folder)/programs.lock", owner: account)
    }

    private var isRunningForUpgrade: Bool {
        Postmaster.running(dataFolder: dataFolder)?.isOfUpgrade == true
    }
}
