import WireKit

/// RFC 9110: what the semantics require of the engine itself.
enum SemanticsRows {
    static let rows: [Row] = expectations + bodiless

    private static func put(_ path: String, _ fields: String, _ rest: String) -> WireText {
        """
        PUT \(path) HTTP/1.1␍␊
        Host: school.example␍␊
        \(fields)␍␊
        ␍␊
        \(rest)
        """
    }

    private static let expectations: [Row] = [
        Row(
            "9110 §10.1.1", "a client that waits is told to continue, then answered",
            put("/a", "Content-Length: 5␍␊Expect: 100-continue", "⇠hello"),
            [Expected(100), Expected(200, "PUT /a =hello")]),
        Row(
            "9110 §10.1.1", "in upper or lower case",
            put("/a", "Content-Length: 5␍␊Expect: 100-Continue", "⇠hello"),
            [Expected(100), Expected(200, "PUT /a =hello")]),
        Row(
            "9110 §10.1.1", "even before chunks",
            put("/a", "Transfer-Encoding: chunked␍␊Expect: 100-continue", "⇠5␍␊hello␍␊0␍␊␍␊"),
            [Expected(100), Expected(200, "PUT /a =hello")]),
        Row(
            "9110 §10.1.1", "a client that did not wait need not be told",
            put("/a", "Content-Length: 5␍␊Expect: 100-continue", "hello"),
            [Expected(200, "PUT /a =hello")]),
        Row(
            "9110 §10.1.1", "a refusal comes at once, in its place",
            put("/refusing", "Content-Length: 5␍␊Expect: 100-continue", ""),
            [Expected(403, "no")], .closed),
        Row(
            "9110 §10.1.1", "even when the body would be too large",
            put("/a", "Content-Length: 5000␍␊Expect: 100-continue", ""),
            [Expected(413, "body_too_large")], .closed),
        Row(
            "9110 §10.1.1", "without a body there is nothing to wait for",
            put("/a", "Expect: 100-continue", ""), [Expected(200, "PUT /a")]),
        Row(
            "9110 §10.1.1", "expectations of HTTP/1.0 are ignored",
            """
            PUT /a HTTP/1.0␍␊
            Content-Length: 5␍␊
            Expect: 100-continue␍␊
            ␍␊
            ✂hello
            """, [Expected(200, "PUT /a =hello")], .closed),
        Row(
            "9110 §10.1.1", "another expectation cannot be met", refused: 417,
            put("/a", "Content-Length: 5␍␊Expect: a-miracle", "")),
    ]

    private static let bodiless: [Row] = [
        Row(
            "9110 §9.3.2", "HEAD is answered with the fields of GET and no body",
            """
            HEAD /hello HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """,
            [.head(200, fields: ["Content-Type: text/plain", "Content-Length: 11"])]),
        Row(
            "9110 §9.3.2", "even where GET is a stream",
            """
            HEAD /stream HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """, [.head(200, fields: ["Transfer-Encoding: chunked"])]),
        Row(
            "9110 §15.3.5", "204 has no body and no length",
            """
            GET /nothing HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """,
            [Expected(204, "", absent: ["Content-Length", "Transfer-Encoding", "Content-Type"])]),
        Row(
            "9110 §15.4.5", "304 has no body and no length of one",
            """
            GET /unchanged HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """, [Expected(304, "", absent: ["Content-Length", "Transfer-Encoding"])]),
        Row(
            "9457 §3", "the engine's own refusals are problem documents",
            "nonsense␍␊",
            [
                Expected(
                    400, part: #""code":"malformed_request""#,
                    fields: ["Content-Type: application/problem+json", "Cache-Control: no-store"])
            ], .closed),
    ]
}
