import Crypto
import EventLoop
import Foundation
import Glibc
import HTTPWire
import JSONBytes
import TestKit
import Testing
import WireKit

/// A running `homeroom serve` on a free port of this machine.
final class RunningServer: @unchecked Sendable {
    private let process = Process()
    let port: UInt16

    /// Starts it and waits until it serves.
    init(_ homeroom: Homeroom) async throws {
        let said = Pipe()
        process.executableURL = URL(filePath: Homeroom.executable)
        process.arguments = ["serve", "--listen", "127.0.0.1:0", "--log", "off", "--loops", "1"]
        process.environment = homeroom.variables
        // As in `Homeroom.process`.
        process.standardOutput = FileHandle.nullDevice
        process.standardError = said
        try process.run()
        let text = await RunningServer.firstLine(said.fileHandleForReading)
        let found = text.firstMatch(of: /http:.*:([0-9]+)/).flatMap { UInt16($0.1) }
        port = try #require(found, "\(text)")
    }

    private static func firstLine(_ handle: FileHandle) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var bytes = Data()
                while !bytes.contains(10), case let more = handle.availableData, !more.isEmpty {
                    bytes += more
                }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    var processID: Int32 { process.processIdentifier }

    /// Asks it to stop, as a service manager does, and does not wait.
    func terminate() {
        process.terminate()
    }

    /// Waits for its end and returns how it ended.
    @discardableResult
    func finish() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    func stop() {
        terminate()
        finish()
    }

    /// Ends it as a crash would.
    func kill() {
        Glibc.kill(processID, SIGKILL)
        finish()
    }

    /// How many descriptors it has.
    var descriptorCount: Int {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd")
        return names?.count ?? 0
    }
}

/// Gives the test a school and a server process over it, on a thread that may block.
func withServer(
    passwordCost: PasswordCost = .ofTests,
    _ body: @escaping @Sendable (TestSchool, RunningServer) throws -> Void
) async throws {
    try await withSchool { school in
        let server = try await RunningServer(
            school.homeroom.with("HOMEROOM_PASSWORD_COST", passwordCost.description))
        defer { server.kill() }
        try await onThread { try body(school, server) }
    }
}

/// Runs the body on a thread that may block.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
{
    try await withCheckedThrowingContinuation { continuation in
        startThread { continuation.resume(with: Result { try body() }) }
    }
}

extension WireClient {
    /// Sends a request, with a body if there is one.
    func ask(_ method: String, _ path: String, as persona: Persona?, _ json: JSONValue? = nil) {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: x\r\n"
        if let persona { head += "Authorization: Bearer \(persona.token)\r\n" }
        if let json { head += "Content-Length: \(json.bytes.count)\r\n" }
        send(Array(head.utf8) + [13, 10] + (json?.bytes ?? []))
    }
}
