import WireKit

/// The cases used to compare engines before this one was built, each with a second request behind it that must not be
/// answered: request smuggling (RFC 9112 section 11.2) and its relatives.
///
/// Deadlines and cancellation have suites of their own.
enum SmugglingRows {
    static let rows: [Row] =
        heads + [
            smuggling(
                "9112 §6.3", "two lengths, the first hiding a request", 400,
                "Content-Length: 6␍␊Content-Length: 5", "0␍␊␍␊G"),
            smuggling(
                "9112 §6.1", "length and coding, the coding hiding it", 400,
                "Content-Length: 6␍␊Transfer-Encoding: chunked", "0␍␊␍␊"),
            smuggling(
                "9112 §5.1", "a blank before the colon of a length", 400, "Content-Length : 5",
                "abcde"),
            smuggling("9112 §6.3", "a sign before a length", 400, "Content-Length: +5", "abcde"),
            smuggling(
                "9112 §7.1", "a prefix before a chunk's size", 400, "Transfer-Encoding: chunked",
                "0x5␍␊abcde␍␊0␍␊␍␊"),
            smuggling(
                "9112 §7.1.1", "an extension after a chunk's size", 400,
                "Transfer-Encoding: chunked", "5;a␍␊abcde␍␊0␍␊␍␊"),
            smuggling(
                "9112 §6.1", "an unknown coding and a length", 501,
                "Transfer-Encoding: xchunked␍␊Content-Length: 5", "abcde"),
            smuggling("9110 §5.5", "NUL in a field", 400, "Note: ␀", ""),
            smuggling("9112 §5.2", "a folded line", 400, "Note: a␍␊ b", ""),
            smuggling("9112 §2.2", "a bare LF in a field", 400, "Note: a␊b: c", ""),
            smuggling("9112 §2.2", "a bare CR in a field", 400, "Note: a␍b: c", ""),
            smuggling("9112 §3.2", "two Hosts", 400, "Host: other.example", ""),
            smuggling("6585 §5", "a head of 20 KB", 431, "Note: \(times(20_000, "a"))", ""),
            smuggling("6585 §5", "a head of 500 fields", 431, times(499, "A: b␍␊") + "A: b", ""),
            smuggling(
                "9112 §6.3", "a body beyond the server's limit", 413, "Content-Length: 5000", ""),
        ]

    private static let second = "GET /smuggled HTTP/1.1␍␊Host: school.example␍␊␍␊"

    private static func smuggling(
        _ section: String, _ sentence: String, _ status: Int, _ fields: String, _ body: String
    ) -> Row {
        Row(
            section, sentence, refused: status,
            """
            POST /a HTTP/1.1␍␊
            Host: school.example␍␊
            \(fields)␍␊
            ␍␊
            \(body)
            \(second)
            """)
    }

    private static let heads: [Row] = [
        Row("9112 §3.2", "no Host", refused: 400, "GET /a HTTP/1.1␍␊␍␊\(second)"),
        Row(
            "9112 §2.2", "lines that end with LF", refused: 400,
            "GET /a HTTP/1.1␊Host: a␊␊\(second)"),
        Row(
            "9112 §3", "a target of 20 KB", refused: 414,
            "GET /\(times(20_000, "a")) HTTP/1.1␍␊\(second)"),
        Row(
            "8446 §4.1.2", "the greeting of TLS on a plain port", refused: 400,
            "\u{16}\u{03}\u{01}\u{02}␀\u{01}␀\u{01}\u{03}\u{03}"),
    ]
}
