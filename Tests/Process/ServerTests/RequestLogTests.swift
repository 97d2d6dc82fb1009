import Foundation
import Glibc
import HTTPServer
import Log
import Postgres
import Synchronization
import TestKit
import Testing
import WaitKit
import WireKit

@testable import Server
@testable import ServerKit

/// The lines that requests leave in the log.
@Suite struct RequestLog {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "b7ad6b7169203331"

    /// Keeps what a log writes.
    private final class Lines: Sendable {
        private let kept = Mutex<[String]>([])

        func add(_ line: [UInt8]) {
            kept.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }

        /// The lines about the route, once there are that many.
        func about(_ route: String, count: Int) async throws -> [String] {
            try await awaited(until: { $0.count >= count }) {
                all.filter { $0.contains("route=\(route) ") }
            }
        }

        var all: [String] { kept.withLock { $0 } }
    }

    @Test func `a trace is taken over into the line, and nothing that a client makes up`()
        async throws
    {
        let lines = Lines()
        try await withObservedSchool(log: Log(sink: lines.add)) { _, service, _ in
            let valid = "00-\(Self.trace)-\(Self.parent)-01"
            for value in [valid, "00-\(Self.trace)-\(Self.parent)-zz", "evil=1 \"level=error"] {
                #expect(service.get("/v1/me", fields: [("traceparent", value)])?.status == 401)
            }
            let found = try await lines.about("/v1/me", count: 3)
            try #require(found.count == 3)
            let traced = found.filter { $0.contains("trace") }
            #expect(traced.count == 1)
            #expect(
                traced.first?.hasSuffix(" trace_id=\(Self.trace) parent_id=\(Self.parent)\n")
                    == true)
            #expect(!found.contains { $0.contains("evil") })
        }
    }

    @Test func `a failed request's cause names the trace too`() async throws {
        let lines = Lines()
        try await withObservedSchool(log: Log(sink: lines.add)) { school, service, _ in
            try school.sql("drop function school.checks() cascade")
            let answer = service.get(
                "/v1/checks", token: school.token(.ada),
                fields: [("traceparent", "00-\(Self.trace)-\(Self.parent)-01")])
            #expect(answer?.status == 500)
            let cause = lines.all.first { $0.contains("request failed") }
            #expect(cause?.contains(" trace_id=\(Self.trace) ") == true, "\(lines.all)")
        }
    }

    @Test func `questions about health are lines of the level debug, unless it is bad`()
        async throws
    {
        let lines = Lines()
        let log = Log(minimum: .debug, sink: lines.add)
        try await withObservedSchool(log: log) { _, service, _ in
            #expect(service.get("/healthz")?.status == 200)
            #expect(service.get("/readyz")?.status == 200)
            for route in ["/healthz", "/readyz"] {
                let found = try await lines.about(route, count: 1)
                #expect(found.count == 1)
                #expect(found.first?.contains("Z debug request ") == true)
            }
        }
        let bad = Lines()
        let newer = SchemaVersion(digest: [1], migrations: ["migrations/9999_later.sql"])
        try await withObservedSchool(schema: newer, log: Log(sink: bad.add)) { _, service, _ in
            #expect(service.get("/readyz")?.status == 503)
            let line = try await bad.about("/readyz", count: 1).first
            #expect(line?.contains("Z info request ") == true)
        }
    }

    @Test func `the setting turns every line down`() async throws {
        let settings = try Settings(environment: ["HOMEROOM_LOG_LEVEL": "warning"])
        #expect(settings.commandLog.minimum == .warning)
        #expect(try Settings(environment: [:]).commandLog.minimum == .info)
        #expect(throws: Settings.Unreadable.self) {
            try Settings(environment: ["HOMEROOM_LOG_LEVEL": "notice"])
        }
        try await withSchool { school in
            for (level, count) in [("warning", 0), ("info", 3)] {
                let socket = try ListeningSocket.bind(address: "127.0.0.1", port: 0)
                let port = ListeningSocket.port(of: socket)
                close(socket)
                let process = school.homeroom.process([
                    "serve", "--listen", "127.0.0.1:\(port)", "--log-level", level, "--loops", "1",
                ])
                let run = Task { try await Homeroom.finish(process) }
                try? await eventually { LiveClient(port: port).get("/v1/me")?.status == 401 }
                process.terminate()
                let complaints = try await run.value.complaints
                #expect(complaints.split(separator: "\n").count >= count)
                #expect(complaints.isEmpty == (count == 0), "\(complaints)")
            }
        }
    }
}
