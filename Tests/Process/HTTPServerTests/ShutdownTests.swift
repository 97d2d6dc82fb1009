import AloneKit
import EventLoop
import HTTPServer
import HTTPWire
import Synchronization
import Testing
import WaitKit

@Suite(.alone) struct Shutdown {
    @Test func `a request in flight is answered, and an idle connection is closed`() async throws {
        let notes = Notes()
        try await withServer(impatient, loops: 1) { request in
            notes.add("began")
            while !notes.all.contains("go") { await request.pause(milliseconds: 5) }
            return .text("answered")
        } _: { server in
            let waiting = TestClient(port: server.port)
            let busy = TestClient(port: server.port)
            busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(notes.wait(for: "began"))
            try shutDown(server, telling: notes)
            #expect(waiting.receiveAll().isEmpty)
            waiting.close()
            notes.add("go")
            let all = busy.receiveAll()
            #expect(all.contains("Connection: close\r\n"))
            #expect(all.hasSuffix("answered"))
            busy.close()
            #expect(notes.wait(for: "down"))
        }
    }

    @Test func `a request that arrives while the server stops is answered, with Connection close`()
        async throws
    {
        let notes = Notes()
        // Its time stands still, so that the grace lasts until the client has asked.
        try await withServer(
            impatient, handler: { .text("\($0.segments)") }
        ) { server, _ in
            let client = TestClient(port: server.port)
            client.send("GET /before HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.answer()?.head.contains("Connection: close") == false)
            try shutDown(server, telling: notes)
            #expect(becomes { TestClient(ifListening: server.port) == nil })
            var last = ""
            while !last.contains("Connection: close") {
                client.send("GET /after HTTP/1.1\r\nHost: x\r\n\r\n")
                last = try #require(client.answer()).head
            }
            #expect(client.receiveAll().isEmpty)
            client.close()
            #expect(notes.wait(for: "down"))
        }
    }

    @Test func `requests behind the last answer of a connection are never begun`() async throws {
        let notes = Notes()
        try await withServer(impatient, loops: 1) { request in
            notes.add(request.segments.joined())
            while !notes.all.contains("stopping") { await request.pause(milliseconds: 10) }
            return .text(request.segments.joined())
        } _: { server in
            let waiting = TestClient(port: server.port)
            let client = TestClient(port: server.port)
            let names = ["first", "second", "third"]
            client.send(names.map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
            #expect(notes.wait(for: "first"))
            try shutDown(server, telling: notes)
            // What waits is closed when the loop has known of it for a while.
            #expect(waiting.receiveAll().isEmpty)
            waiting.close()
            notes.add("stopping")
            let all = client.receiveAll()
            #expect(all.ranges(of: "HTTP/1.1 200").count == 1)
            #expect(all.hasSuffix("first"))
            client.close()
            #expect(notes.wait(for: "down"))
            #expect(notes.all == ["first", "stopping", "down"])
        }
    }

    /// What is proven: a request on an open connection is answered, or comes after an answer that said `Connection:
    /// close`, or the connection brought no request during the whole grace period and ended without a byte. Only
    /// connecting is refused.
    @Test func `under load no request is lost when the server stops`() async throws {
        let notes = Notes()
        var settings = impatient
        settings.onComplete = { _, status, _, _ in notes.add("\(status)") }
        try await withServer(settings) { request in
            await request.pause(milliseconds: Int.random(in: 0...3))
            return .text("answered")
        } _: { server in
            let clients = (0..<16).map { number in
                BusyClient(port: server.port, isKeepingAlive: number % 4 != 0)
            }
            #expect(notes.wait(for: "200", times: 200))
            try shutDown(server, telling: notes)
            #expect(notes.wait(for: "down"))
            let outcomes = clients.map { $0.outcome() }
            #expect(outcomes.allSatisfy { $0.answered > 0 })
            #expect(outcomes.map(\.lost) == outcomes.map { _ in 0 })
            #expect(!notes.all.contains("499"))
        }
    }

    @Test func `a request that does not finish is cancelled at the deadline`() async throws {
        var settings = impatient
        settings.drainMilliseconds = 50
        let notes = Notes()
        try await withServer(settings) { request in
            notes.add("began")
            while !Task.isCancelled { await request.pause(milliseconds: 5) }
            notes.add("cancelled")
            return .text("too late")
        } _: { server in
            let client = TestClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(notes.wait(for: "began"))
            try shutDown(server, telling: notes)
            #expect(client.receiveAll().isEmpty)
            #expect(notes.wait(for: "down"))
            #expect(notes.all == ["began", "cancelled", "down"])
        }
    }
}

/// Shuts the server down meanwhile, on a loop of its own so that no other test delays it.
func shutDown(_ server: HTTPServer, telling notes: Notes) throws {
    let loop = try Loop()
    loop.start()
    loop.spawn {
        await server.shutdown()
        notes.add("down")
        loop.stop()
    }
}

/// A client that asks again and again until nothing listens any more.
private final class BusyClient: Sendable {
    struct Outcome {
        var answered = 0
        /// Requests that were sent on an open connection and got no answer.
        var lost = 0
    }

    private let state = Mutex(Outcome())
    private let done = Semaphore()

    init(port: UInt16, isKeepingAlive: Bool) {
        startThread { [self] in
            while let client = TestClient(ifListening: port) {
                var isOpen = true
                while isOpen {
                    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                    let answer = client.answer()
                    state.withLock { answer == nil ? ($0.lost += 1) : ($0.answered += 1) }
                    isOpen = isKeepingAlive && answer?.head.contains("Connection: close") == false
                }
            }
            done.signal()
        }
    }

    func outcome() -> Outcome {
        done.wait()
        return state.withLock { $0 }
    }
}
