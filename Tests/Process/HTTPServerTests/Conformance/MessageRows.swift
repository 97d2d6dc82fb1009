import WireKit

/// RFC 9112 sections 2 and 3: lines, versions, request lines.
enum MessageRows {
    static let rows: [Row] = lines + versions + requestLines

    private static let lines: [Row] = [
        Row(
            "9112 §2.1", "a request is a line, fields and an empty line",
            """
            GET /hello HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """, [Expected(200, "GET /hello")]),
        Row(
            "9112 §2.1", "however it is cut into segments",
            """
            GE✂T /hel✂lo HTTP/1.1␍✂␊
            Ho✂st: school.example␍␊✂
            ␍✂␊
            """, [Expected(200, "GET /hello")]),
        Row(
            "9112 §2.2", "an empty line before a request is ignored",
            """
            ␍␊
            GET /hello HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """, [Expected(200, "GET /hello")]),
        Row(
            "9112 §2.2", "even between two requests, as after the body of an old client",
            """
            POST /a HTTP/1.1␍␊
            Host: school.example␍␊
            Content-Length: 3␍␊
            ␍␊
            abc␍␊
            GET /b HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """, [Expected(200, "POST /a =abc"), Expected(200, "GET /b")]),
        Row(
            "9112 §2.2", "we ignore one such line but not two", refused: 400,
            """
            ␍␊
            ␍␊
            GET /hello HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """),
        Row(
            "9112 §2.2", "a single LF may end a line; we refuse it", refused: 400,
            """
            GET /hello HTTP/1.1␊
            Host: school.example␊
            ␊
            """),
        Row(
            "9112 §2.2", "a single LF among lines that end with CR LF, too", refused: 400,
            """
            GET /hello HTTP/1.1␍␊
            Host: school.example␊
            ␍␊
            """),
        Row(
            "9112 §2.2", "a bare CR makes the message invalid", refused: 400,
            """
            GET /hello HTTP/1.1␍␊
            Host: school.example␍␊
            Note: a␍b␍␊
            ␍␊
            """),
        Row(
            "9112 §2.2", "white space between request line and fields is rejected", refused: 400,
            """
            GET /hello HTTP/1.1␍␊
             Host: school.example␍␊
            ␍␊
            """),
    ]

    private static let versions: [Row] = [
        Row(
            "9110 §2.5", "a higher minor version is answered as 1.1",
            """
            GET /hello HTTP/1.2␍␊
            Host: school.example␍␊
            ␍␊
            """, [Expected(200, "GET /hello")]),
        Row(
            "9110 §15.6.6", "another major version is refused", refused: 505,
            """
            GET /hello HTTP/2.0␍␊
            Host: school.example␍␊
            ␍␊
            """),
        Row(
            "9113 §3.4", "so is the preface of HTTP/2", refused: 505,
            """
            PRI * HTTP/2.0␍␊
            ␍␊
            SM␍␊
            ␍␊
            """),
        Row(
            "9110 §15.6.6", "and HTTP/0.9 with a version", refused: 505,
            """
            GET /hello HTTP/0.9␍␊
            ␍␊
            """),
        Row(
            "9112 §3", "HTTP/0.9 without a version is no request line", refused: 400,
            """
            GET /hello␍␊
            ␍␊
            """),
        Row(
            "9112 §2.3", "the name of the protocol is in upper case", refused: 400,
            """
            GET /hello http/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """),
    ]

    private static let requestLines: [Row] = [
        Row(
            "9112 §3", "two spaces: the line is invalid", refused: 400,
            """
            GET  /hello HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """),
        Row(
            "9112 §3", "a space at its end", refused: 400,
            """
            GET /hello HTTP/1.1␠␍␊
            Host: school.example␍␊
            ␍␊
            """),
        Row(
            "9112 §3", "a tab instead of a space", refused: 400,
            """
            GET␉/hello HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """),
        Row(
            "9112 §3.1", "a method is any token, and its case matters",
            """
            get /hello HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """, [Expected(200, "get /hello")]),
        Row(
            "9112 §3.1", "a method that is not a token", refused: 400,
            """
            G(T /hello HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """),
        Row(
            "9112 §3", "a method longer than any known one", refused: 501,
            """
            \(times(40, "A")) /hello HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """),
        Row(
            "9112 §3", "8000 bytes of a request line are supported",
            """
            GET /\(times(8000, "a")) HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """, [Expected(200, "GET /\(times(8000, "a"))")]),
        Row(
            "9112 §3", "so is a long query",
            """
            GET /?\(times(1000, "a=bcdef&")) HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """, [Expected(200, "GET\(times(1000, " ?a=bcdef"))")]),
        Row(
            "9112 §3", "a target longer than the server reads", refused: 414,
            """
            GET /\(times(8192, "a")) HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """),
        Row(
            "9112 §3", "the refusal comes as soon as it is too long", refused: 414,
            "GET /\(times(9000, "a"))"),
    ]
}
