import HTTPServer
import Testing
import WaitKit

/// Clients that do not finish a handshake.
@Suite struct TLSHandshakes {
    /// The beginning of a ClientHello that announces 512 bytes.
    static let halfHello: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3] + Array(0..<40)

    @Test(
        arguments: [
            [0x16], halfHello, Array(repeating: 0, count: 600), Array(0...255),
            Array("\u{16}\u{3}\u{1}\u{0}\u{4}aaaa".utf8),
        ])
    func `anything but a handshake ends at the deadline, if not before`(bytes: [UInt8]) async throws
    {
        let notes = Notes()
        try await withServer(
            impatient.secured(),
            handler: { _ in
                notes.add("asked")
                return .text("never")
            }
        ) { server, time in
            let client = TestClient(port: server.port)
            client.send(bytes)
            #expect(becomes { server.figures.accepted == 1 })
            time.advance(milliseconds: 5100)
            // At most an alert.
            var heard = 0
            while case let more = client.receive(), !more.isEmpty { heard += more.count }
            #expect(heard <= 7)
            #expect(becomes { server.figures.open == 0 })
            #expect(notes.all.isEmpty)
        }
    }

    @Test func `dripping does not move the deadline, and others are served`() async throws {
        var settings = impatient
        settings.handshakeMilliseconds = 400
        try await withServer(settings.secured(), handler: TLSConnections.counting) { server, time in
            let slow = (0..<50).map { _ in TestClient(port: server.port) }
            let other = try TLSClient(port: server.port)
            var open = slow
            var drips = 0
            for byte in Self.halfHello.prefix(40) where !open.isEmpty {
                open = open.filter { $0.send([byte]) }
                drips += 1
                other.send(TLSConnections.ask)
                #expect(other.answer()?.status == 200)
                time.advance(milliseconds: 50)
            }
            #expect(open.isEmpty)
            #expect(drips < 40)
        }
    }

    @Test func `leaving in the middle of a handshake leaves nothing behind`() async throws {
        var settings = HTTPServerSettings()
        settings.handshakeLimits.unfinished = 2
        settings.connectionLimit = 4
        try await withServer(settings.secured(), handler: TLSConnections.counting) { server in
            for number in 0..<40 {
                let client = TestClient(port: server.port)
                client.send(Self.halfHello)
                number % 2 == 0 ? client.reset() : client.close()
                let count = number + 1
                #expect(
                    becomes { server.figures.accepted == count && server.figures.open == 0 })
            }
            let client = try TLSClient(port: server.port)
            client.send(TLSConnections.ask)
            #expect(client.answer()?.status == 200)
        }
    }

    @Test func `one address gets only so many unfinished handshakes, and then is closed at once`()
        async throws
    {
        var settings = HTTPServerSettings()
        settings.handshakeLimits.unfinished = 3
        try await withServer(settings.secured(), handler: TLSConnections.counting) { server in
            let waiting = (0..<3).map { _ in TestClient(port: server.port) }
            for client in waiting { client.send([0x16]) }
            #expect(TestClient(port: server.port).receive().isEmpty)
            #expect(throws: TLSClient.Refused.self) { _ = try TLSClient(port: server.port) }
            waiting[0].close()
            var served: TLSClient?
            #expect(
                becomes {
                    served = try? TLSClient(port: server.port)
                    return served != nil
                })
            let client = try #require(served)
            client.send(TLSConnections.ask)
            #expect(client.answer()?.status == 200)
        }
    }

    @Test func `one address may start only so many handshakes within a period`()
        async throws
    {
        var settings = HTTPServerSettings()
        settings.handshakeLimits.burst = 5
        settings.handshakeLimits.perSecond = 1
        try await withServer(settings.secured(), handler: TLSConnections.counting) { server, time in
            for _ in 0..<5 { _ = try TLSClient(port: server.port) }
            #expect(throws: TLSClient.Refused.self) { _ = try TLSClient(port: server.port) }
            time.advance(milliseconds: 1000)
            _ = try TLSClient(port: server.port)
            #expect(throws: TLSClient.Refused.self) { _ = try TLSClient(port: server.port) }
        }
    }

    @Test func `a proxy that speaks for everyone is not counted`() async throws {
        var settings = HTTPServerSettings()
        settings.handshakeLimits.burst = 1
        settings.handshakeLimits.perSecond = 1
        settings.handshakeLimits.exempt = try [#require(AddressRange("127.0.0.0/8"))]
        try await withServer(settings.secured(), handler: TLSConnections.counting) { server in
            for _ in 0..<5 { _ = try TLSClient(port: server.port) }
        }
    }
}
