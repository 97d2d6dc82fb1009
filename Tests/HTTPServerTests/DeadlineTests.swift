import AloneKit
import EventLoop
import Glibc
import HTTPServer
import HTTPWire
import Testing

@Suite(.alone) struct Deadlines {
    @Test func `a head that trickles in is cut off`() async throws {
        var settings = impatient
        settings.headMilliseconds = 100
        try await withServer(settings) { _ in
            .text("never")
        } _: { server in
            let client = TestClient(port: server.port)
            client.send("GET / HTTP/1.1\r\n")
            var sent = 0
            while sent < 500, client.send("A: b\r\n") {
                sent += 1
                usleep(10_000)
            }
            #expect(sent < 500)
            #expect(client.receiveAll().isEmpty)
        }
    }

    @Test func `a connection that waits too long is closed`() async throws {
        var settings = impatient
        settings.idleMilliseconds = 50
        try await withServer(settings) { _ in
            .text("x")
        } _: { server in
            let fresh = TestClient(port: server.port)
            #expect(fresh.receiveAll().isEmpty)
            let used = TestClient(port: server.port)
            used.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(used.receiveAll().hasSuffix("x"))
        }
    }

    @Test func `a handler that takes too long is cancelled, and the client gets an error`()
        async throws
    {
        var settings = impatient
        settings.handlerMilliseconds = 50
        let notes = Notes()
        try await withServer(settings) { request in
            if request.segments == ["patient"] { request.setDeadline(secondsFromNow: 30) }
            await request.pause(milliseconds: 300)
            notes.add("\(request.segments) \(Task.isCancelled)")
            return .text("done")
        } _: { server in
            let client = TestClient(port: server.port)
            client.send("GET /patient HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.answer()?.body == "done")
            client.send("GET /hasty HTTP/1.1\r\nHost: x\r\n\r\n")
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
        try await withServer(settings) { request in
            notes.add(request.segments.joined())
            let isRefused = request.segments == ["refused"]
            return .text(request.segments.joined(), status: isRefused ? 503 : 200)
        } _: { server in
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
            #expect(notes.all == ["refused", "other", "other", "other"])
            #expect(client.answer()?.body == "again")
            client.send("GET /more HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.answer()?.body == "more")
        }
    }

    @Test func `a client that is asked again and again is read later each time`() async throws {
        var settings = impatient
        settings.refusalPauseMilliseconds = 400
        let notes = Notes()
        try await withServer(settings) { request in
            notes.add(request.segments.joined())
            let isRefused = request.segments == ["refused"]
            return .text(request.segments.joined(), status: isRefused ? 503 : 200)
        } _: { server in
            let client = TestClient(port: server.port)
            for name in ["refused", "refused", "again"] {
                client.send("GET /\(name) HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            #expect(client.answer()?.status == 503)
            #expect(client.answer()?.status == 503)
            usleep(500_000)
            #expect(notes.all == ["refused", "refused"])
            #expect(client.answer()?.body == "again")
        }
    }

    @Test func `a client that reads nothing is given up`() async throws {
        var settings = impatient
        settings.writeStallMilliseconds = 100
        let notes = Notes()
        settings.onComplete = { _, status, _, _ in notes.add("\(status)") }
        try await withServer(settings) { _ in
            HTTPResponse(
                status: 200,
                body: .stream(length: nil) { writer in
                    do {
                        while true { try await writer.write([UInt8](repeating: 1, count: 65_536)) }
                    } catch {
                        notes.add("\(error)")
                        throw error
                    }
                })
        } _: { server in
            let client = TestClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(notes.wait(for: "499"))
            #expect(notes.wait(for: "ConnectionLost()"))
        }
    }

    @Test func `a client that leaves has its handler cancelled`() async throws {
        let notes = Notes()
        try await withServer(impatient) { request in
            notes.add("began")
            await withTaskCancellationHandler {
                await request.pause(milliseconds: 1500)
            } onCancel: {
                notes.add("cancelled \(request.segments)")
            }
            return .text("nobody hears")
        } _: { server in
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
                    #expect(notes.wait(for: "cancelled [\"\(name)\", \"\(body)\"]"))
                }
            }
        }
    }
}
