import EventLoop
import HTTPServer
import HTTPWire
import Testing

@Suite struct Streams {
    struct Mishap: Error {}

    /// Streams what the path says.
    static let handler: HTTPServer.Handler = { request in
        let pieces = request.segments.dropFirst().map { Array($0.utf8) }
        let length = request.segments.first.flatMap { Int($0) }
        return HTTPResponse(
            status: 200,
            body: .stream(length: length) { writer in
                for piece in pieces {
                    if piece == Array("fail".utf8) { throw Mishap() }
                    try await writer.write(piece)
                    await pause(milliseconds: 1)
                }
            })
    }

    private func ask(
        _ path: String, version: String = "1.1", method: String = "GET"
    ) -> String {
        "\(method) \(path) HTTP/\(version)\r\nHost: x\r\n\r\n"
    }

    @Test func `a stream without a length is chunked and the connection continues`() async throws {
        try await withServer(handler: Self.handler) { server in
            let client = TestClient(port: server.port)
            client.send(ask("/-/hello/there%20you"))
            client.send(ask("/5/ab/cde"))
            client.finish()
            let all = client.receiveAll()
            #expect(all.contains("Transfer-Encoding: chunked\r\n"))
            #expect(all.contains("\r\n\r\n5\r\nhello\r\n9\r\nthere you\r\n0\r\n\r\nHTTP/1.1 200"))
            #expect(all.contains("Content-Length: 5\r\n"))
            #expect(all.hasSuffix("\r\n\r\nabcde"))
        }
    }

    @Test func `an old client gets a stream until the end of the connection`() async throws {
        try await withServer(handler: Self.handler) { server in
            let client = TestClient(port: server.port)
            client.send(ask("/-/hello/you", version: "1.0"))
            let all = client.receiveAll()
            #expect(!all.contains("chunked"))
            #expect(all.hasSuffix("\r\n\r\nhelloyou"))
        }
    }

    @Test func `HEAD does not run the producer`() async throws {
        try await withServer(handler: Self.handler) { server in
            let client = TestClient(port: server.port)
            client.send(ask("/-/fail", method: "HEAD"))
            #expect(
                client.answer(isBodiless: true)?.head.contains("Transfer-Encoding: chunked")
                    == true)
            client.send(ask("/2/ab"))
            #expect(client.answer()?.body == "ab")
        }
    }

    @Test func `a failure before the first byte is a 500`() async throws {
        try await withServer(handler: Self.handler) { server in
            let client = TestClient(port: server.port)
            client.send(ask("/-/fail"))
            #expect(client.answer()?.status == 500)
        }
    }

    @Test(arguments: ["/-/hello/fail", "/9/hello/fail", "/9/hello", "/3/ab/cd"])
    func `a failure after the first byte cuts the connection`(path: String) async throws {
        try await withServer(handler: Self.handler) { server in
            let client = TestClient(port: server.port)
            client.send(ask(path))
            let all = client.receiveAll()
            #expect(all.isEmpty || all.hasPrefix("HTTP/1.1 200"))
            #expect(!all.contains("\r\n0\r\n"))
        }
    }

    @Test func `a large answer waits for a slow client`() async throws {
        let size = 20 << 20
        let notes = Notes()
        try await withServer { _ in
            HTTPResponse(
                status: 200,
                body: .stream(length: size) { writer in
                    for number in 0..<(size / 65_536) {
                        try await writer.write(
                            [UInt8](repeating: UInt8(number % 251), count: 65_536))
                    }
                    notes.add("written")
                })
        } _: { server in
            let client = TestClient(port: server.port)
            client.send(ask("/"))
            var received = client.receive().count
            #expect(received > 0)
            #expect(notes.all.isEmpty)
            client.finish()
            while case let more = client.receive(), !more.isEmpty { received += more.count }
            #expect(notes.wait(for: "written"))
            #expect(received > size)
        }
    }

    @Test func `a large whole answer arrives whole`() async throws {
        let size = 5 << 20
        try await withServer { _ in
            HTTPResponse(status: 200, body: .bytes([UInt8](repeating: 65, count: size)))
        } _: { server in
            let client = TestClient(port: server.port)
            for _ in 0..<2 {
                client.send(ask("/"))
                #expect(client.answer()?.body.utf8.count == size)
            }
        }
    }
}
