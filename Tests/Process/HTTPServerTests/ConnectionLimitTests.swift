import AloneKit
import HTTPWire
import Testing
import WaitKit

@testable import HTTPServer

/// Who gets a connection when there are not enough for all.
@Suite struct ConnectionLimits {
    private static let ask = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test(.alone) func `connections beyond the limit wait until a slot is free`() async throws {
        var settings = impatient
        settings.connectionLimit = 2
        let notes = Notes()
        try await withServer(settings) { request in
            notes.add("began")
            while !notes.all.contains("go") { await request.pause(milliseconds: 5) }
            return .text("x")
        } _: { server in
            let clients = (1...2).map { number in
                let client = TestClient(port: server.port)
                client.send(Self.ask)
                // A connection that has not asked yet would make room for the third.
                #expect(notes.wait(for: "began", times: number))
                return client
            }
            let late = TestClient(port: server.port)
            late.send(Self.ask)
            late.setTimeout(seconds: 1)
            #expect(late.answer() == nil)
            late.setTimeout(seconds: 20)
            notes.add("go")
            #expect(clients[0].answer()?.status == 200)
            clients[0].close()
            #expect(clients[1].answer()?.status == 200)
            #expect(late.answer()?.status == 200)
        }
    }

    @Test func `the connection idle the longest makes room for one that asks`() async throws {
        var settings = impatient
        settings.connectionLimit = 4
        try await withServer(
            settings, handler: { _ in .text("x") }
        ) { server, time in
            let silent = TestClient(port: server.port)
            #expect(becomes { server.figures.open == 1 })
            time.advance(milliseconds: 20)
            let clients = (0..<3).map { _ in TestClient(port: server.port) }
            for client in clients {
                client.send(Self.ask)
                #expect(client.answer()?.status == 200)
                time.advance(milliseconds: 20)
            }
            let late = TestClient(port: server.port)
            late.send(Self.ask)
            #expect(late.answer()?.status == 200)
            #expect(silent.receiveAll().isEmpty)
            let later = TestClient(port: server.port)
            later.send(Self.ask)
            #expect(later.answer()?.status == 200)
            #expect(clients[0].receiveAll().isEmpty)
            for client in [clients[1], clients[2], late, later] {
                client.send(Self.ask)
                #expect(client.answer()?.status == 200)
            }
        }
    }

    @Test func `one address gets no more than its share`() async throws {
        var settings = impatient
        settings.connectionLimitPerAddress = 2
        settings.isUnlimited = { _ in false }
        try await withServer(settings) { _ in
            .text("x")
        } _: { server in
            let first = TestClient(port: server.port)
            let second = TestClient(port: server.port)
            for client in [first, second] {
                client.send(Self.ask)
                #expect(client.answer()?.status == 200)
            }
            let third = TestClient(port: server.port)
            #expect(third.receiveAll().isEmpty)
            first.close()
            #expect(isServed(server.port))
            second.send(Self.ask)
            #expect(second.answer()?.status == 200)
        }
    }

    /// Whether a new connection is answered, as soon as the server knows that another has gone.
    private func isServed(_ port: UInt16) -> Bool {
        becomes {
            let client = TestClient(port: port)
            return client.send(Self.ask) && client.answer()?.status == 200
        }
    }

    @Test func `addresses of one network count as one, and loopback does not count`() throws {
        func address(_ text: String) throws -> NetworkAddress {
            try #require(NetworkAddress(text))
        }
        let count = AddressCount(limit: 2, isUnlimited: { $0.isLoopback })
        #expect(try count.add(address("2001:db8::1")))
        #expect(try count.add(address("2001:db8::ffff:1")))
        #expect(try !count.add(address("2001:db8:0:0:1234::7")))
        #expect(try count.add(address("2001:db8:0:1::7")))
        #expect(try count.add(address("192.0.2.1")))
        #expect(try count.add(address("::ffff:192.0.2.1")))
        #expect(try !count.add(address("192.0.2.1")))
        #expect(try count.add(address("192.0.2.2")))
        try count.remove(address("192.0.2.1"))
        #expect(try count.add(address("192.0.2.1")))
        for _ in 0..<5 {
            #expect(try count.add(address("127.0.0.9")))
            #expect(try count.add(address("::1")))
            #expect(try count.add(address("::ffff:127.0.0.1")))
        }
    }
}
