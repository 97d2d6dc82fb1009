import Foundation
import Testing

@testable import ServerKit

/// A running `homeroom serve` on a free port. It must be stopped.
final class ServingProcess {
    let port: UInt16
    private let process: Process

    /// Returns when it serves.
    init(_ homeroom: Homeroom) async throws {
        let process = homeroom.process(["serve", "--listen", "127.0.0.1:0", "--log", "off"])
        let said = Pipe()
        process.standardError = said
        try process.run()
        self.process = process
        var text = ""
        while !text.contains("\n"), case let more = said.fileHandleForReading.availableData,
            !more.isEmpty
        {
            text += String(decoding: more, as: UTF8.self)
        }
        let found = text.firstMatch(of: /:([0-9]+)\./).map { String($0.1) }
        port = try #require(found.flatMap { UInt16($0) }, "\(text)")
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
