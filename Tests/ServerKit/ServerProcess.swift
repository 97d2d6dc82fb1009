import Foundation
import Glibc
import HTTPWire
import TestKit
import Testing
import WaitKit

/// A running `homeroom serve` that tests call over the network, and kill.
final class ServerProcess: Sendable {
    private let process: Int32
    let port: UInt16

    /// Starts it on a free port and waits until it serves.
    init(_ homeroom: Homeroom) async throws {
        let server = Process()
        let said = Pipe()
        server.executableURL = URL(filePath: Homeroom.executable)
        server.arguments = ["serve", "--listen", "127.0.0.1:0", "--log", "off"]
        server.environment = homeroom.variables
        server.standardOutput = FileHandle.nullDevice
        server.standardError = said
        try server.run()
        process = server.processIdentifier
        let text = await Self.firstLine(said.fileHandleForReading)
        let found = text.firstMatch(of: /http:[^ ]*:([0-9]+)/).flatMap { UInt16($0.1) }
        port = try #require(found, "\(text)")
    }

    /// Ends it as a power failure would.
    func kill() {
        Glibc.kill(process, SIGKILL)
    }

    /// Asks it to stop.
    func stop() {
        Glibc.kill(process, SIGTERM)
    }

    /// Makes one call on a connection of its own; `nil` if no complete answer arrived.
    ///
    /// - Parameter leavingAfter: microseconds after which the client closes without reading.
    func call(
        _ method: String, _ path: String, token: String, key: String? = nil, body: [UInt8] = [],
        leavingAfter: UInt32? = nil
    ) async -> Answer? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [port] in
                let connection = Conversation(port: port)
                connection?.send(
                    """
                    \(method) \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\
                    \(key.map { "Idempotency-Key: \($0)\r\n" } ?? "")Content-Type: application/json\r\n\
                    Content-Length: \(body.count)\r\nConnection: close\r\n\r\n
                    """, body)
                if let leavingAfter {
                    letRun(for: .microseconds(leavingAfter))
                    continuation.resume(returning: nil)
                } else {
                    continuation.resume(returning: connection?.answer())
                }
            }
        }
    }

    private static func firstLine(_ handle: FileHandle) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var bytes = Data()
                while !bytes.contains(10), case let more = handle.availableData, !more.isEmpty {
                    bytes += more
                }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }
}

/// One connection of a client, which closes with it.
private final class Conversation {
    private let descriptor: Int32

    init?(port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status != 0 { return nil }
    }

    deinit { close(descriptor) }

    func send(_ head: String, _ body: [UInt8]) {
        let bytes = Array(head.utf8) + body
        _ = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// What the server sends until it closes; `nil` unless that is a complete answer.
    func answer() -> Answer? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(descriptor, &piece, piece.count, 0), count > 0 {
            bytes += piece[..<count]
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        let headers = lines.dropFirst().compactMap { line -> ResponseField? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return ResponseField(
                String(line[..<colon]),
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        let body = Array(text[end.upperBound...].utf8)
        let answer = Answer(
            status: Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0,
            headers: headers, body: body)
        let length = answer.header("content-length").flatMap { Int($0) }
        return length == nil || length == body.count ? answer : nil
    }
}
