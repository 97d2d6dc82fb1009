import EventLoop
import HTTPServer
import Postgres
import School
import Server
import TestKit
import Testing
import WireKit

@testable import ServerKit

/// RFC 9110 as conversations with the whole service on a socket, to be read alongside it.
///
/// The rows of a table run one after another against one school; each sees the changes of the previous ones.
@Suite struct ResourceConformance {
    @Test func `preconditions of reads`() async throws {
        try await hold(PreconditionRows.reads)
    }

    @Test func `preconditions of writes`() async throws {
        try await hold(PreconditionRows.writes)
    }

    @Test func `methods`() async throws {
        try await hold(MethodRows.rows)
    }

    @Test func `contents and their negotiation`() async throws {
        try await hold(ContentRows.rows)
    }

    @Test func `credentials`() async throws {
        try await hold(CredentialRows.rows)
    }

    @Test func `ranges`() async throws {
        try await withService { school, port in
            let document = try await school.get("/openapi.json", as: nil)
            let tag = try #require(document.header("etag"))
            await hold(RangeRows.rows(document.text, tag: tag), port)
        }
    }

    @Test func `negotiation`() async throws {
        try await withService { school, port in
            let handout = try school.newHandout()
            let report = "/v1/handouts/\(handout.id.uuid)/report"
            await hold(NegotiationRows.rows(report: report), port)
        }
    }

    @Test func `what is refused for now`() async throws {
        try await withService { school, port in
            try school.sql("delete from school.applied_schema")
            await hold(ContentRows.unready, port)
        }
    }

    private func hold(_ rows: [WireKit.Row]) async throws {
        try await withService { _, port in await hold(rows, port) }
    }

    private func hold(_ rows: [WireKit.Row], _ port: UInt16) async {
        let probe: WireText = "GET /healthz HTTP/1.1␍␊Host: school.example␍␊␍␊"
        let findings = await withCheckedContinuation { continuation in
            startThread {
                continuation.resume(
                    returning: rows.flatMap { $0.findings(port: port, probe: probe) })
            }
        }
        for finding in findings { Issue.record("\(finding)") }
    }

    /// Serves a school on a port of this machine while the body runs.
    private func withService(
        _ body: (TestSchool, UInt16) async throws -> Void
    ) async throws {
        try await withSchool { school in
            let serving = try await Serving(
                database: school.ownerURL + " user=school_server",
                listener: try ListeningSocket.bind(address: "127.0.0.1", port: 0), loops: 1,
                passwordCost: .ofTests, log: nil)
            try await serving.start()
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(school, serving.port)) } catch {
                outcome = .failure(error)
            }
            await serving.shutdown()
            try outcome.get()
        }
    }
}

/// A request by the administrator, or by another persona.
func asking(
    _ line: String, as persona: Persona? = .ada, _ fields: String..., body: String = ""
) -> WireText {
    var lines = ["\(line) HTTP/1.1", "Host: school.example"] + fields
    if let persona { lines.append("Authorization: Bearer \(persona.token)") }
    if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
    return WireText(lines.map { $0 + "␍␊\n" }.joined() + "␍␊\n" + body)
}
