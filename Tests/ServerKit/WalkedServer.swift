import Foundation
import TestKit
import Testing

/// A running `homeroom serve`, and scripts that walk through it.
final class WalkedServer {
    private let process = Process()
    private let url: String
    private let metricsPort: UInt16

    /// Starts it on a free port and waits until it serves.
    init(_ homeroom: Homeroom) async throws {
        let said = Pipe()
        process.executableURL = URL(filePath: Homeroom.executable)
        process.arguments = [
            "serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--log", "off",
        ]
        process.environment = homeroom.variables
        process.standardOutput = FileHandle.nullDevice
        process.standardError = said
        try process.run()
        let text = await WalkedServer.firstLines(said.fileHandleForReading)
        let found = text.firstMatch(of: /http:[^ ]*[0-9]/).map { String($0.0) }
        url = try #require(found, "\(text)")
        let port = text.firstMatch(of: /Metrics are served on port ([0-9]+)/)
            .flatMap { UInt16($0.1) }
        metricsPort = try #require(port, "\(text)")
    }

    /// What it reports about itself.
    func metrics() throws -> MetricsPage {
        let answer = try #require(LiveClient(port: metricsPort).get("/metrics"))
        return try MetricsPage(parsing: answer.body)
    }

    /// The two that say where it serves and where it publishes its metrics.
    private static func firstLines(_ handle: FileHandle) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var bytes = Data()
                while bytes.count(where: { $0 == 10 }) < 2, case let more = handle.availableData,
                    !more.isEmpty
                {
                    bytes += more
                }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Runs a script of bash that stops at the first command that fails.
    func run(_ script: String, _ homeroom: Homeroom) async throws -> Homeroom.Run {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "walk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try script.write(to: folder.appending(path: "walk"), atomically: true, encoding: .utf8)
        var variables = homeroom.variables
        let products = URL(filePath: Homeroom.executable).deletingLastPathComponent().path
        variables["PATH"] = "\(products):\(variables["PATH"] ?? "/usr/bin:/bin")"
        variables["URL"] = url
        variables["TMPDIR"] = folder.path
        let walk = Process()
        walk.executableURL = URL(filePath: "/bin/bash")
        walk.arguments = ["-eu", "walk"]
        walk.currentDirectoryURL = folder
        walk.environment = variables
        return try await Homeroom.finish(walk)
    }
}
