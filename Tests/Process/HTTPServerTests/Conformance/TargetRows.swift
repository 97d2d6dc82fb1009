import WireKit

/// RFC 9112 section 3.2 and RFC 3986: the four forms of a target, paths and queries.
enum TargetRows {
    static let rows: [Row] =
        read.map(reading) + refused.map(refusing) + [
            Row(
                "9112 §3.2.2",
                "in the absolute form the target's authority counts, whatever Host says",
                """
                GET http://school.example/a HTTP/1.1␍␊
                Host: other.example␍␊
                ␍␊
                """, [Expected(200, "GET /a")]),
            Row(
                "9112 §3.2.3", "the authority form belongs to CONNECT, which we refuse",
                refused: 400,
                """
                CONNECT school.example:443 HTTP/1.1␍␊
                Host: school.example:443␍␊
                ␍␊
                """),
            Row(
                "9112 §3.2.4", "the asterisk form asks about the server as a whole",
                """
                OPTIONS * HTTP/1.1␍␊
                Host: school.example␍␊
                ␍␊
                """, [Expected(200, "OPTIONS")]),
        ]

    private static func reading(
        _ section: String, _ sentence: String, _ target: String, _ understood: String
    ) -> Row {
        Row(
            section, sentence,
            """
            GET \(target) HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """, [Expected(200, "GET" + understood)])
    }

    private static func refusing(_ section: String, _ sentence: String, _ target: String) -> Row {
        Row(
            section, sentence, refused: 400,
            """
            GET \(target) HTTP/1.1␍␊
            Host: school.example␍␊
            ␍␊
            """)
    }

    private static let read = [
        ("9112 §3.2.1", "a path", "/a/b", " /a /b"),
        ("9112 §3.2.1", "the root", "/", ""),
        ("9112 §3.2.1", "a path and a query", "/a?b=c&d", " /a ?b=c ?d="),
        ("9112 §3.2.2", "the absolute form", "http://school.example:80/a/b?c=d", " /a /b ?c=d"),
        ("9110 §4.2.3", "its scheme in any case", "HTTP://school.example/a", " /a"),
        ("9110 §4.2.2", "https, too", "https://school.example/a", " /a"),
        ("9110 §4.2.3", "without a path", "http://school.example", ""),
        ("9110 §4.2.3", "without a path, with a query", "http://school.example?a=b", " ?a=b"),
        ("3986 §2.4", "a path is split first and then decoded", "/a%2Fb/c", " /a/b /c"),
        ("3986 §2.1", "digits of either case", "/%7Ea%7eb", " /~a~b"),
        ("3986 §2.5", "decoded bytes are UTF-8", "/Zo%C3%AB", " /Zoë"),
        ("3986 §3.3", "a plus in a path is a plus", "/a+b", " /a+b"),
        (
            "3986 §3.3", "characters that a segment may hold", "/a:b@c!$&'()*,;=",
            " /a:b@c!$&'()*,;="
        ),
        ("3986 §3.3", "empty segments are segments", "//a///b/", " / /a / / /b /"),
        (
            "3986 §6.2.2", "dot segments are the client's to remove: here they are names",
            "/a/../b/.", " /a /.. /b /."
        ),
        ("3986 §3.4", "a query may hold slashes and question marks", "/?a=/b?c", " ?a=/b?c"),
        ("3986 §3.4", "only & separates its items", "/?a=1;b=2", " ?a=1;b=2"),
        ("WHATWG URL §5.1", "a plus in a query is a space", "/?a+b=c%2Bd", " ?a b=c+d"),
        ("WHATWG URL §5.1", "names may repeat", "/?a=1&a=2", " ?a=1 ?a=2"),
    ]

    private static let refused = [
        ("9112 §3.2", "a fragment is never sent", "/a#b"),
        ("9112 §3.2", "a path begins with a slash", "a/b"),
        ("9112 §3.2", "a byte that needs encoding may not be sent raw", "/Zoë"),
        ("9112 §3.2", "neither may DEL", "/␡"),
        ("9112 §3.2", "other schemes are not served here", "ftp://school.example/a"),
        ("9112 §3.2.3", "the authority form is for no other method", "school.example:443"),
        ("9112 §3.2.4", "the asterisk form is for OPTIONS alone", "*"),
        ("9110 §4.2.1", "an empty host is invalid", "http:///a"),
        ("9110 §4.2.1", "even before a port", "http://:80/a"),
        ("9110 §4.2.4", "a user before the host is an error", "http://ada@school.example/a"),
        ("3986 §3.2.3", "a port is a number", "http://school.example:x/a"),
        ("3986 §2.1", "a percent sign without digits", "/a%"),
        ("3986 §2.1", "with one digit", "/a%4"),
        ("3986 §2.1", "with letters that are not digits", "/a%zz"),
        ("3986 §2.1", "the same in a query", "/?a=%zz"),
        ("3986 §7.3", "we refuse an encoded NUL", "/a%00"),
        ("3986 §7.3", "even in a query", "/?a=%00"),
        ("3629 §3", "decoded bytes are UTF-8", "/%FF"),
        ("3629 §10", "in its shortest form", "/%C0%AF"),
        ("3629 §3", "without surrogates", "/%ED%A0%80"),
    ]
}
