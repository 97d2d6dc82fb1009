// Two servers over the same data destroy it. PostgreSQL notices another one by its number and by memory that both share,
// and a container has its own of either. A lock of a file is the kernel's, the same in all containers.

extension PrivateServer {
    /// The lock that a server holds until it and all its children have ended, however they end; the caller holds
    /// `start.lock`, and sees no server.
    ///
    /// Give it to the server, then close this process's file with `leaveToPrograms`.
    func lockOfServer() throws(ClusterError) -> FileLock {
        let lock = try FileLock(path: "\(folder)/server.lock", owner: account)
        // The children of a server that was killed need a moment to notice, and a container that is replaced to end.
        guard lock.wait(exclusive: true, seconds: patience) else {
            lock.close()
            throw .usedElsewhere(path: folder)
        }
        return lock
    }

    /// Refuses a folder with a server that cannot be seen from here; the caller holds `start.lock`, without which no other
    /// one starts.
    func requireNoneElsewhere() throws(ClusterError) {
        if isRunning { return }
        try lockOfServer().close()
    }
}
