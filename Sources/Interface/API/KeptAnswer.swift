import HTTPServer
import HTTPWire
import Postgres

/// The answer of a call with an idempotency key, as it is stored for its repetition.
package struct KeptAnswer: Sendable {
    /// Longer bodies are not kept; a repetition then gets a problem that says so.
    private static let bodyBytesMax = 1_048_576

    package let status: Int
    package let headers: [ResponseField]
    /// `nil` if the body was too long, or streamed.
    package let body: [UInt8]?

    package init(_ response: Response) {
        status = response.status
        headers = response.headers
        switch response.body {
        case .none: body = []
        case .bytes(let bytes): body = bytes.count <= Self.bodyBytesMax ? bytes : nil
        case .stream: body = nil
        }
    }

    package init(_ row: Row) throws {
        status = try row.int("status")
        let texts = try row.textArray("headers")
        headers = stride(from: 0, to: texts.count - 1, by: 2).map {
            ResponseField(texts[$0], texts[$0 + 1])
        }
        body = try row.optionalBytes("body")
    }

    /// Names and values, alternating.
    package var headerTexts: [String] { headers.flatMap { [$0.name, $0.value] } }

    /// The same answer again, marked as a replay.
    package func replayed() throws -> Response {
        guard let body else {
            throw Problem(
                409, "answer_not_kept", "The call took effect; its answer was too long to be kept.",
                detail: "Read what it made instead of repeating it.",
                headers: headers.filter { $0.name == "Location" })
        }
        return Response(
            status, headers: headers + [ResponseField("Idempotency-Replayed", "true")],
            body: body.isEmpty ? .none : .bytes(body))
    }
}
