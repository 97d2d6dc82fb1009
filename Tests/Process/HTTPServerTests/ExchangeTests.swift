import HTTPServer
import HTTPWire
import Testing

@Suite struct Exchanges {
    let get = "GET /hello?x=1 HTTP/1.1\r\nHost: x\r\n\r\n"

    /// Answers with what it was asked.
    private static let echo: HTTPServer.Handler = { request in
        do {
            let body = try await request.body.collect(upTo: 1000)
            return .text("\(request.method) \(request.segments) \(body.count)")
        } catch {
            let refusal = error as? HTTPRefusal
            return .text(refusal?.code ?? "\(error)", status: refusal?.status ?? 500)
        }
    }

    @Test func `two requests are answered on one connection`() async throws {
        try await withServer(handler: Self.echo) { server in
            let client = TestClient(port: server.port)
            for _ in 0..<2 {
                client.send(get)
                let answer = try #require(client.answer())
                #expect(answer.status == 200)
                #expect(answer.body == "GET [\"hello\"] 0")
                #expect(answer.head.contains("\r\nDate: "))
                #expect(!answer.head.contains("Connection:"))
            }
        }
    }

    @Test func `fifty requests in one piece are answered in order`() async throws {
        try await withServer(handler: Self.echo) { server in
            let client = TestClient(port: server.port)
            let requests = (0..<50).map { number in
                "POST /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
            }
            client.send(requests.joined())
            for number in 0..<50 {
                let answer = try #require(client.answer())
                #expect(answer.body == "POST [\"\(number)\"] 3")
            }
        }
    }

    @Test func `a request that comes byte by byte is answered`() async throws {
        try await withServer(handler: Self.echo) { server in
            let client = TestClient(port: server.port)
            let text =
                "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
            for byte in text.utf8 { client.send([byte]) }
            #expect(client.answer()?.body == "POST [\"a\"] 5")
            client.send(get)
            #expect(client.answer()?.status == 200)
        }
    }

    @Test func `a client that closed its side still gets its answer`() async throws {
        let settings = impatient
        let notes = Notes()
        try await withServer(settings) { request in
            await request.pause(milliseconds: 200)
            notes.add(Task.isCancelled ? "cancelled" : "ran")
            return .text("here")
        } _: { server in
            let client = TestClient(port: server.port)
            client.send(get)
            client.finish()
            let all = client.receiveAll()
            #expect(all.contains("HTTP/1.1 200 OK\r\n"))
            #expect(all.hasSuffix("\r\n\r\nhere"))
            #expect(notes.all == ["ran"])
        }
    }

    @Test func `HEAD gets the fields of GET and no body`() async throws {
        try await withServer(handler: Self.echo) { server in
            let client = TestClient(port: server.port)
            client.send("HEAD /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            let answer = try #require(client.answer(isBodiless: true))
            #expect(answer.head.contains("Content-Length: 16"))
            client.send(get)
            #expect(client.answer()?.body == "GET [\"hello\"] 0")
        }
    }

    @Test func `HTTP 1_0 closes unless it asks for more`() async throws {
        try await withServer(handler: Self.echo) { server in
            let client = TestClient(port: server.port)
            client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(client.answer()?.head.contains("Connection: keep-alive") == true)
            client.send("GET / HTTP/1.0\r\n\r\n")
            let rest = client.receiveAll()
            #expect(rest.contains("Connection: close\r\n"))
            #expect(rest.hasSuffix("GET [] 0"))
        }
    }

    @Test func `a safe request id is echoed and an unsafe one replaced`() async throws {
        try await withServer { request in
            .text(request.requestID)
        } _: { server in
            let client = TestClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\nX-Request-Id: abc-1\r\n\r\n")
            let echoed = try #require(client.answer())
            #expect(echoed.body == "abc-1")
            #expect(echoed.head.contains("X-Request-Id: abc-1"))
            client.send("GET / HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\"b\r\n\r\n")
            let made = try #require(client.answer())
            #expect(made.body.count == 36)
            #expect(made.head.contains("X-Request-Id: \(made.body)"))
        }
    }

    @Test func `fields that would split the answer lead to a 500`() async throws {
        try await withServer { request in
            let field = ResponseField("Location", "/a\r\nSet-Cookie: b")
            return HTTPResponse(status: 303, headers: [field])
        } _: { server in
            let client = TestClient(port: server.port)
            client.send(get)
            let answer = try #require(client.answer())
            #expect(answer.status == 500)
            #expect(!answer.head.contains("Cookie"))
            #expect(answer.body.contains("\"code\":\"internal\""))
        }
    }

    @Test func `the server's own fields cannot be overridden`() async throws {
        try await withServer { _ in
            let fields = [
                ResponseField("Content-Length", "99"), ResponseField("connection", "close"),
                ResponseField("Transfer-Encoding", "chunked"),
            ]
            return HTTPResponse(status: 200, headers: fields, body: .bytes([65]))
        } _: { server in
            let client = TestClient(port: server.port)
            client.send(get)
            let all = client.receiveAll()
            #expect(all.contains("Content-Length: 1\r\n"))
            #expect(all.contains("Connection: close\r\n"))
            #expect(!all.contains("chunked"))
            #expect(all.hasSuffix("\r\n\r\nA"))
        }
    }

    @Test func `each answer is reported once`() async throws {
        var settings = impatient
        let notes = Notes()
        settings.onComplete = { request, status, bytes, nanoseconds in
            notes.add("\(request?.route ?? "-") \(status) \(bytes > 50) \(nanoseconds >= 0)")
        }
        try await withServer(settings) { request in
            request.route = "/hello"
            return .text("x")
        } _: { server in
            let client = TestClient(port: server.port)
            client.send(get)
            _ = client.answer()
            client.send("nonsense\r\n")
            _ = client.receiveAll()
            #expect(notes.wait(for: "- 400 true true"))
            #expect(notes.all == ["/hello 200 true true", "- 400 true true"])
        }
    }
}
