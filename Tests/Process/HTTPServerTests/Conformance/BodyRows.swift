import WireKit

/// RFC 9112 section 6: where a body ends.
enum BodyRows {
    static let rows: [Row] = lengths + codings + ends + refusedLengths.map(refused)

    private static func post(_ fields: String, _ body: String) -> WireText {
        """
        POST /a HTTP/1.1␍␊
        Host: school.example␍␊
        \(fields)␍␊
        ␍␊
        \(body)
        """
    }

    private static let lengths: [Row] = [
        Row(
            "9112 §6.2", "Content-Length says how many bytes follow",
            post("Content-Length: 5", "hello"), [Expected(200, "POST /a =hello")]),
        Row(
            "9112 §6.2", "and they may look like a request",
            post("Content-Length: 22", "GET /b HTTP/1.1␍␊Host:"),
            [Expected(200, "POST /a =GET /b HTTP/1.1\r\nHost:")]),
        Row(
            "9112 §6.2", "zero is a length", post("Content-Length: 0", ""),
            [Expected(200, "POST /a")]),
        Row(
            "9110 §8.6", "leading zeros are digits, too", post("Content-Length: 0005", "hello"),
            [Expected(200, "POST /a =hello")]),
        Row(
            "9112 §6.3",
            "without a length and a coding there is no body; we do not demand a length (411)",
            post("Note: here", ""), [Expected(200, "POST /a note:here")]),
        Row(
            "9110 §9.3.1", "a GET may have a body, whatever it means",
            """
            GET /a HTTP/1.1␍␊
            Host: school.example␍␊
            Content-Length: 5␍␊
            ␍␊
            hello
            """, [Expected(200, "GET /a =hello")]),
        Row(
            "9112 §6.3", "a body beyond the server's limit is refused by its length",
            post("Content-Length: 1001", ""), [Expected(413, "body_too_large")], .closed),
        Row(
            "9110 §8.6", "a length beyond every integer does not overflow", refused: 413,
            post("Content-Length: 99999999999999999999999", "")),
    ]

    private static let refusedLengths = [
        ("two that differ", "Content-Length: 5␍␊Content-Length: 6"),
        (
            "two that agree may be taken for one; we refuse them",
            "Content-Length: 5␍␊Content-Length: 5"
        ),
        ("so may a list of equal ones", "Content-Length: 5, 5"),
        ("a sign", "Content-Length: +5"),
        ("a negative one", "Content-Length: -5"),
        ("another base", "Content-Length: 0x5"),
        ("a fraction", "Content-Length: 5.0"),
        ("a blank inside", "Content-Length: 5 5"),
        ("an empty one", "Content-Length:"),
    ]

    private static func refused(_ sentence: String, _ field: String) -> Row {
        Row("9112 §6.3", "Content-Length: " + sentence, refused: 400, post(field, "hello"))
    }

    private static let codings: [Row] = [
        Row(
            "9112 §6.1", "length and coding together are an attack", refused: 400,
            post("Content-Length: 5␍␊Transfer-Encoding: chunked", "0␍␊␍␊")),
        Row(
            "9112 §6.1", "in either order", refused: 400,
            post("Transfer-Encoding: chunked␍␊Content-Length: 5", "0␍␊␍␊")),
        Row(
            "9112 §6.1", "a coding in HTTP/1.0 is an error", refused: 400,
            """
            POST /a HTTP/1.0␍␊
            Transfer-Encoding: chunked␍␊
            ␍␊
            0␍␊
            ␍␊
            """),
        Row(
            "9112 §7", "the name of a coding may be in any case",
            post("Transfer-Encoding: CHUNKED", "5␍␊hello␍␊0␍␊␍␊"), [Expected(200, "POST /a =hello")]
        ),
        Row(
            "9112 §6.1", "an unknown coding", refused: 501,
            post("Transfer-Encoding: gzip, chunked", "0␍␊␍␊")),
        Row(
            "9112 §6.1", "even in a field of its own", refused: 501,
            post("Transfer-Encoding: gzip␍␊Transfer-Encoding: chunked", "0␍␊␍␊")),
        Row(
            "9112 §6.3", "chunked is not the last coding", refused: 400,
            post("Transfer-Encoding: chunked, gzip", "0␍␊␍␊")),
        Row(
            "9112 §6.1", "chunked applied twice", refused: 400,
            post("Transfer-Encoding: chunked, chunked", "0␍␊␍␊")),
        Row(
            "9112 §6.1", "even in two fields", refused: 400,
            post("Transfer-Encoding: chunked␍␊Transfer-Encoding: chunked", "0␍␊␍␊")),
        Row(
            "9112 §7.1", "chunked has no parameters", refused: 501,
            post("Transfer-Encoding: chunked;q=1", "0␍␊␍␊")),
        Row(
            "9112 §7", "identity is no longer a coding", refused: 501,
            post("Transfer-Encoding: identity", "hello")),
        Row(
            "9112 §6.1", "a coding that only resembles chunked", refused: 501,
            post("Transfer-Encoding: xchunked", "0␍␊␍␊")),
        Row(
            "9112 §6.1", "or hides behind a control", refused: 400,
            post("Transfer-Encoding: ␋chunked", "0␍␊␍␊")),
    ]

    private static let ends: [Row] = [
        Row(
            "9112 §8", "a body that ends before its length is incomplete",
            post("Content-Length: 50", "hello⊣"), [Expected(400, "body_incomplete")], .closed),
        Row(
            "9112 §8", "so is one without its last chunk",
            post("Transfer-Encoding: chunked", "5␍␊hello␍␊⊣"),
            [Expected(400, "body_incomplete")], .closed),
        Row(
            "9112 §9.3", "a small unread body is read and discarded",
            """
            POST /refusing HTTP/1.1␍␊
            Host: school.example␍␊
            Content-Length: 5␍␊
            ␍␊
            hello
            """, [Expected(403, "no")]),
        Row(
            "9112 §9.6", "a large one ends the connection",
            """
            POST /refusing HTTP/1.1␍␊
            Host: school.example␍␊
            Content-Length: 500000␍␊
            ␍␊
            \(times(100_000, "hello"))
            """, [Expected(403, "no")], .closed),
    ]
}
