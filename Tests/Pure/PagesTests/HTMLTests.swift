import Testing

@testable import Pages

@Suite struct HTMLWriting {
    private func text(_ html: HTML) -> String { String(decoding: html.bytes, as: UTF8.self) }

    @Test(arguments: [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("\"><img src=x onerror=alert(1)>", "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;"),
        ("' onclick='alert(1)", "&#39; onclick=&#39;alert(1)"),
        ("Tom & Jerry &amp; Co", "Tom &amp; Jerry &amp;amp; Co"),
        ("a\u{0}b\u{1B}c\u{7F}d", "a\u{FFFD}b\u{FFFD}c\u{FFFD}d"),
        ("line\nbreak\ttab", "line\nbreak\ttab"),
        ("\u{202E}gpj.exe", "\u{202E}gpj.exe"),
        ("שלום 😀 日本", "שלום 😀 日本"),
    ])
    func `hostile text means itself, between tags and in an attribute`(
        text hostile: String, escaped: String
    ) {
        #expect(text(p { hostile }) == "<p>\(escaped)</p>")
        #expect(text(input(.value(hostile))) == "<input value=\"\(escaped)\">")
    }

    @Test func `elements nest, and what is absent leaves nothing`() {
        let isShown = false
        let page = div(.class("card"), .current(false), .checked(false), .required) {
            h2(.dirAuto) { "Title" }
            if isShown { p { "never" } }
            for number in 1...2 { span { "\(number)" } }
            HTML.nothing
            br()
        }
        #expect(
            text(page)
                == "<div class=\"card\" required><h2 dir=\"auto\">Title</h2><span>1</span><span>2</span><br></div>"
        )
    }

    @Test(arguments: [
        "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", " https://x.example",
        "//x.example", "vbscript:x", "java\nscript:alert(1)", "",
    ])
    func `a link that could run here is no link`(url: String) {
        #expect(text(a(.href(elsewhere: url)) { "go" }) == "<a>go</a>")
    }

    @Test func `links to other sites keep their address`() {
        #expect(
            text(a(.href(elsewhere: "HTTPS://x.example/?a=1&b=\"")) { "go" })
                == "<a href=\"HTTPS://x.example/?a=1&amp;b=&quot;\">go</a>")
    }
}

@Suite struct LocalPaths {
    @Test func `what is interpolated stays one segment or one value`() {
        let id = "../a?b=c&d#e%/ü"
        let path: LocalPath = "/classes/\(id)?state=\(id)"
        let encoded = "..%2Fa%3Fb%3Dc%26d%23e%25%2F%C3%BC"
        #expect(path.text == "/classes/\(encoded)?state=\(encoded)")
        #expect(path.with("page", "x y").text == path.text + "&page=x%20y")
        #expect(path.with("page", nil) == path)
        #expect(path.withoutQuery.with("page", "1").text == "/classes/\(encoded)?page=1")
    }

    @Test(arguments: [
        "//evil.example", "/\\evil.example", "\\/evil.example", "https://evil.example", "evil",
        "", "/a\r\nSet-Cookie: x=y", "/a\u{0}b", "/a b", "/\u{9}/evil.example", "/ü",
        "/" + String(repeating: "a", count: 4096), "javascript:alert(1)", "?to=/",
    ])
    func `nothing leads to another server`(address: String) {
        #expect(LocalPath(returning: address) == nil)
        #expect(SignIn.destination(address) == "/")
    }

    @Test(arguments: ["/", "/classes/1?state=draft&page=a%20b", "/oauth/authorize?client_id=x"])
    func `a path of this server is kept`(address: String) {
        #expect(LocalPath(returning: address)?.text == address)
    }
}
