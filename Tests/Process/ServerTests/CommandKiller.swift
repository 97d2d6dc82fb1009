import Foundation
import Glibc
import Postgres
import Testing
import Values
import WaitKit

@testable import ServerKit

/// Kills a command as the kernel does when memory is short, and knows what it was doing.
struct CommandKiller {
    let homeroom: Homeroom
    let words: [String]
    /// The database that the command works in.
    let url: String

    /// Runs the command until it waits for a lock that the test holds, so that it has begun and has not ended, and kills
    /// it there. Returns when PostgreSQL has ended what it was still doing for it.
    ///
    /// - Parameters:
    ///   - lock: takes the lock, in a transaction that is rolled back.
    ///   - writes: whether it must have written by then.
    ///   - isBegun: what else must be so by then.
    ///   - meanwhile: runs after the kill, while the session of this number still waits.
    func killHeldUp(
        by lock: Command, writes: Bool = true, isBegun: () throws -> Bool = { true },
        meanwhile: (_ session: Int) async throws -> Void = { _ in }
    ) async throws {
        let holder = try BlockingConnection(url)
        try holder.execute("begin")
        try holder.execute(lock)
        let own = try holder.query("select pg_backend_pid() as pid")[0].int("pid")
        let watcher = try BlockingConnection(url)
        let process = try start()
        var session: Int?
        try await eventually {
            session = try watcher.session(heldUpBy: own, writes: writes)
            return try !process.isRunning || session != nil && isBegun()
        }
        try await kill(process)
        let waiting = try #require(session, "it ended before it came to the lock")
        try await meanwhile(waiting)
        try holder.execute("rollback")
        try await eventually { try !watcher.sessions().contains(waiting) }
    }

    /// Runs the command until one of its sessions has begun to write, and kills it a time later that the dice give.
    func killWriting(within milliseconds: Int, _ dice: inout SplitMix64) async throws {
        let watcher = try BlockingConnection(url)
        let process = try start()
        try await eventually { try !process.isRunning || watcher.hasWriter() }
        await letRun(for: .milliseconds(Int.random(in: 0...milliseconds, using: &dice)))
        try await kill(process)
        try await eventually { try !watcher.hasWriter() }
    }

    /// Runs the command several times, and kills it each time at a moment that the dice give, from when it connected until
    /// after its end.
    func killAtRandom(within milliseconds: Int, _ dice: inout SplitMix64) async throws {
        let watcher = try BlockingConnection(url)
        for _ in 0..<4 {
            let known = try watcher.sessions()
            let process = try start()
            try await eventually {
                try !process.isRunning || !watcher.sessions().isSubset(of: known)
            }
            await letRun(for: .milliseconds(Int.random(in: 0...milliseconds, using: &dice)))
            Glibc.kill(process.processIdentifier, SIGKILL)
            try await onThread { process.waitUntilExit() }
        }
        // What PostgreSQL still does for one of them keeps the next command from doing it.
        try await eventually { try !watcher.hasBusySession() }
    }

    private func start() throws -> Process {
        let process = homeroom.process(words)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Kills it, and fails the test if it was over before.
    private func kill(_ process: Process) async throws {
        Glibc.kill(process.processIdentifier, SIGKILL)
        try await onThread { process.waitUntilExit() }
        #expect(
            process.terminationReason == .uncaughtSignal,
            "\(words) ended by itself with \(process.terminationStatus)")
    }
}

extension BlockingConnection {
    /// The session that waits for a lock of another one; `nil` if none does.
    fileprivate func session(heldUpBy holder: Int, writes: Bool) throws -> Int? {
        try query(
            """
            select pid from pg_stat_activity
             where datname = current_database() and \(holder) = any (pg_blocking_pids(pid))
               and (backend_xid is not null or not \(writes))
            """
        ).first?.int("pid")
    }

    /// The sessions in this database.
    fileprivate func sessions() throws -> Set<Int> {
        let rows = try query(
            """
            select pid from pg_stat_activity
             where datname = current_database() and backend_type = 'client backend'
            """)
        return Set(try rows.map { try $0.int("pid") })
    }

    /// Whether another session in this database is at work, or in a transaction.
    fileprivate func hasBusySession() throws -> Bool {
        try query(
            """
            select from pg_stat_activity
             where datname = current_database() and backend_type = 'client backend'
               and pid <> pg_backend_pid() and state <> 'idle'
            """
        ).count > 0
    }

    /// Whether another session in this database has written and not committed.
    fileprivate func hasWriter() throws -> Bool {
        try query(
            """
            select from pg_stat_activity
             where datname = current_database() and backend_type = 'client backend'
               and pid <> pg_backend_pid() and backend_xid is not null
            """
        ).count > 0
    }
}
