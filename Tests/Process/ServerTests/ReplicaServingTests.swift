import AloneKit
import EventLoop
import FaultyWire
import HTTPServer
import Server
import Synchronization
import TestKit
import Testing
import WaitKit
import WireKit

@testable import ServerKit

/// A server with `HOMEROOM_REPLICA_URL`.
@Suite struct ReplicaServing {
    private let reads = "homeroom_replica_reads_total"

    @Test(.alone) func `lists are read there, and no one notices when it is gone`() async throws {
        let databases = try TestDatabase.replicated()
        try await withSchool(in: databases) { school in
            let proxy = try Proxy(to: try #require(databases.replicaSocketFolder))
            defer { proxy.stop() }
            let serving = try await Serving(
                database: school.ownerURL + " user=school_server",
                replica: school.ownerURL + " user=school_server host='\(proxy.host)'",
                listener: try ListeningSocket.bind(address: "127.0.0.1", port: 0),
                metrics: try ListeningSocket.bind(address: "127.0.0.1", port: 0), loops: 1,
                passwordCost: .ofTests, log: nil)
            try await serving.start()
            let metrics = LiveClient(port: try #require(serving.metricsPort))
            func outcome(_ name: String) throws -> Double {
                let answer = try #require(metrics.get("/metrics"))
                return try MetricsPage(parsing: answer.body).value(reads, ["outcome": name])
            }
            let readers = Readers(port: serving.port, token: school.token(.ada))
            let result: Result<Void, any Error>
            do {
                try await eventually { try outcome("answered") > 20 }
                proxy.cut()
                let before = try outcome("answered")
                try await eventually { try outcome("answered") > before + 20 }
                proxy.hold()
                try await eventually { try outcome("away") > 20 }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            let statuses = await readers.finish()
            await serving.shutdown()
            try result.get()
            #expect(statuses == [200])
        }
    }

    @Test func `the private PostgreSQL has no replica`() throws {
        let error = #expect(throws: Settings.Unreadable.self) {
            try Settings(environment: ["HOMEROOM_REPLICA_URL": "host=replica"])
        }
        #expect(error?.description.contains("needs HOMEROOM_DATABASE_URL") == true)
        let both = try Settings(environment: [
            "HOMEROOM_REPLICA_URL": "host=replica", "HOMEROOM_DATABASE_URL": "host=primary",
        ])
        #expect(both.replicaURL == "host=replica")
    }
}

/// Asks for a list again and again, and notes with which statuses it was answered.
private final class Readers: Sendable {
    private let statuses = Mutex<Set<Int>>([])
    private let isOver = Atomic(false)
    private let running = Atomic(2)

    init(port: UInt16, token: String) {
        for _ in 0..<2 {
            startThread { [self] in
                while !isOver.load(ordering: .relaxed) {
                    let answer = try? ask(port: port, "GET", "/v1/courses", token: token)
                    _ = statuses.withLock { $0.insert(answer?.status ?? 0) }
                }
                running.wrappingSubtract(1, ordering: .relaxed)
            }
        }
    }

    /// Stops asking; returns all statuses.
    func finish() async -> Set<Int> {
        isOver.store(true, ordering: .relaxed)
        try? await eventually { running.load(ordering: .relaxed) == 0 }
        return statuses.withLock { $0 }
    }
}
