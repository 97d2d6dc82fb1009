import WireKit

/// RFC 9112 section 5 and RFC 9110 section 5: fields, of which the server shows `Note`; and Host.
enum FieldRows {
    static let rows: [Row] = lines + limits + hosts.map(accepted) + badHosts.map(refused)

    private static func noting(_ lines: String) -> WireText {
        """
        GET / HTTP/1.1␍␊
        Host: school.example␍␊
        \(lines)␍␊
        ␍␊
        """
    }

    private static let lines: [Row] = [
        Row(
            "9110 §5.1", "the name matches in any case", noting("nOTE: here"),
            [Expected(200, "GET note:here")]),
        Row(
            "9112 §5.1", "white space around the value is not part of it",
            noting("Note: ␉ here and there ␉"), [Expected(200, "GET note:here and there")]),
        Row("9110 §5.5", "a value may be empty", noting("Note:"), [Expected(200, "GET note:")]),
        Row(
            "9110 §5.5", "bytes above 127 are opaque text", noting("Note: für Zoë"),
            [Expected(200, "GET note:für Zoë")]),
        Row(
            "9110 §5.5", "NUL in a value is invalid", refused: 400, noting("Note: a␀b")),
        Row("9110 §5.5", "so are other control characters", refused: 400, noting("Note: ␛[31m")),
        Row("9110 §5.5", "and DEL", refused: 400, noting("Note: ␡")),
        Row(
            "9112 §5.1", "no white space between name and colon", refused: 400,
            noting("Note : here")),
        Row("9112 §5.1", "not even a tab", refused: 400, noting("Note␉: here")),
        Row(
            "9112 §5.2", "a folded line is refused outside message/http", refused: 400,
            noting("Note: a␍␊ b")),
        Row("9112 §5.2", "even one folded by a tab", refused: 400, noting("Note: a␍␊␉b")),
        Row("9112 §5", "a line without a colon", refused: 400, noting("Note")),
        Row("9110 §5.1", "a name is not empty", refused: 400, noting(": here")),
        Row("9110 §5.1", "a name is a token", refused: 400, noting("N(o)te: here")),
        Row("9110 §5.1", "a name is ASCII", refused: 400, noting("Nöte: here")),
    ]

    private static let limits: [Row] = [
        Row(
            "9110 §5.4", "a long field within the limit of the head",
            noting("Note: \(times(16_000, "a"))"),
            [Expected(200, "GET note:\(times(16_000, "a"))")]),
        Row(
            "6585 §5", "a head of more than 16 KiB is refused whole", refused: 431,
            noting("Note: \(times(20_000, "a"))")),
        Row(
            "6585 §5", "the refusal comes as soon as it is too large", refused: 431,
            "GET / HTTP/1.1␍␊Note: \(times(17_000, "a"))"),
        Row(
            "9110 §5.4", "one hundred fields are read", noting(times(98, "A: b␍␊") + "Note: last"),
            [Expected(200, "GET note:last")]),
        Row(
            "6585 §5", "one more is too many", refused: 431,
            noting(times(99, "A: b␍␊") + "Note: last")),
    ]

    // MARK: Host

    private static let hosts = [
        ("9110 §7.2", "a name and a port", "Host: school.example:8080"),
        ("3986 §3.2.2", "an IPv4 address", "Host: 127.0.0.1:8080"),
        ("3986 §3.2.2", "an IPv6 address", "Host: [2001:db8::1]:8080"),
        ("3986 §3.2.3", "the port may be empty after its colon", "Host: school.example:"),
        ("3986 §3.2.2", "a name may be percent-encoded", "Host: sch%C3%BCle.example"),
        ("9112 §3.2", "an empty value is valid without an authority", "Host:"),
    ]

    private static let badHosts = [
        ("9112 §3.2", "no Host", "Note: here"),
        ("9112 §3.2", "two Hosts", "Host: school.example␍␊Host: school.example"),
        ("9112 §3.2", "a list of Hosts", "Host: school.example, other.example"),
        ("9110 §4.2.4", "a user", "Host: ada@school.example"),
        ("9112 §3.2", "a path", "Host: school.example/a"),
        ("9112 §3.2", "a port that is not a number", "Host: school.example:http"),
        ("9112 §3.2", "two ports", "Host: school.example:80:81"),
        ("9112 §3.2", "an unclosed bracket", "Host: [2001:db8::1"),
        ("9112 §3.2", "letters in brackets", "Host: [school]"),
        ("9112 §3.2", "white space", "Host: school example"),
        ("9112 §3.2", "a bare percent sign", "Host: school%2.example"),
        ("9112 §3.2", "bytes above 127", "Host: schüle.example"),
    ]

    private static func accepted(_ section: String, _ sentence: String, _ host: String) -> Row {
        Row(
            section, "Host: " + sentence,
            """
            GET /hello HTTP/1.1␍␊
            \(host)␍␊
            ␍␊
            """, [Expected(200, "GET /hello")])
    }

    private static func refused(_ section: String, _ sentence: String, _ host: String) -> Row {
        Row(
            section, "Host: \(sentence) is refused", refused: 400,
            """
            GET /hello HTTP/1.1␍␊
            \(host)␍␊
            ␍␊
            """)
    }
}
