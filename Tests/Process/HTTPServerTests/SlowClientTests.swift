import AloneKit
import HTTPWire
import Testing

@testable import HTTPServer

/// Clients that are slow on purpose are cut off, those that cannot do better are not, and neither slows others down.
@Suite struct SlowClients {
    /// Where a client drips.
    enum Stage: String, CaseIterable, Sendable {
        case head, body, answer
    }

    private static let endless: HTTPServer.Handler = { request in
        switch request.segments.first {
        case "upload":
            request.body.limits = BodyLimits(deadlineSeconds: 1)
            let count = try? await request.body.collect(upTo: 1000).count
            return .text("\(count ?? 0)", status: count == nil ? 408 : 200)
        case "download":
            return HTTPResponse(
                status: 200,
                body: .stream(length: nil) { writer in
                    while true { try await writer.write([UInt8](repeating: 1, count: 65_536)) }
                })
        default: return .text("served")
        }
    }

    /// One after another: above some 1,300 open descriptors Foundation's `Process` reads beyond the end of a buffer and
    /// may crash all tests (swift-corelibs-foundation, pull request 5472).
    @Test(.alone, .serialized, arguments: Stage.allCases)
    func `two hundred dripping clients are cut off while others are served`(stage: Stage)
        async throws
    {
        var settings = impatient
        settings.headMilliseconds = 1000
        settings.sendGraceMilliseconds = 1000
        settings.minimumSendBytesPerSecond = 1_048_576
        settings.writeStallMilliseconds = 60_000
        try await withServer(settings, handler: Self.endless) { server, time in
            let drippers = Drippers(count: 200, at: stage, port: server.port)
            var rounds = 0
            while drippers.drip(), rounds < 300 {
                let client = TestClient(port: server.port)
                client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(client.answer()?.body == "served", "served meanwhile, not after")
                time.advance(milliseconds: 20)
                rounds += 1
            }
            // A second, and a few rounds more until the clients notice.
            #expect((50..<300).contains(rounds))
        }
    }

    @Test(.alone) func `a client that reads little at a time, but steadily, gets everything`()
        async throws
    {
        let size = 6 << 20
        var settings = impatient
        settings.writeStallMilliseconds = 1500
        settings.sendGraceMilliseconds = 1500
        settings.minimumSendBytesPerSecond = 131_072
        try await withServer(
            settings,
            handler: { _ in
                HTTPResponse(
                    status: 200,
                    body: .stream(length: size) { writer in
                        for _ in 0..<(size / 65_536) {
                            try await writer.write([UInt8](repeating: 1, count: 65_536))
                        }
                    })
            }
        ) { server, time in
            let client = try #require(
                TestClient(ifListening: server.port, receiveBuffer: 65_536))
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            var received = 0
            // Twice as long as the grace, at 2 MB a second. The kernel lets the server go on once a third of its buffer
            // is free, which may be a megabyte.
            while received < size, case let piece = client.receive(atMost: 65_536), !piece.isEmpty {
                received += piece.count
                time.advance(milliseconds: piece.count / 2000)
            }
            #expect(received > size)
        }
    }

    @Test func `waiting uses up patience and reading earns it back, but it never accumulates`() {
        let rules = SendPatience.Rules(
            stallMilliseconds: 10_000, graceMilliseconds: 30_000, bytesPerSecond: 1024)
        let second: Int64 = 1_000_000_000
        var patience = SendPatience(rules)
        #expect(patience.deadline == .max)
        patience.begin(rules, now: 0)
        #expect(patience.deadline == 10 * second)
        // A byte every nine seconds: the average decides.
        patience.took(1, rules, now: 9 * second)
        #expect(patience.deadline == 19 * second)
        patience.took(1, rules, now: 18 * second)
        patience.took(1, rules, now: 27 * second)
        #expect(patience.deadline < 31 * second)
        // As much as it must, for hours.
        var steady = SendPatience(rules)
        steady.begin(rules, now: 0)
        for turn in 1...10_000 {
            steady.took(1024, rules, now: Int64(turn) * second)
            #expect(steady.deadline == Int64(turn + 10) * second)
        }
        // However much it took, it may not stop.
        steady.took(.max, rules, now: 10_001 * second)
        #expect(steady.deadline == 10_011 * second)
        steady.end()
        #expect(steady.deadline == .max)
    }
}

/// Clients that send or take a byte now and then.
private final class Drippers {
    private var clients: [TestClient] = []
    private let stage: SlowClients.Stage

    init(count: Int, at stage: SlowClients.Stage, port: UInt16) {
        self.stage = stage
        clients = (0..<count).compactMap { _ in
            TestClient(ifListening: port, receiveBuffer: 4096)
        }
        for client in clients {
            switch stage {
            case .head: client.send("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
            case .body:
                client.send("PUT /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n")
            case .answer: client.send("GET /download HTTP/1.1\r\nHost: x\r\n\r\n")
            }
        }
    }

    /// Drips once; returns `false` when the server has closed all connections.
    func drip() -> Bool {
        clients.removeAll { !drips($0) }
        return !clients.isEmpty
    }

    /// One more byte; returns `false` if the server is done with this client.
    private func drips(_ client: TestClient) -> Bool {
        if stage == .answer {
            return client.receiveWhatIsThere(atMost: 1) != nil && !client.isReset
        }
        // An answer arrives before the end.
        return client.send("x") && client.receiveWhatIsThere(atMost: 1000) == 0
    }
}
