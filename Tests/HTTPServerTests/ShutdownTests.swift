import EventLoop
import Glibc
import HTTPServer
import HTTPWire
import Testing

@Suite struct Shutdown {
    @Test func `what is in flight is answered and what waits is closed`() async throws {
        let notes = Notes()
        try await withServer(impatient) { request in
            notes.add("began")
            await request.pause(milliseconds: 200)
            return .text("answered")
        } _: { server in
            let waiting = TestClient(port: server.port)
            let busy = TestClient(port: server.port)
            busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(notes.wait(for: "began"))
            try shutDown(server, telling: notes)
            #expect(waiting.receiveAll().isEmpty)
            let all = busy.receiveAll()
            #expect(all.contains("Connection: close\r\n"))
            #expect(all.hasSuffix("answered"))
            busy.close()
            #expect(notes.wait(for: "down"))
        }
    }

    @Test func `what does not finish is cancelled at the deadline`() async throws {
        var settings = impatient
        settings.drainMilliseconds = 50
        let notes = Notes()
        try await withServer(settings) { request in
            notes.add("began")
            await request.pause(milliseconds: 300)
            notes.add("cancelled \(Task.isCancelled)")
            return .text("too late")
        } _: { server in
            let client = TestClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(notes.wait(for: "began"))
            try shutDown(server, telling: notes)
            #expect(client.receiveAll().isEmpty)
            #expect(notes.wait(for: "down"))
            #expect(notes.all == ["began", "cancelled true", "down"])
        }
    }

    @Test func `connections beyond the limit wait until there is room`() async throws {
        var settings = impatient
        settings.connectionLimit = 2
        try await withServer(settings) { _ in
            .text("x")
        } _: { server in
            let first = TestClient(port: server.port)
            let second = TestClient(port: server.port)
            let third = TestClient(port: server.port)
            for client in [first, second, third] {
                client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            #expect(first.answer()?.status == 200)
            #expect(second.answer()?.status == 200)
            third.setTimeout(seconds: 1)
            #expect(third.answer() == nil)
            third.setTimeout(seconds: 20)
            first.close()
            #expect(third.answer()?.status == 200)
        }
    }
}

/// Shuts the server down meanwhile, on a loop of its own so that no other test delays it.
private func shutDown(_ server: HTTPServer, telling notes: Notes) throws {
    let loop = try Loop()
    loop.start()
    loop.spawn {
        await server.shutdown()
        notes.add("down")
        loop.stop()
    }
}
