import Glibc
import Log
import Testing
import WaitKit

@testable import Cluster

/// A server that cannot be seen, as in another container, keeps its data to itself.
@Suite struct ServerLock {
    @Test func `a server holds its lock as long as it lives, and not longer`() async throws {
        try await withFolder { folder, account in
            let cluster = try Cluster(joining: folder, account: account, log: silent)
            let lock = try FileLock(path: "\(folder)/server.lock", owner: account)
            defer { lock.close() }
            #expect(!lock.take(exclusive: true))
            kill(try #require(cluster.pid), SIGKILL)
            #expect(becomes { lock.take(exclusive: true) }, "with it and its children it is gone")
            #expect(flock(lock.file, LOCK_UN) == 0)
            try cluster.ensureRunning()
            #expect(!lock.take(exclusive: true))
            cluster.leave()
            #expect(lock.take(exclusive: true))
        }
    }

    /// As `homeroom upgrade-database` leaves it if it is killed while it completes the new data.
    @Test func `a server that an upgrade left is stopped, and the folder's own starts`()
        async throws
    {
        try await withFolder { folder, account in
            try Cluster(joining: folder, account: account, log: silent).leave()
            let server = try PrivateServer(folder: folder, account: account, isThrowaway: false)
            let next = try server.next()
            try server.makeNext(Binaries.find(major: server.major))
            _ = try next.postmaster(log: silent)
            #expect(Postmaster.running(dataFolder: next.dataFolder) != nil)
            let cluster = try Cluster(joining: folder, account: account, log: silent)
            defer { cluster.leave() }
            #expect(Postmaster.running(dataFolder: next.dataFolder) == nil)
            #expect(Postmaster.running(dataFolder: server.dataFolder)?.pid == cluster.pid)
        }
    }

    @Test func `nothing starts or changes beside a server that cannot be seen`() async throws {
        try await withFolder { folder, account in
            let hidden = try HiddenServer(of: folder, account)
            defer { hidden.end() }
            // What another container's server would be taken for: a file that was left, with the number of a stranger.
            let file = "\(folder)/postgresql/postmaster.pid"
            let text = "\(getpid())\n\(folder)/postgresql\n0\n5432\n\(folder)/run\n\n\nready\n"
            try writeText(text, to: file, owner: account)
            var server = try PrivateServer(folder: folder, account: account, isThrowaway: false)
            server.patience = 0.1
            #expect(throws: ClusterError.usedElsewhere(path: folder)) {
                try Cluster(server, log: silent)
            }
            #expect(readText(file) == text, "the other server's file is there")
            #expect(throws: ClusterError.usedElsewhere(path: folder)) {
                try server.requireNoneElsewhere()
            }
        }
    }

    @Test func `an upgrade and a restore are refused beside a server that cannot be seen`()
        async throws
    {
        try await withFolder { folder, account in
            let hidden = try HiddenServer(of: folder, account)
            defer { hidden.end() }
            #expect(throws: ClusterError.usedElsewhere(path: folder)) {
                try ClusterUpgrade(of: folder, account: account, log: silent)
            }
            try writeText("", to: "\(folder)/restore.unfinished", owner: account)
            let plan = BackupPlan(folder: "\(folder)/backups", days: 30, key: nil)
            #expect(throws: ClusterError.usedElsewhere(path: folder)) {
                try Restoration(into: folder, account: account, from: plan, log: silent)
            }
            #expect(exists("\(folder)/postgresql/PG_VERSION"))
        }
    }

    @Test func `who comes while the other one ends waits for it`() async throws {
        try await withFolder { folder, account in
            let hidden = try HiddenServer(of: folder, account)
            var server = try PrivateServer(folder: folder, account: account, isThrowaway: false)
            server.patience = 60
            let waiting = server
            let joined = Later {
                let cluster = try Cluster(waiting, log: silent)
                defer { cluster.leave() }
                return try cluster.ask("select 1 + 1")
            }
            letRun(for: .milliseconds(50))
            hidden.end()
            #expect(try joined.value() == "2")
        }
    }

    @Test func `the refusal says what would happen, and what to do`() {
        let text = ClusterError.usedElsewhere(path: "/d").description
        #expect(text.contains("cannot be seen from here") && text.contains("destroy the database"))
        #expect(text.contains("Run commands in that container, or stop it first."))
    }
}

/// A program that holds the lock of a folder's server, and does not look like one.
private struct HiddenServer {
    private let pid: pid_t

    init(of folder: String, _ account: Account?) throws {
        let server = try PrivateServer(folder: folder, account: account, isThrowaway: false)
        let lock = try server.lockOfServer()
        defer { lock.leaveToPrograms() }
        let program = Child(
            path: "/bin/sleep", arguments: ["600"], folder: "/", account: account,
            deathSignal: SIGKILL, lock: lock)
        pid = try program.startWatched(output: 2)
    }

    func end() { kill(pid, SIGKILL) }
}
