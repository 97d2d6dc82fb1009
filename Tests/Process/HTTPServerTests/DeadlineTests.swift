import AloneKit
import EventLoop
import HTTPServer
import HTTPWire
import Testing
import WaitKit

@Suite(.alone) struct Deadlines {
    @Test func `a head that trickles in is cut off`() async throws {
        try await withServer(
            impatient, handler: { _ in .text("never") }
        ) { server, time in
            let client = TestClient(port: server.port)
            client.send("GET / HTTP/1.1\r\n")
            var sent = 0
            while sent < 100, client.send("A: b\r\n") {
                sent += 1
                time.advance(milliseconds: 100)
            }
            // Five seconds, and a few more until the client notices.
            #expect((50..<60).contains(sent))
            #expect(client.receiveAll().isEmpty)
        }
    }

    @Test func `a connection that waits too long is closed`() async throws {
        try await withServer(
            impatient, handler: { _ in .text("x") }
        ) { server, time in
            let used = TestClient(port: server.port)
            used.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(used.answer()?.body == "x")
            time.advance(milliseconds: 30_000)
            let fresh = TestClient(port: server.port)
            #expect(becomes { server.figures.open == 2 })
            time.advance(milliseconds: 29_000)
            #expect(used.receiveWhatIsThere(atMost: 1) == 0)
            time.advance(milliseconds: 1100)
            #expect(used.hearsEnd())
            #expect(fresh.receiveWhatIsThere(atMost: 1) == 0)
            time.advance(milliseconds: 30_000)
            #expect(fresh.hearsEnd())
        }
    }

    @Test func `a handler that takes too long is cancelled, and the client gets an error`()
        async throws
    {
        let notes = Notes()
        try await withServer(
            impatient,
            handler: { request in
                if request.segments == ["patient"] { request.setDeadline(secondsFromNow: 30) }
                notes.add("began")
                await request.pause(milliseconds: 20_000)
                notes.add("\(request.segments) \(Task.isCancelled)")
                return .text("done")
            }
        ) { server, time in
            let client = TestClient(port: server.port)
            client.send("GET /patient HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(notes.wait(for: "began"))
            time.advance(milliseconds: 20_000)
            #expect(client.answer()?.body == "done")
            client.send("GET /hasty HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(notes.wait(for: "began", times: 2))
            time.advance(milliseconds: 9900)
            #expect(client.receiveWhatIsThere(atMost: 1) == 0)
            time.advance(milliseconds: 10_100)
            let all = client.receiveAll()
            #expect(all.hasPrefix("HTTP/1.1 503"))
            #expect(all.contains("Connection: close"))
            #expect(notes.wait(for: "[\"hasty\"] true"))
            #expect(notes.all.contains("[\"patient\"] false"))
        }
    }

    @Test func `a client asked to come back later is not read at once, but is read`() async throws {
        var settings = impatient
        settings.refusalPauseMilliseconds = 600
        let notes = Notes()
        try await withServer(settings, handler: refusing(notes)) { server, time in
            let client = TestClient(port: server.port)
            for name in ["refused", "again"] {
                client.send("GET /\(name) HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            #expect(client.answer()?.status == 503)
            let other = TestClient(port: server.port)
            for _ in 0..<3 {
                other.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(other.answer()?.status == 200)
            }
            time.advance(milliseconds: 599)
            #expect(notes.all == ["refused", "other", "other", "other"])
            time.advance(milliseconds: 20)
            #expect(client.answer()?.body == "again")
            client.send("GET /more HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.answer()?.body == "more")
        }
    }

    @Test func `a client that is asked again and again is read later each time`() async throws {
        var settings = impatient
        settings.refusalPauseMilliseconds = 400
        let notes = Notes()
        try await withServer(settings, handler: refusing(notes)) { server, time in
            let client = TestClient(port: server.port)
            for name in ["refused", "refused", "again"] {
                client.send("GET /\(name) HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            #expect(client.answer()?.status == 503)
            time.advance(milliseconds: 420)
            #expect(client.answer()?.status == 503)
            time.advance(milliseconds: 770)
            #expect(notes.all == ["refused", "refused"])
            time.advance(milliseconds: 40)
            #expect(client.answer()?.body == "again")
        }
    }

    /// Refuses what asks for `refused`, and notes what is asked for.
    private func refusing(_ notes: Notes) -> HTTPServer.Handler {
        { request in
            notes.add(request.segments.joined())
            let isRefused = request.segments == ["refused"]
            return .text(request.segments.joined(), status: isRefused ? 503 : 200)
        }
    }

    @Test func `a client that reads nothing is given up`() async throws {
        let notes = Notes()
        var settings = impatient
        settings.onComplete = { _, status, _, _ in notes.add("\(status)") }
        try await withServer(
            settings,
            handler: { _ in
                notes.add("began")
                return HTTPResponse(
                    status: 200,
                    body: .stream(length: nil) { writer in
                        do {
                            while true {
                                try await writer.write([UInt8](repeating: 1, count: 65_536))
                            }
                        } catch {
                            notes.add("\(error)")
                            throw error
                        }
                    })
            }
        ) { server, time in
            let client = TestClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(notes.wait(for: "began"))
            time.advance(milliseconds: 9900)
            #expect(notes.all == ["began"])
            #expect(
                becomes {
                    time.advance(milliseconds: 1000)
                    return notes.all.count == 3
                })
            #expect(Set(notes.all) == ["began", "499", "ConnectionLost()"])
        }
    }

    @Test func `a client that leaves has its handler cancelled`() async throws {
        var settings = impatient
        settings.handlerMilliseconds = 3_600_000
        let notes = Notes()
        try await withServer(
            settings,
            handler: { request in
                notes.add("began")
                await withTaskCancellationHandler {
                    while !Task.isCancelled { await request.pause(milliseconds: 100) }
                } onCancel: {
                    notes.add("cancelled \(request.segments)")
                }
                return .text("nobody hears")
            }
        ) { server, time in
            var count = 0
            for (name, leave) in [
                ("closes", { $0.close() }), ("resets", { $0.reset() }),
            ] as [(String, (TestClient) -> Void)] {
                for (body, rest) in [
                    ("whole", "\r\n"), ("cut", "Content-Length: 9\r\n\r\nabc"),
                    ("chunked", "Transfer-Encoding: chunked\r\n\r\n5\r\nabc"),
                ] {
                    let client = TestClient(port: server.port)
                    client.send("PUT /\(name)/\(body) HTTP/1.1\r\nHost: x\r\n" + rest)
                    count += 1
                    #expect(notes.wait(for: "began", times: count))
                    leave(client)
                    #expect(
                        becomes {
                            // A handler is looked after once a tick.
                            time.advance(milliseconds: 10)
                            return notes.all.contains("cancelled [\"\(name)\", \"\(body)\"]")
                        })
                }
            }
        }
    }
}
