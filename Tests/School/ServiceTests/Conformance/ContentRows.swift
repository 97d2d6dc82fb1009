import TestKit
import WireKit

@testable import ServerKit

/// RFC 9110 section 8: what a body is, and what answers look like.
enum ContentRows {
    static let rows: [Row] = types + sizes + answers

    private static let annex = #"{"name":"Annexes"}"#

    private static func post(_ fields: String...) -> WireText {
        let lines = fields.map { "␍␊\n" + $0 }.joined()
        return asking("POST /v1/locations", "Accept: application/json\(lines)", body: annex)
    }

    private static let types: [Row] = [
        Row(
            "9110 §8.3", "the media type of the call", post("Content-Type: application/json"),
            [Expected(201)]),
        Row(
            "9110 §8.3.1", "in any case, with any parameter",
            post("Content-Type: Application/JSON; charset=utf-8"), [Expected(201)]),
        Row("9110 §8.3", "a missing one is accepted", post(), [Expected(201)]),
        Row(
            "9110 §15.5.16", "another is refused, and the answer names the accepted one",
            post("Content-Type: text/plain"),
            [
                Expected(
                    415, part: #""code":"unsupported_media_type""#,
                    fields: ["Accept: application/json"])
            ]),
        Row(
            "9110 §8.4", "a content coding is refused, and the answer says that none is accepted",
            post("Content-Encoding: gzip"),
            [
                Expected(
                    415, part: #""code":"unsupported_content_coding""#,
                    fields: ["Accept-Encoding: identity"])
            ]),
        Row(
            "9110 §12.5.3", "identity is not a coding", post("Content-Encoding: identity"),
            [Expected(201)]),
        Row(
            "9110 §15.5.1", "a required body that is missing",
            asking("POST /v1/locations", "Content-Type: application/json"),
            [Expected(400, part: #""code":"missing_body""#)]),
        Row(
            "9110 §15.5.21", "a well-formed one that cannot be processed",
            asking("POST /v1/locations", body: "[]"), [Expected(422, part: #""pointer":"""#)]),
        Row(
            "9110 §15.3.2", "a created resource has a location and a tag", post(),
            [Expected(201, fields: [#"ETag: "1""#, "Cache-Control: private, no-cache"])]),
    ]

    private static let sizes: [Row] = [
        Row(
            "9110 §15.5.14", "too large a body, refused by its length alone",
            asking("POST /v1/locations", "Content-Length: 1048577"), [Expected(413)], .closed),
        Row(
            "9110 §10.1.1", "before the client has sent any of it",
            asking("POST /v1/locations", "Content-Length: 1048577", "Expect: 100-continue"),
            [Expected(413)], .closed),
        Row(
            "9110 §10.1.1", "a stranger is refused instead of told to continue",
            asking("POST /v1/locations", as: nil, "Content-Length: 18", "Expect: 100-continue"),
            [Expected(401)], .closed),
        Row(
            "9110 §10.1.1", "so is a caller without permission",
            asking("POST /v1/locations", as: .sam, "Content-Length: 18", "Expect: 100-continue"),
            [Expected(403)], .closed),
        Row(
            "9110 §10.1.1", "a caller with permission goes on",
            WireText(
                asking("POST /v1/locations", "Content-Length: 18", "Expect: 100-continue").text
                    + "⇠" + annex),
            [Expected(100), Expected(201)]),
        Row(
            "9112 §6.3", "a chunked body is like any other",
            WireText(
                asking("POST /v1/locations", "Transfer-Encoding: chunked").text
                    + "12␍␊\(annex)␍␊0␍␊␍␊"), [Expected(201)]),
    ]

    private static let answers: [Row] = [
        Row(
            "9111 §5.2.2.5", "personal data is not stored", asking("GET /v1/people"),
            [Expected(200, fields: ["Cache-Control: no-store", "X-Content-Type-Options: nosniff"])]),
        Row(
            "9110 §15.5.5", "a missing resource is a problem document", asking("GET /v1/nowhere"),
            [
                Expected(
                    404, part: #""code":"unknown_call""#,
                    fields: ["Content-Type: application/problem+json", "Cache-Control: no-store"])
            ]),
        Row(
            "9110 §15.5.1", "an unknown parameter",
            asking("GET /v1/people?colour=red"),
            [Expected(400, part: #""code":"invalid_parameter""#)]),
        Row(
            "8288 §3", "a list says where it continues", asking("GET /v1/people?limit=1000"),
            [Expected(200, absent: ["Link"])]),
        Row(
            "9110 §8.6", "an answer to HTTP/1.0 ends with its connection",
            "GET /healthz HTTP/1.0␍␊␍␊",
            [
                Expected(
                    200, #"{"status":"ok"}"#, fields: ["Content-Length: 15"],
                    absent: ["Transfer-Encoding"])
            ], .closed),
    ]

    /// From a database that is not migrated.
    static let unready: [Row] = [
        Row(
            "9110 §10.2.3", "a temporary refusal says when to ask again", asking("GET /readyz"),
            [Expected(503, part: #""code":"not_migrated""#, fields: ["Retry-After: 5"])])
    ]
}
