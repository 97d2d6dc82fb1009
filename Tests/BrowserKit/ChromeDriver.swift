import Foundation
import Glibc
import JSONBytes
import Testing
import WaitKit
import WireKit

/// Debian's chromedriver, which drives Chromium over WebDriver (W3C). Its calls block.
package final class ChromeDriver: Sendable {
    /// What the driver refuses, such as an element that is not there.
    package struct Refusal: Error, CustomStringConvertible {
        package let code: String
        package let description: String
    }

    private let process: Int32
    private let port: UInt16

    /// Starts it on a free port. It looks for one that is free in IPv6, and ends if that one is taken in IPv4.
    package init() throws {
        while true {
            let (process, port, said) = try Self.start()
            if let port {
                (self.process, self.port) = (process, port)
                return
            }
            try #require(said.contains("port not available"), "chromedriver did not start: \(said)")
        }
    }

    /// The process, the port unless it has ended, and what it said.
    private static func start() throws -> (process: Int32, port: UInt16?, said: String) {
        let driver = Process()
        let output = Pipe()
        driver.executableURL = URL(filePath: "/usr/bin/chromedriver")
        driver.arguments = ["--port=0"]
        driver.standardOutput = output
        driver.standardError = FileHandle.nullDevice
        try driver.run()
        var text = ""
        var port: UInt16?
        while port == nil {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            text += String(decoding: more, as: UTF8.self)
            port = text.firstMatch(of: /successfully on port ([0-9]+)/).flatMap { UInt16($0.1) }
        }
        return (driver.processIdentifier, port, text)
    }

    deinit { kill(process, SIGTERM) }

    /// Makes one call and returns its value.
    @discardableResult
    func call(_ method: String, _ path: String, _ body: JSONValue? = nil) throws -> JSONValue {
        let bytes = body?.bytes ?? []
        let client = WireClient(port: port)
        client.send(
            Array(
                """
                \(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\
                Content-Type: application/json\r\nContent-Length: \(bytes.count)\r\n\r\n
                """.utf8) + bytes)
        let whole = try #require(
            Self.answer(from: client), "chromedriver does not answer \(method) \(path)")
        let value = try JSONValue(parsing: whole.body)["value"] ?? .null
        guard whole.status == 200 else {
            throw Refusal(
                code: value["error"]?.text ?? "", description: value["message"]?.text ?? "")
        }
        return value
    }

    /// The answer, or `nil` if the driver says nothing for two minutes or goes away.
    private static func answer(from client: WireClient) -> WireAnswer? {
        var reader = WireAnswerReader()
        // A busy machine takes its time.
        var silences = 0
        while silences < 6 {
            switch client.receive() {
            case .bytes(let bytes):
                reader.append(bytes)
                if let answer = reader.next(toHead: false, hasEnded: false) { return answer }
            case .end: return reader.next(toHead: false, hasEnded: true)
            case .failure: silences += 1
            }
        }
        return nil
    }
}
