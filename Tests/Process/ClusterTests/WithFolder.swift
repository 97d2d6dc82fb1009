import Dispatch
import Foundation
import Glibc
import Log
import Synchronization
import Testing

@testable import Cluster

/// Runs a body with a folder for a cluster, which is removed afterwards.
///
/// The body blocks, so it runs on a thread of its own and leaves those of the other tests alone.
///
/// - Parameter isMade: whether it already holds the data of a cluster, which is faster than creating them.
func withFolder(
    named name: String = "data", isMade: Bool = true,
    _ body: @escaping @Sendable (String, Account?) throws -> Void
) async throws {
    try await onThread {
        let parent = try makeTemporaryFolder()
        defer { removeTree(parent) }
        let folder = "\(parent)/\(name)"
        if isMade {
            try makeFolder(folder, mode: 0o755)
            let copying = Child(
                path: "/bin/cp", arguments: ["-aT", try made.get(), folder], folder: "/",
                account: nil)
            let status = try copying.run().status
            try #require(status == 0)
        }
        try body(folder, account)
    }
}

func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// The account PostgreSQL runs under when the tests run as root.
private let account = geteuid() == 0 ? Account(named: "postgres") : nil

/// A cluster that was stopped cleanly, for copying.
private let made = Result {
    let parent = try makeTemporaryFolder()
    madeParent.withLock { $0 = parent }
    atexit { madeParent.withLock { $0.map(removeTree) } }
    try Cluster(joining: "\(parent)/data", account: account, log: silent).leave()
    return "\(parent)/data"
}
private let madeParent = Mutex<String?>(nil)

private func makeTemporaryFolder() throws -> String {
    var template = Array((NSTemporaryDirectory() + "cluster-XXXXXX").utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    chmod(folder, 0o755)
    return folder
}

let silent = Log(sink: { _ in })

extension Cluster {
    /// The server process; `nil` when none runs.
    var pid: pid_t? { Postmaster.running(dataFolder: "\(folder)/postgresql")?.pid }

    /// Asks the server through `psql`; returns the answer, or what went wrong.
    ///
    /// - Parameter target: how to connect, if not as the superuser.
    func ask(_ statement: String, at target: String? = nil) throws -> String {
        try asked(
            statement,
            at: target ?? connectionString(database: "postgres", user: Cluster.superuser))
    }
}

/// A `psql` that is connected and asks nothing.
final class IdleClient {
    private let process = Process()
    private let input = Pipe()

    /// Returns when it is connected.
    init(of cluster: Cluster) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/psql")
        process.arguments = [
            "-XAtq", cluster.connectionString(database: "postgres", user: Cluster.superuser),
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Array("select 1;\n".utf8))
        try #require(!output.fileHandleForReading.availableData.isEmpty)
    }

    func leave() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// What a thread of its own returns.
final class Later<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread {
            let result = Result { try body() }
            self.result.withLock { $0 = result }
            self.done.signal()
        }
    }

    /// Waits for it.
    func value() throws -> Value {
        done.wait()
        return try #require(result.withLock { $0 }).get()
    }
}

/// Asks any server through `psql`.
func asked(_ statement: String, at target: String) throws -> String {
    let psql = try #require(["/usr/bin/psql", "/usr/local/bin/psql"].first(where: exists))
    let child = Child(
        path: psql, arguments: ["-XAtqc", statement, target], folder: "/", account: nil)
    return try child.run().output
}
