import AloneKit
import COpenSSL
import EventLoop
import Glibc
import HTTPServer
import HTTPWire
import Testing

@Suite struct TLSConnections {
    static let ask = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
    static let lastAsk = "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    /// Answers with the length of the body.
    static let counting: HTTPServer.Handler = { request in
        request.body.limits.maximumBytes = 1 << 30
        var count = 0
        do {
            while let piece = try await request.body.next() { count += piece.count }
            return .text("\(count)")
        } catch {
            let refusal = error as? HTTPRefusal
            return .text(refusal?.code ?? "\(error)", status: refusal?.status ?? 500)
        }
    }

    @Test(arguments: [
        (TLS1_2_VERSION, "TLSv1.2", "ECDHE-ECDSA-AES128-GCM-SHA256"),
        (TLS1_3_VERSION, "TLSv1.3", "TLS_AES_128_GCM_SHA256"),
    ])
    func `both versions are spoken, and closed properly`(
        version: Int32, name: String, cipher: String
    ) async throws {
        try await withServer(HTTPServerSettings().secured(), handler: Self.counting) { server in
            let client = try TLSClient(
                port: server.port, TLSClient.Offer(lowest: version, highest: version))
            #expect(client.version == name)
            #expect(client.cipher.hasPrefix(cipher.prefix(9)))
            for _ in 0..<3 {
                client.send(Self.ask)
                #expect(client.answer()?.status == 200)
            }
            client.send(Self.lastAsk)
            #expect(client.receiveAll().hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(client.hasHeardEnd)
        }
    }

    @Test func `older versions are refused`() async throws {
        try await withServer(HTTPServerSettings().secured(), handler: Self.counting) { server in
            let failure = #expect(throws: TLSClient.Refused.self) {
                _ = try TLSClient(
                    port: server.port,
                    TLSClient.Offer(lowest: TLS1_VERSION, highest: TLS1_1_VERSION))
            }
            #expect(failure?.reason.contains("protocol version") == true)
        }
    }

    @Test func `the protocol chosen is HTTP 1.1, or none`() async throws {
        try await withServer(HTTPServerSettings().secured(), handler: Self.counting) { server in
            let both = try TLSClient(
                port: server.port, TLSClient.Offer(protocols: ["h2", "http/1.1"]))
            #expect(both.chosenProtocol == "http/1.1")
            let failure = #expect(throws: TLSClient.Refused.self) {
                _ = try TLSClient(port: server.port, TLSClient.Offer(protocols: ["h2"]))
            }
            #expect(failure?.reason.contains("no application protocol") == true)
        }
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a session is resumed on any loop`(version: Int32) async throws {
        try await withServer(HTTPServerSettings().secured(), handler: Self.counting) { server in
            var offer = TLSClient.Offer(lowest: version, highest: version)
            // Connections are assigned in turn, so these are on both loops.
            for number in 0..<5 {
                let client = try TLSClient(port: server.port, offer)
                #expect(client.isResumed == (number > 0))
                client.send(Self.ask)
                #expect(client.answer()?.status == 200)
                offer.session = client.session()
            }
        }
    }

    @Test func `many requests sent at once are answered in order`() async throws {
        try await withServer(HTTPServerSettings().secured(), handler: { .text($0.segments[0]) }) {
            server in
            let client = try TLSClient(port: server.port)
            let asks = (0..<300).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }
            client.send(asks.joined())
            for number in 0..<300 {
                #expect(client.answer()?.body == "\(number)")
            }
        }
    }

    @Test func `one-byte records make up a request`() async throws {
        try await withServer(HTTPServerSettings().secured(), handler: Self.counting) { server in
            let client = try TLSClient(port: server.port)
            for byte in "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc".utf8 {
                client.send([byte])
            }
            #expect(client.answer()?.body == "3")
        }
    }

    @Test func `a client may change keys now and then, but not endlessly`() async throws {
        try await withServer(HTTPServerSettings().secured(), handler: Self.counting) { server in
            let polite = try TLSClient(port: server.port)
            for _ in 0..<20 {
                #expect(polite.changeKeys())
                polite.send(Self.ask)
                #expect(polite.answer()?.status == 200)
            }
            let rude = try TLSClient(port: server.port)
            var changes = 0
            while changes < 50_000, rude.changeKeys() { changes += 1 }
            #expect(changes < 50_000)
            #expect(polite.send(Self.ask))
            #expect(polite.answer()?.status == 200)
        }
    }

    @Test func `a body cut short without a closing alert is incomplete`() async throws {
        let notes = Notes()
        try await withServer(HTTPServerSettings().secured()) { request in
            let response = await Self.counting(request)
            notes.add("\(response.status)")
            return response
        } _: { server in
            let head = "POST / HTTP/1.1\r\nHost: x\r\n"
            for framing in [
                "Content-Length: 9\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
            ] {
                let client = try TLSClient(port: server.port)
                client.send(head + framing)
                client.raw.finish()
                #expect(client.answer()?.body == "body_incomplete")
            }
            #expect(notes.all == ["400", "400"])
        }
    }

    @Test func `a plaintext request gets an answer about TLS`() async throws {
        try await withServer(HTTPServerSettings().secured(), handler: Self.counting) { server in
            let client = TestClient(port: server.port)
            client.send(Self.ask)
            let all = client.receiveAll()
            #expect(all.hasPrefix("HTTP/1.1 400 "))
            #expect(all.contains("\"code\":\"tls_required\""))
            #expect(all.contains("\r\nConnection: close\r\n"))
        }
    }

    @Test func `an answer that failed halfway is not closed properly`() async throws {
        try await withServer(HTTPServerSettings().secured()) { _ in
            HTTPResponse(
                status: 200,
                body: .stream(length: nil) { writer in
                    try await writer.write(Array("half".utf8))
                    await pause(milliseconds: 20)
                    throw CancellationError()
                })
        } _: { server in
            let client = try TLSClient(port: server.port)
            client.send("GET / HTTP/1.0\r\n\r\n")
            _ = client.receiveAll()
            #expect(!client.hasHeardEnd)
        }
    }

    @Test func `a client that leaves is noticed while its handler runs`() async throws {
        let notes = Notes()
        var settings = impatient
        settings.handlerMilliseconds = 60_000
        try await withServer(settings.secured()) { request in
            notes.add("begun")
            while !Task.isCancelled { await request.pause(milliseconds: 5) }
            notes.add("cancelled")
            return .text("never")
        } _: { server in
            let client = try TLSClient(port: server.port)
            client.send(Self.ask)
            #expect(notes.wait(for: "begun"))
            client.finish()
            client.raw.close()
            #expect(notes.wait(for: "cancelled"))
        }
    }

    @Test(.alone) func `draining answers running requests and closes idle connections properly`()
        async throws
    {
        let notes = Notes()
        try await withServer(HTTPServerSettings().secured()) { request in
            notes.add("begun")
            await request.pause(milliseconds: 300)
            return .text("done")
        } _: { server in
            let idle = try TLSClient(port: server.port)
            let busy = try TLSClient(port: server.port)
            busy.send(Self.ask)
            #expect(notes.wait(for: "begun"))
            Task { await server.shutdown() }
            #expect(idle.receiveAll().isEmpty)
            #expect(idle.hasHeardEnd)
            #expect(busy.receiveAll().hasSuffix("done"))
            #expect(busy.hasHeardEnd)
        }
    }
}
