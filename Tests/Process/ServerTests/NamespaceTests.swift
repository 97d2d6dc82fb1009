import Foundation
import Glibc
import Testing

@testable import ServerKit

/// What a container is to the service: namespaces of its own for processes and their shared memory.
@Suite struct Namespaces {
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
        try await withDataFolder { homeroom in
            for life in 1...4 {
                let (process, words) = try await serving(homeroom)
                kill(try first(of: process), SIGKILL)
                process.waitUntilExit()
                #expect(words.contains("Homeroom serves"), "life \(life): \(words)")
            }
        }
    }

    @Test(.enabled(if: mayUnshare, "this needs a process namespace"))
    func `a second container over the same folder is refused, and harms nothing`() async throws {
        try await withDataFolder { homeroom in
            let (process, words) = try await serving(homeroom)
            #expect(words.contains("Homeroom serves"), "\(words)")
            for command in [
                ["organization", "list"], ["serve", "--listen", "127.0.0.1:0"],
                ["upgrade-database"],
            ] {
                let second = try await Homeroom.finish(apart(homeroom.process(command)))
                #expect(second.status == 1, "\(command): \(second.output)")
                #expect(
                    second.complaints.contains("cannot be seen from here")
                        || second.complaints.contains("in use"), "\(second.complaints)")
            }
            // As `podman exec` does, in the namespaces of the first.
            let inside = homeroom.process([
                "organization", "create", "--name", "Hillside", "--domain", "hillside.example",
                "--administrator", "ada@hillside.example", "--json",
            ])
            let target = String(try first(of: process))
            wrap(inside, in: ["/usr/bin/nsenter", "-t", target, "-p", "-i", "-m"])
            let made = try await Homeroom.finish(inside)
            #expect(made.status == 0, "\(made.complaints)")
            kill(try first(of: process), SIGKILL)
            process.waitUntilExit()
            let after = try await Homeroom.finish(
                apart(homeroom.process(["organization", "list"])))
            #expect(after.status == 0, "\(after.complaints)")
            #expect(after.output.contains("Hillside"))
        }
    }
}

/// Runs a body with a folder for data that the service's account owns.
private func withDataFolder(_ body: (Homeroom) async throws -> Void) async throws {
    let folder = "/tmp/homeroom-namespace-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let homeroom = Homeroom(dataFolder: folder)
    if let account = homeroom.account, let entry = getpwnam(account) {
        chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid)
    }
    try await body(homeroom)
}

/// Starts the service in namespaces of its own; with what it said until it served or ended.
private func serving(_ homeroom: Homeroom) async throws -> (Process, String) {
    let process = apart(homeroom.process(["serve", "--listen", "127.0.0.1:0"]))
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
    return (process, words)
}

/// The process that runs in namespaces of its own, as in a container.
private func apart(_ process: Process) -> Process {
    wrap(
        process,
        in: ["/usr/bin/unshare", "--pid", "--ipc", "--fork", "--kill-child", "--mount-proc"])
    return process
}

private func wrap(_ process: Process, in words: [String]) {
    let own = [process.executableURL?.path ?? ""] + (process.arguments ?? [])
    process.executableURL = URL(filePath: words[0])
    process.arguments = words.dropFirst() + own
}

/// The first process of its namespaces. With it the kernel ends all others.
private func first(of process: Process) throws -> pid_t {
    let pid = process.processIdentifier
    let children = try String(
        contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
    return try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
}
