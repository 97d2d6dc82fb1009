import Foundation
import Glibc
import Testing

@testable import ServerKit

/// A container that is killed and started again: each life has the same process ids.
@Suite struct KilledNamespaces {
    /// Whether this machine lets the tests create a process namespace.
    private static let mayUnshare: Bool = {
        guard geteuid() == 0 else { return false }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/unshare")
        process.arguments = ["--pid", "--fork", "--mount-proc", "true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    @Test(.enabled(if: mayUnshare, "this needs a process namespace"))
    func `the service starts again after all of its namespace was killed`() async throws {
        let folder = "/tmp/homeroom-namespace-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let homeroom = Homeroom(dataFolder: folder)
        if let account = homeroom.account, let entry = getpwnam(account) {
            chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid)
        }
        for life in 1...4 {
            let process = homeroom.process(["serve", "--listen", "127.0.0.1:0"])
            let own = [try #require(process.executableURL?.path)] + (process.arguments ?? [])
            process.executableURL = URL(filePath: "/usr/bin/unshare")
            process.arguments = ["--pid", "--fork", "--mount-proc"] + own
            let said = Pipe()
            process.standardError = said
            try process.run()
            let words = try await onThread {
                var text = Data()
                while case let more = said.fileHandleForReading.availableData, !more.isEmpty {
                    text += more
                    if String(decoding: text, as: UTF8.self).contains("Homeroom serves") { break }
                }
                return String(decoding: text, as: UTF8.self)
            }
            // With the first process of a namespace the kernel ends all others.
            let pid = process.processIdentifier
            let children = try String(
                contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
            let first = try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
            kill(first, SIGKILL)
            process.waitUntilExit()
            #expect(words.contains("Homeroom serves"), "life \(life): \(words)")
        }
    }
}
