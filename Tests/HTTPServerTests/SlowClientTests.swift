import AloneKit
import EventLoop
import Glibc
import HTTPWire
import Synchronization
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
        try await withServer(settings, loops: 1, handler: Self.endless) { server in
            let drippers = Drippers(count: 200, at: stage, port: server.port)
            let others = Others(port: server.port)
            #expect(drippers.areCutOff(withinSeconds: 30))
            // They are served meanwhile, not after.
            #expect(others.stop() > 2)
        }
    }

    @Test(.alone) func `a client that reads little at a time, but steadily, gets everything`()
        async throws
    {
        let size = 6 << 20
        var settings = impatient
        settings.writeStallMilliseconds = 700
        settings.sendGraceMilliseconds = 1500
        settings.minimumSendBytesPerSecond = 131_072
        try await withServer(settings) { _ in
            HTTPResponse(
                status: 200,
                body: .stream(length: size) { writer in
                    for _ in 0..<(size / 65_536) {
                        try await writer.write([UInt8](repeating: 1, count: 65_536))
                    }
                })
        } _: { server in
            let client = try #require(
                TestClient(ifListening: server.port, receiveBuffer: 65_536))
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            var received = 0
            while received < size, case let piece = client.receive(atMost: 65_536), !piece.isEmpty {
                received += piece.count
                usleep(30_000)
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

    /// Drips until the server has closed all connections.
    func areCutOff(withinSeconds seconds: Int) -> Bool {
        for _ in 0..<(seconds * 50) where !clients.isEmpty {
            clients.removeAll { !drips($0) }
            usleep(20_000)
        }
        return clients.isEmpty
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

/// A well-behaved client, over and over.
private final class Others: Sendable {
    private let isStopped = Atomic(false)
    private let answers = Atomic(0)
    private let done = Semaphore()

    init(port: UInt16) {
        startThread { [self] in
            while !isStopped.load(ordering: .acquiring) {
                let client = TestClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(client.answer()?.body == "served")
                answers.add(1, ordering: .relaxed)
                usleep(10_000)
            }
            done.signal()
        }
    }

    /// How many requests were answered.
    func stop() -> Int {
        let count = answers.load(ordering: .relaxed)
        isStopped.store(true, ordering: .releasing)
        done.wait()
        return count
    }
}
