import Foundation
import Glibc
import JSONBytes
import Testing

/// A private database with the school Oak, made once and copied for each test that only needs to have one.
///
/// Its PostgreSQL was stopped in order. What names the folder is written anew when one starts over a copy.
enum PreparedSchool {
    private static let root = NSTemporaryDirectory() + "homeroom-prepared-\(getpid())"

    /// What `organization create` said.
    private static let made = Task {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: PreparedSchool.root) }
        let homeroom = Homeroom(dataFolder: "\(root)/data")
        if let account = homeroom.account, let entry = getpwnam(account) {
            chown(root, entry.pointee.pw_uid, entry.pointee.pw_gid)
        }
        let run = try await homeroom(
            "organization", "create", "--name", "Oak", "--domain", "oak.example",
            "--administrator", "ada@oak.example", "--json")
        try #require(run.status == 0, "\(run.complaints)")
        return run.json
    }

    /// Copies it into a folder, which may exist, and returns what `organization create` said.
    static func copy(to folder: String) async throws -> JSONValue {
        let answer = try await made.value
        let copying = Process()
        copying.executableURL = URL(filePath: "/bin/cp")
        copying.arguments = ["-aT", "--reflink=auto", "\(root)/data", folder]
        try copying.run()
        try await onThread { copying.waitUntilExit() }
        try #require(copying.terminationStatus == 0)
        return answer
    }
}
