import Foundation
import Glibc
import Log
import Testing

@testable import Cluster

/// Runs a body with a folder that does not exist yet and is removed afterwards.
func withFolder(
    named name: String = "data", _ body: (String, Account?) throws -> Void
) throws {
    var template = Array("/tmp/cluster-XXXXXX".utf8CString)
    let parent = try #require(mkdtemp(&template).map { String(cString: $0) })
    chmod(parent, 0o755)
    defer { removeTree(parent) }
    try body("\(parent)/\(name)", geteuid() == 0 ? Account(named: "postgres") : nil)
}

let silent = Log(sink: { _ in })

extension Cluster {
    /// The process of the server; `nil` when none runs.
    var pid: pid_t? { Postmaster.running(dataFolder: "\(folder)/postgresql")?.pid }

    /// Asks the server through `psql`; what it answers, or what went wrong.
    func ask(_ statement: String) throws -> String {
        let psql = try #require(["/usr/bin/psql", "/usr/local/bin/psql"].first(where: exists))
        let child = Child(
            path: psql,
            arguments: [
                "-XAtqc", statement,
                connectionString(database: "postgres", user: Cluster.superuser),
            ], folder: "/", account: nil)
        return try child.run().output
    }
}
