import AloneKit
import EventLoop
import Glibc
import HTTPServer
import HTTPWire
import Testing
import WaitKit

/// Bodies that are larger than any buffer, under TLS.
@Suite struct TLSStreams {
    /// Long enough for any piece, from any offset in its 251 bytes.
    static let pattern = (0..<70_000).map { UInt8($0 % 251) }

    @Test func `an upload arrives whole, one piece at a time`() async throws {
        let size = 64 << 20
        let largest = Notes()
        try await withServer(HTTPServerSettings().secured()) { request in
            request.body.limits.maximumBytes = size
            var count = 0
            var most = 0
            while let piece = try? await request.body.next() {
                let isWhole =
                    piece == Array(Self.pattern[count % 251..<(count % 251 + piece.count)])
                count += isWhole ? piece.count : 0
                most = max(most, piece.count)
            }
            largest.add("\(most <= 65_536)")
            return .text("\(count)")
        } _: { server in
            let client = try TLSClient(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n")
            var sent = 0
            while sent < size {
                let length = min(61_000, size - sent)
                guard client.send(Array(Self.pattern[sent % 251..<(sent % 251 + length)])) else {
                    break
                }
                sent += length
            }
            #expect(client.answer()?.body == "\(size)")
            #expect(largest.all == ["true"])
        }
    }

    @Test(.alone) func `a large answer waits for a slow client and arrives whole`() async throws {
        let size = 64 << 20
        let notes = Notes()
        try await withServer(HTTPServerSettings().secured()) { _ in
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
            let client = try TLSClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            var received = client.receive()
            for _ in 0..<10 {
                received += client.receive()
                usleep(10_000)
            }
            #expect(notes.all.isEmpty)
            let end = try #require(received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound)
            var count = 0
            var isWhole = true
            var piece = Array(received[end...])
            while !piece.isEmpty {
                let expected = [piece.count - 1, 0].map { UInt8((count + $0) / 65_536 % 251) }
                isWhole = isWhole && expected == [piece[piece.count - 1], piece[0]]
                count += piece.count
                piece = client.receive()
            }
            #expect(count == size)
            #expect(isWhole)
            #expect(client.hasHeardEnd)
            #expect(notes.wait(for: "written"))
        }
    }

    @Test(.alone) func `small writes to a client that does not read are retried unchanged`()
        async throws
    {
        let line = Array("a line of some bytes\n".utf8)
        let lines = 20_000
        try await withServer(HTTPServerSettings().secured()) { _ in
            HTTPResponse(
                status: 200,
                body: .stream(length: lines * line.count) { writer in
                    for _ in 0..<lines { try await writer.write(line) }
                })
        } _: { server in
            let client = try TLSClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            usleep(200_000)
            let all = client.receiveAll()
            #expect(all.hasSuffix(String(repeating: "a line of some bytes\n", count: lines)))
            #expect(client.hasHeardEnd)
        }
    }

    @Test func `a large whole answer arrives whole, again and again`() async throws {
        let size = 5 << 20
        try await withServer(HTTPServerSettings().secured()) { _ in
            HTTPResponse(status: 200, body: .bytes([UInt8](repeating: 65, count: size)))
        } _: { server in
            let client = try TLSClient(port: server.port)
            for _ in 0..<2 {
                client.send(TLSConnections.ask)
                #expect(client.answer()?.body.utf8.count == size)
            }
        }
    }

    @Test(.alone) func `a client that reads nothing is given up`() async throws {
        var settings = impatient
        let notes = Notes()
        settings.onComplete = { _, _, _, _ in notes.add("over") }
        try await withServer(
            settings.secured(),
            handler: { _ in
                notes.add("begun")
                return HTTPResponse(
                    status: 200, body: .bytes([UInt8](repeating: 65, count: 64 << 20)))
            }
        ) { server, time in
            let client = try TLSClient(port: server.port)
            client.send(TLSConnections.ask)
            #expect(notes.wait(for: "begun"))
            time.advance(milliseconds: 9900)
            #expect(notes.all == ["begun"])
            #expect(
                becomes {
                    time.advance(milliseconds: 1000)
                    return notes.all == ["begun", "over"]
                })
            _ = client.receiveAll()
            #expect(!client.hasHeardEnd)
        }
    }
}
