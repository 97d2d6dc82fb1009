import HTTPServer
import HTTPWire
import Testing
import WireKit

/// RFC 9110 and RFC 9112 as conversations with the engine, to be read alongside them.
///
/// `WireText` says how the bytes are written. The server answers with what it understood: the method, each decoded
/// segment of the path after ` /`, each item of the query after ` ?`, the body after ` =`. Where the engine is stricter
/// than the RFC requires, the sentence says so with "we".
@Suite struct Conformance {
    @Test(arguments: MessageRows.rows)
    func `how a message is written`(row: Row) async throws {
        try await hold(row)
    }

    @Test(arguments: FieldRows.rows)
    func `how a field is written`(row: Row) async throws {
        try await hold(row)
    }

    @Test(arguments: TargetRows.rows)
    func `what a request is about`(row: Row) async throws {
        try await hold(row)
    }

    @Test(arguments: BodyRows.rows + ChunkRows.rows)
    func `where a body ends`(row: Row) async throws {
        try await hold(row)
    }

    @Test(arguments: ConnectionRows.rows)
    func `what becomes of a connection`(row: Row) async throws {
        try await hold(row)
    }

    @Test(arguments: SemanticsRows.rows)
    func `what the semantics require of the engine`(row: Row) async throws {
        try await hold(row)
    }

    @Test(arguments: SmugglingRows.rows)
    func `nothing is smuggled`(row: Row) async throws {
        try await hold(row)
    }

    @Test(arguments: [
        Row("", "another status", Self.probe, [Expected(404)]),
        Row("", "another body", Self.probe, [Expected(200, "GET /other")]),
        Row("", "a part that is missing", Self.probe, [Expected(200, part: "other")]),
        Row("", "a field that is missing", Self.probe, [Expected(200, fields: ["Vary: Accept"])]),
        Row("", "a field that is there", Self.probe, [Expected(200, absent: ["date"])]),
        Row("", "a connection that persists", Self.probe, [Expected(200)], .closed),
        Row("", "a connection that ends", "nonsense␍␊", [Expected(400)], .kept),
        Row(
            "", "one answer too many", WireText(Self.probe.text + Self.probe.text + "⊣"),
            [Expected(200)], .finished),
    ])
    func `a wrong row is detected`(row: Row) async throws {
        try await withServer(loops: 1, handler: Self.handler) { server in
            let findings = row.findings(port: server.port, probe: Self.probe)
            #expect(!findings.isEmpty)
        }
    }

    private func hold(_ row: Row) async throws {
        try await withServer(loops: 1, handler: Self.handler) { server in
            for finding in row.findings(port: server.port, probe: Self.probe) {
                Issue.record("\(finding)")
            }
        }
    }

    private static let probe: WireText = "GET /probe HTTP/1.1␍␊Host: school.example␍␊␍␊"

    private static let handler: HTTPServer.Handler = { request in
        switch request.segments.first {
        case "refusing": .text("no", status: 403)
        case "nothing": HTTPResponse(status: 204)
        case "unchanged": HTTPResponse(status: 304)
        case "stream":
            HTTPResponse(
                status: 200,
                body: .stream(length: nil) { writer in
                    for piece in ["to be ", "continued"] {
                        try await writer.write(Array(piece.utf8))
                    }
                })
        default: await understood(request)
        }
    }

    private static func understood(_ request: HTTPRequest) async -> HTTPResponse {
        do {
            let body = try await request.body.collect(upTo: 1000)
            var text = request.method.name
            for segment in request.segments { text += " /" + segment }
            for item in request.query.items { text += " ?\(item.name)=\(item.value)" }
            if !body.isEmpty { text += " =" + String(decoding: body, as: UTF8.self) }
            if let note = request.headers["note"] { text += " note:" + note }
            return .text(text)
        } catch {
            let refusal = error as? HTTPRefusal
            return .text(refusal?.code ?? "\(error)", status: refusal?.status ?? 500)
        }
    }
}

/// The text repeated so many times, for tests of limits.
func times(_ count: Int, _ text: String) -> String {
    String(repeating: text, count: count)
}
