import AloneKit
import EventLoop
import Glibc
import HTTPServer
import NotifyKit
import Synchronization
import TestKit
import Testing
import WaitKit

@testable import ServerKit

/// The executable under a service manager, played by the test: it holds the socket, receives each report, and starts
/// the service again and again.
@Suite struct SocketActivation {
    @Test(.alone) func `a restart refuses no connection and fails no request`() async throws {
        try await withSchool { school in
            let socket = try ListeningSocket.bind(address: "127.0.0.1", port: 0)
            defer { close(socket) }
            let listener = NotifyListener(isAbstract: true)
            let clients = Clients(port: ListeningSocket.port(of: socket), count: 4)
            var service = try ActivatedService(school.homeroom, socket, listener)
            // They connect before anything listens.
            clients.start()
            for _ in 0..<3 {
                await service.waitUntilReady()
                await clients.wait(forAnswers: 50)
                await service.stop()
                service = try ActivatedService(school.homeroom, socket, listener)
            }
            await service.waitUntilReady()
            await clients.wait(forAnswers: 50)
            let failures = await clients.stop()
            await service.stop()
            #expect(failures == [])
        }
    }

    @Test(.alone) func `the service reports that it is ready, alive, and stopping`() async throws {
        try await withSchool { school in
            let socket = try ListeningSocket.bind(address: "127.0.0.1", port: 0)
            defer { close(socket) }
            let client = LiveClient(port: ListeningSocket.port(of: socket))
            let listener = NotifyListener(isAbstract: false)
            let service = try ActivatedService(
                school.homeroom, socket, listener, watchdogMicroseconds: 1_000_000)
            await service.waitUntilReady()
            #expect(client.get("/readyz")?.status == 200)
            #expect(listener.next() == "WATCHDOG=1")
            #expect(listener.next() == "WATCHDOG=1")
            service.terminate()
            var word = listener.next()
            while word == "WATCHDOG=1" { word = listener.next() }
            #expect(word?.hasPrefix("STOPPING=1\n") == true)
            #expect(await service.status() == 0)
            #expect(service.messages.filter { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") }.count >= 1)
        }
    }

    @Test func `a socket that does not listen is refused`() async throws {
        try await withSchool { school in
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(socket) }
            let service = try ActivatedService(
                school.homeroom, socket, NotifyListener(isAbstract: true))
            #expect(await service.status() == 1)
        }
    }
}

/// Clients that ask without a pause, each request on a connection of its own.
private final class Clients: Sendable {
    private let client: LiveClient
    private let count: Int
    private let answers = Atomic(0)
    private let isStopping = Atomic(false)
    private let failures = Mutex<[String]>([])
    private let ended = Semaphore()

    init(port: UInt16, count: Int) {
        client = LiveClient(port: port)
        self.count = count
    }

    func start() {
        for _ in 0..<count {
            startThread { [self] in
                while !isStopping.load(ordering: .relaxed) { ask() }
                ended.signal()
            }
        }
    }

    private func ask() {
        let answer = client.get("/healthz")
        answers.wrappingAdd(1, ordering: .relaxed)
        guard answer?.status != 200 || answer?.body != "{\"status\":\"ok\"}" else { return }
        failures.withLock { $0.append(answer.map { "\($0.status) \($0.body)" } ?? "no answer") }
    }

    /// Waits until that many more have happened.
    func wait(forAnswers more: Int) async {
        let enough = answers.load(ordering: .relaxed) + more
        await aside { [self] in
            #expect(becomes { answers.load(ordering: .relaxed) >= enough })
        }
    }

    /// Everything that went wrong.
    func stop() async -> [String] {
        isStopping.store(true, ordering: .relaxed)
        await aside { [self] in for _ in 0..<count { ended.wait() } }
        return failures.withLock { $0 }
    }
}
