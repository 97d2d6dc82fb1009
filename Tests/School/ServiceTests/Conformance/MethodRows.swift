import WireKit

@testable import ServerKit

/// RFC 9110 section 9: methods.
enum MethodRows {
    static let rows: [Row] = heads + options + refusals

    private static let heads: [Row] = [
        Row(
            "9110 §9.3.2", "HEAD has the fields of GET and no body", asking("HEAD /healthz"),
            [.head(200, fields: ["Content-Type: application/json", "Content-Length: 15"])]),
        Row(
            "9110 §9.3.2", "GET has them with the body", asking("GET /healthz"),
            [
                Expected(
                    200, #"{"status":"ok"}"#,
                    fields: ["Content-Type: application/json", "Content-Length: 15"])
            ]),
        Row(
            "9110 §9.3.2", "HEAD of a missing resource", asking("HEAD /v1/nowhere"),
            [.head(404, fields: ["Content-Type: application/problem+json"])]),
        Row(
            "9110 §9.3.2", "HEAD without a GET", asking("HEAD /v1/sign-out"),
            [.head(405, fields: ["Allow: POST, OPTIONS"])]),
    ]

    private static let options: [Row] = [
        Row(
            "9110 §9.3.7", "OPTIONS says what a resource allows, to anyone",
            asking("OPTIONS /v1/people", as: nil),
            [Expected(204, "", fields: ["Allow: GET, POST, HEAD, OPTIONS"])]),
        Row(
            "9110 §9.3.7", "OPTIONS * says what the server allows", asking("OPTIONS *", as: nil),
            [Expected(204, "", fields: ["Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"])]),
        Row(
            "9112 §3.2.4", "so does the absolute form without a path",
            asking("OPTIONS http://school.example", as: nil),
            [Expected(204, "", fields: ["Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"])]),
        Row(
            "9110 §9.3.7", "OPTIONS of a missing resource", asking("OPTIONS /v1/nowhere"),
            [Expected(404)]),
        Row(
            "9112 §3.2.1", "the root is a resource, not the server", asking("OPTIONS /", as: nil),
            [Expected(204, "", fields: ["Allow: GET, HEAD, OPTIONS"])]),
    ]

    private static let refusals: [Row] = [
        Row(
            "9110 §15.5.6", "a disallowed method, with the allowed ones",
            asking("DELETE /v1/me"),
            [
                Expected(
                    405, part: #""code":"method_not_allowed""#,
                    fields: ["Allow: GET, HEAD, OPTIONS"])
            ]),
        Row(
            "9110 §15.6.2", "a method that nothing here implements", asking("BREW /v1/me"),
            [Expected(501, part: #""code":"method_not_implemented""#)]),
        Row("9110 §15.6.2", "wherever it is sent", asking("BREW /v1/nowhere"), [Expected(501)]),
        Row(
            "9110 §9.3.8", "TRACE would show others' credentials", asking("TRACE /v1/me"),
            [Expected(501)]),
        Row("9110 §9.1", "the case of a method matters", asking("get /v1/me"), [Expected(501)]),
        Row(
            "3986 §3.3", "an extra slash is another resource", asking("GET /v1/me/"),
            [Expected(404)]),
        Row("3986 §3.3", "even in the middle", asking("GET /v1//me"), [Expected(404)]),
        Row(
            "3986 §6.2.2.3", "dot segments are not resolved", asking("GET /v1/x/../me"),
            [Expected(404)]),
        Row(
            "3986 §2.2", "an encoded slash does not separate", asking("GET /v1%2Fme"),
            [Expected(404)]),
        Row(
            "3986 §6.2.2.2", "characters that need no encoding may be encoded",
            asking("GET /v1/%6De"),
            [Expected(200)]),
    ]
}
