import FaultyWire
import Foundation
import HTTPServer
import JSONBytes
import Postgres
import Server
import TestKit
import Testing
import WireKit

/// The service as one process runs it, over a proxy to the database of a school. It must be stopped.
final class Instance: Sendable {
    let proxy: Proxy
    private let serving: Serving
    /// The port it listens on.
    var port: UInt16 { serving.port }

    init(_ school: TestSchool, loops: Int = 2) async throws {
        proxy = try Proxy(to: TestDatabase.shared().socketFolder)
        let url = school.ownerURL + " host='\(proxy.host)' user=school_server"
        let listener = try ListeningSocket.bind(address: "127.0.0.1", port: 0)
        serving = try await Serving(
            database: url, listener: listener, loops: loops, passwordCost: .ofTests, log: nil)
        try await serving.start()
    }

    func stop() async {
        await serving.shutdown()
        proxy.stop()
    }

    /// Asks over a connection of its own, so that any loop may answer.
    func get(_ path: String, token: String? = nil) throws -> WireAnswer {
        try ask(port: serving.port, "GET", path, token: token)
    }

    /// The connection that brings revocations, as long as it is open.
    var listening: ProxiedConnection? {
        proxy.connections.first { !$0.isCut && $0.hasSaid("listen school_revocation") }
    }
}

/// Nothing listens, or the server closed before it had answered, or sent nothing for long.
struct NoAnswer: Error {}

/// Sends one request to a server on this machine and waits for the answer.
func ask(
    port: UInt16, _ method: String, _ path: String, token: String?, key: String? = nil,
    json: JSONValue? = nil
) throws -> WireAnswer {
    let body = json?.bytes ?? []
    var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    if let key { head += "Idempotency-Key: \(key)\r\n" }
    if json != nil {
        head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n"
    }
    guard let client = WireClient(ifListening: port) else { throw NoAnswer() }
    client.send(Array((head + "\r\n").utf8) + body)
    var reader = WireAnswerReader()
    while true {
        switch client.receive() {
        case .bytes(let bytes): reader.append(bytes)
        case .end:
            guard let answer = reader.next(toHead: false, hasEnded: true) else { throw NoAnswer() }
            return answer
        case .failure: throw NoAnswer()
        }
    }
}
