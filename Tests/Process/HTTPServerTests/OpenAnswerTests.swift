import EventLoop
import HTTPServer
import HTTPWire
import Testing
import WaitKit

/// Answers that go on until their producer ends them.
@Suite struct OpenAnswers {
    /// Says hello, keeps the answer open, and says what the path says, after waiting as long as it says.
    private static func handler(_ notes: Notes) -> HTTPServer.Handler {
        { request in
            let wait = request.segments.first.flatMap { Int($0) } ?? 0
            let word = request.segments.last ?? ""
            return HTTPResponse(
                status: 200,
                body: .stream(length: nil) { writer in
                    try await writer.write(Array("hello".utf8))
                    guard try writer.keepOpen() else { return }
                    await waitOrCancel(milliseconds: wait)
                    notes.add(Task.isCancelled ? "cancelled" : "waited")
                    try Task.checkCancellation()
                    try await writer.write(Array(word.utf8))
                })
        }
    }

    private static func waitOrCancel(milliseconds: Int) async {
        for _ in 0..<max(1, milliseconds / 10) where !Task.isCancelled {
            await pause(milliseconds: 10)
        }
    }

    private var settings: HTTPServerSettings {
        var settings = impatient
        settings.handlerMilliseconds = 100
        return settings
    }

    private func ask(_ path: String, version: String = "1.1") -> String {
        "GET \(path) HTTP/\(version)\r\nHost: x\r\n\r\n"
    }

    @Test func `silence may be longer than a handler's time, and the connection goes on`()
        async throws
    {
        let notes = Notes()
        try await withServer(settings, handler: Self.handler(notes)) { server, time in
            let client = TestClient(port: server.port)
            client.send(ask("/600/bye"))
            #expect(becomes { server.figures.inFlight == 1 })
            time.advance(milliseconds: 590)
            #expect(notes.all.isEmpty)
            time.advance(milliseconds: 10)
            #expect(notes.wait(for: "waited"))
            client.send("GET /0/again HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(
                becomes {
                    time.advance(milliseconds: 10)
                    return notes.all.count == 2
                })
            let all = client.receiveAll()
            #expect(all.contains("\r\n\r\n5\r\nhello\r\n3\r\nbye\r\n0\r\n\r\nHTTP/1.1 200"))
            #expect(all.hasSuffix("5\r\nhello\r\n5\r\nagain\r\n0\r\n\r\n"))
            #expect(notes.all == ["waited", "waited"])
        }
    }

    @Test func `a client that ends its side has left`() async throws {
        let notes = Notes()
        try await withServer(settings, handler: Self.handler(notes)) { server, time in
            let client = TestClient(port: server.port)
            client.send(ask("/3600000/bye"))
            #expect(becomes { server.figures.inFlight == 1 })
            client.finish()
            #expect(
                becomes {
                    // How often the handler looks.
                    time.advance(milliseconds: 10)
                    return notes.all == ["cancelled"]
                })
            #expect(becomes { server.figures.open == 0 && server.figures.inFlight == 0 })
        }
    }

    @Test func `a client that had left before gets nothing more`() async throws {
        let notes = Notes()
        try await withServer(settings, handler: Self.handler(notes)) { server, time in
            let client = TestClient(port: server.port)
            client.send(ask("/3600000/bye"))
            client.finish()
            #expect(
                becomes {
                    time.advance(milliseconds: 10)
                    let figures = server.figures
                    return figures.accepted == 1 && figures.open == 0 && figures.inFlight == 0
                })
        }
    }

    @Test func `a client that reads nothing is given up, and holds little meanwhile`()
        async throws
    {
        let ends = Notes()
        try await withServer(
            settings,
            handler: { _ in
                HTTPResponse(
                    status: 200,
                    body: .stream(length: nil) { writer in
                        do {
                            guard try writer.keepOpen() else { return }
                            let piece = [UInt8](repeating: 0x2A, count: 65_536)
                            while true { try await writer.write(piece) }
                        } catch {
                            ends.add("given up")
                            throw error
                        }
                    })
            }
        ) { server, time in
            let client = TestClient(port: server.port)
            client.send(ask("/"))
            #expect(becomes { server.figures.inFlight == 1 })
            time.advance(milliseconds: 9900)
            #expect(ends.all.isEmpty)
            #expect(
                becomes {
                    time.advance(milliseconds: 1000)
                    return ends.all == ["given up"]
                })
            #expect(becomes { server.figures.open == 0 })
        }
    }

    @Test func `nobody keeps an answer open whose bytes are only collected`() async throws {
        let response = HTTPResponse(
            status: 200,
            body: .stream(length: nil) { writer in
                try await writer.write(Array("hello".utf8))
                guard try writer.keepOpen() else { return }
                try await writer.write(Array("never".utf8))
            })
        #expect(try await response.wholeBody() == Array("hello".utf8))
    }
}
