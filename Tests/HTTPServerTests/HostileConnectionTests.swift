import HTTPServer
import HTTPWire
import Testing

/// What a peer hears that means harm or does not speak HTTP/1.1, and that nothing after it is answered.
@Suite struct HostileConnections {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let status: Int

        init(_ description: String, _ text: String, _ status: Int) {
            testDescription = description
            bytes = Array(text.utf8)
            self.status = status
        }
    }

    static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"

    static func post(_ fields: String, _ body: String) -> String {
        "POST /a HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n\(body)" + smuggled
    }

    static let cases = [
        Case(
            "two lengths", post("Content-Length: 6\r\nContent-Length: 5", "0\r\n\r\nG"), 400),
        Case(
            "length and coding",
            post("Content-Length: 6\r\nTransfer-Encoding: chunked", "0\r\n\r\n"), 400),
        Case("a space before the colon", post("Content-Length : 5", "abcde"), 400),
        Case("a signed length", post("Content-Length: +5", "abcde"), 400),
        Case("a hexadecimal chunk", post("Transfer-Encoding: chunked", "0x5\r\nabcde"), 400),
        Case("a chunk extension", post("Transfer-Encoding: chunked", "5;a\r\nabcde"), 400),
        Case("an unknown coding", post("Transfer-Encoding: xchunked", "abcde"), 501),
        Case("a NUL", post("A: \0", ""), 400),
        Case("a folded line", post("A: b\r\n c", ""), 400),
        Case("bare line feeds", "GET / HTTP/1.1\nHost: x\n\n" + smuggled, 400),
        Case("no Host", "GET / HTTP/1.1\r\n\r\n" + smuggled, 400),
        Case("two Hosts", post("Host: y", ""), 400),
        Case("a large head", post("A: " + String(repeating: "a", count: 20_000), ""), 431),
        Case("many fields", post(String(repeating: "A: b\r\n", count: 500) + "A: b", ""), 431),
        Case("a long target", "GET /" + String(repeating: "a", count: 20_000), 414),
        Case("a TLS ClientHello", "\u{16}\u{3}\u{1}\u{2}\0\u{1}", 400),
        Case("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        Case("too large a body", post("Content-Length: 5000", ""), 413),
        Case("a body cut short", post("Content-Length: 900", "abc"), 400),
    ]

    @Test(arguments: cases)
    func `one refusal, then the end`(hostile: Case) async throws {
        let notes = Notes()
        try await withServer(loops: 1) { request in
            notes.add("\(request.segments)")
            do {
                return .text("\(try await request.body.collect(upTo: 1000).count)")
            } catch {
                let refusal = error as? HTTPRefusal
                return .text(refusal?.code ?? "\(error)", status: refusal?.status ?? 500)
            }
        } _: { server in
            let client = TestClient(port: server.port)
            client.send(hostile.bytes)
            if hostile.testDescription.contains("short") { client.finish() }
            let all = client.receiveAll()
            #expect(all.hasPrefix("HTTP/1.1 \(hostile.status) "))
            #expect(all.contains("\r\nConnection: close\r\n"))
            #expect(all.components("\r\nDate: ") == 1)
            #expect(!notes.all.contains("[\"smuggled\"]"))
        }
    }

    @Test func `what the server refuses itself is a problem`() async throws {
        try await withServer { _ in
            .text("never")
        } _: { server in
            let client = TestClient(port: server.port)
            client.send("nonsense\r\n\r\n")
            let answer = try #require(client.answer())
            #expect(answer.head.contains("Content-Type: application/problem+json"))
            #expect(answer.body.contains("\"code\":\"malformed_request\""))
        }
    }
}

extension String {
    /// How often the text occurs.
    fileprivate func components(_ text: String) -> Int {
        ranges(of: text).count
    }
}
