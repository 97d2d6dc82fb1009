import Foundation
import Glibc
import Images
import Testing

/// What a decoder that a picture has taken over could do, tried from inside (`Tests/SandboxUnderTest`).
@Suite struct ReaderSandbox {
    private static let attempts = [
        "process_vm_readv", "ptrace", "kill", "socket", "open", "code", "fork",
    ]

    @Test func `every attempt would succeed for the same account outside`() throws {
        let outside = try Attempted("outside")
        #expect(outside.errors == Dictionary(uniqueKeysWithValues: Self.attempts.map { ($0, 0) }))
    }

    @Test func `every attempt is refused by the kernel inside`() throws {
        let inside = try Attempted("inside")
        #expect(
            inside.errors == Dictionary(uniqueKeysWithValues: Self.attempts.map { ($0, EPERM) }))
    }

    @Test func `it gets no rights, starts no process and cannot be inspected`() throws {
        let inside = try Attempted("inside")
        #expect(inside.status.contains("NoNewPrivs:\t1\n"))
        #expect(inside.status.contains("Seccomp:\t2\n"))
        #expect(inside.limits.contains(#/Max processes +0 +0 /#))
        #expect(inside.limits.contains(#/Max open files +0 +0 /#))
        #expect(
            inside.owner == 0,
            "the kernel gives root what belongs to a process that is not dumpable")
    }
}

/// A run of `sandbox-under-test`: the outcome of each attempt, and how the kernel described the process meanwhile.
private struct Attempted {
    var errors: [String: Int32] = [:]
    let status: String
    let limits: String
    let owner: UInt32

    init(_ mode: String) throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(
            filePath: ImageProcess.homeroom.replacing(/homeroom$/, with: "sandbox-under-test"))
        process.arguments = [mode]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        var said = Data()
        while !said.contains(10), case let more = output.fileHandleForReading.availableData,
            !more.isEmpty
        {
            said += more
        }
        try #require(said == Data("ready\n".utf8))
        let folder = "/proc/\(process.processIdentifier)"
        status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
        limits = try String(contentsOfFile: "\(folder)/limits", encoding: .utf8)
        var file = stat()
        owner = stat("\(folder)/fd", &file) == 0 ? file.st_uid : .max
        input.fileHandleForWriting.write(Data("\n".utf8))
        said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        for line in String(decoding: said, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            errors[String(words[0])] = Int32(words[1])
        }
    }
}
