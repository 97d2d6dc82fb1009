import AloneKit
import Foundation
import Testing

@testable import ClassKitUplink

/// The network as it is, against a server in the process.
@Suite struct TransportTests {
    @Test func `bodies and fields arrive`() async throws {
        let server = try WireServer { _ in
            "HTTP/1.1 202 Accepted\r\nX-One: 1\r\nContent-Length: 2\r\n\r\n{}"
        }
        let answer = try await URLSessionTransport().answer(
            to: HTTPCall(
                "POST", server.url("/a?b=%5B%22c%2Fd%22%5D"),
                headers: ["Authorization": "Bearer t", "Content-Type": "application/json"],
                body: Data("{\"a\":1}".utf8)))
        #expect(answer.status == 202 && answer.headers["x-one"] == "1")
        #expect(answer.body == Data("{}".utf8))
        let request = try #require(server.requests.first)
        #expect(request.hasPrefix("POST /a?b=%5B%22c%2Fd%22%5D HTTP/1.1\r\n"))
        #expect(request.contains("Authorization: Bearer t") && request.hasSuffix("{\"a\":1}"))
        #expect(!request.lowercased().contains("cookie"))
    }

    @Test func `cookies are not kept`() async throws {
        let server = try WireServer { _ in
            "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
        }
        let transport = URLSessionTransport()
        for _ in 0..<2 { _ = try await transport.answer(to: HTTPCall("GET", server.url("/"))) }
        #expect(server.requests.count == 2)
        #expect(!server.requests.contains { $0.lowercased().contains("cookie") })
    }

    @Test func `redirections elsewhere are not followed`() async throws {
        let other = try WireServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        let address = other.url("/stolen").absoluteString
        let server = try WireServer { _ in
            "HTTP/1.1 307 Go\r\nLocation: \(address)\r\nContent-Length: 0\r\n\r\n"
        }
        for method in ["GET", "POST"] {
            let answer = try await URLSessionTransport().answer(
                to: HTTPCall(method, server.url("/"), headers: ["Authorization": "Bearer t"]))
            #expect(answer.status == 307)
        }
        #expect(other.requests.isEmpty)
    }

    @Test(arguments: [
        (401, "Basic realm=\"Homeroom\""), (401, "Bearer"),
        (401, "Digest realm=\"a\", nonce=\"b\""), (400, ""), (403, ""), (404, ""), (429, ""),
    ])
    func `what a refusal says arrives`(status: Int, challenge: String) async throws {
        let body = "{\"error\":\"invalid_client\",\"error_description\":\"Nobody knows it.\"}"
        let field = challenge.isEmpty ? "" : "WWW-Authenticate: \(challenge)\r\n"
        let server = try WireServer { _ in
            "HTTP/1.1 \(status) No\r\n\(field)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        for method in ["GET", "POST"] {
            let answer = try await URLSessionTransport().answer(
                to: HTTPCall(
                    method, server.url("/oauth/token"),
                    body: method == "POST" ? Data("a=b".utf8) : nil))
            #expect(answer.status == status)
            #expect(answer.body == Data(body.utf8))
        }
    }

    @Test func `redirections within the server are followed`() async throws {
        let server = try WireServer { request in
            request.hasPrefix("GET /new")
                ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
                : "HTTP/1.1 308 Moved\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n"
        }
        let answer = try await URLSessionTransport().answer(to: HTTPCall("GET", server.url("/old")))
        #expect(answer.status == 200)
    }

    @Test func `answers have a limit`() async throws {
        let text = String(repeating: "x", count: 5000)
        let server = try WireServer { _ in
            "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n\(text)"
        }
        let transport = URLSessionTransport(maximumBytes: 4999)
        await #expect(throws: UplinkError.network("The answer has more than 4999 bytes.")) {
            try await transport.answer(to: HTTPCall("GET", server.url("/")))
        }
        let answer = try await URLSessionTransport(maximumBytes: 5000).answer(
            to: HTTPCall("GET", server.url("/")))
        #expect(answer.body.count == 5000)
    }

    @Test(.alone) func `silence has a limit`() async throws {
        let server = try WireServer { _ in nil }
        let start = Date()
        await #expect(throws: UplinkError.self) {
            try await URLSessionTransport().answer(
                to: HTTPCall("GET", server.url("/"), timeoutSeconds: 0.5))
        }
        #expect(Date().timeIntervalSince(start) < 10)
    }

    @Test func `a server that is not there is an error of the network`() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let error = await #expect(throws: UplinkError.self) {
            try await URLSessionTransport().answer(to: HTTPCall("GET", url))
        }
        guard case .network = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `plain connections elsewhere are refused`() async throws {
        let url = try #require(URL(string: "http://school.example/"))
        await #expect(throws: UplinkError.self) {
            try await URLSessionTransport().answer(to: HTTPCall("GET", url))
        }
    }
}

/// A server that answers every request with a text.
final class WireServer: Sendable {
    private let socket: Int32
    private let port: UInt16
    private let log = Shown()
    private let isOver = CancellationFlag()

    var requests: [String] { log.all }

    /// - Parameter answer: `nil` for silence.
    init(answer: @escaping @Sendable (String) -> String?) throws {
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        try #require(isListening)
        socket = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread { [log, isOver] in
            while !isOver.isSet {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                let request = Self.read(connection)
                log.add(request)
                guard let text = answer(request) else { continue }
                let bytes = Array(text.utf8)
                _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                close(connection)
            }
        }.start()
    }

    deinit {
        isOver.set()
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    func url(_ path: String) -> URL {
        URL(string: "http://127.0.0.1:\(port)\(path)") ?? URL(fileURLWithPath: "/")
    }

    /// The head and as much of a body as it announces.
    private static func read(_ connection: Int32) -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return text }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            let announced = text.lowercased().range(of: "content-length: ").flatMap {
                Int(text.lowercased()[$0.upperBound...].prefix { $0.isNumber })
            }
            if text[end.upperBound...].utf8.count >= announced ?? 0 { return text }
        }
    }
}
