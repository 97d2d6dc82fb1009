import Glibc
import HTTPServer
import HTTPWire
import Testing

/// Connections that break at any byte affect nothing else and leave nothing behind.
@Suite struct Resets {
    private static let ask = """
        PUT /things HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\
        5\r\nhello\r\n3\r\nyou\r\n0\r\n\r\n
        """

    @Test(arguments: [true, false])
    func `a client may leave after any byte it sent`(byReset: Bool) async throws {
        try await expectNothingLeft { port in
            for count in 0...Self.ask.utf8.count {
                let client = TestClient(port: port)
                client.send(Array(Self.ask.utf8.prefix(count)))
                byReset ? client.reset() : client.close()
            }
        }
    }

    @Test(arguments: [true, false])
    func `a client may leave after any byte it received`(byReset: Bool) async throws {
        try await expectNothingLeft { port in
            let whole = TestClient(port: port)
            whole.send(Self.ask)
            whole.finish()
            for count in 1...whole.receiveAll().utf8.count {
                let client = TestClient(port: port)
                client.send(Self.ask)
                var left = count
                while left > 0, case let more = client.receive(atMost: left), !more.isEmpty {
                    left -= more.count
                }
                byReset ? client.reset() : client.close()
            }
        }
    }

    /// Has clients misbehave, and then expects that every exchange has ended, and that every connection slot is free
    /// again.
    private func expectNothingLeft(_ misbehave: @escaping @Sendable (UInt16) -> Void) async throws {
        let limit = 8
        let notes = Notes()
        var settings = impatient
        settings.connectionLimit = limit
        settings.onComplete = { request, _, _, _ in if request != nil { notes.add("ended") } }
        try await withServer(settings) { request in
            notes.add("began")
            let body = try? await request.body.collect(upTo: 100)
            return HTTPResponse(
                status: body == nil ? 400 : 200,
                body: .stream(length: nil) { writer in
                    for piece in ["some", "thing", "long"] {
                        try await writer.write(Array(piece.utf8))
                    }
                })
        } _: { server in
            misbehave(server.port)
            // Each asks at once: a connection that waits would make room for what is left in the kernel's queue.
            let clients = (0..<limit).map { _ in
                let client = TestClient(port: server.port)
                client.send(Self.ask)
                client.finish()
                return client
            }
            for client in clients {
                let all = client.receiveAll()
                #expect(all.hasPrefix("HTTP/1.1 200"))
                #expect(all.hasSuffix("4\r\nlong\r\n0\r\n\r\n"))
            }
            let began = notes.all.filter { $0 == "began" }.count
            #expect(notes.wait(for: "ended", times: began))
        }
    }
}
