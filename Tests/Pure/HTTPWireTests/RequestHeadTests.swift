import HTTPWire
import Testing

@Suite struct RequestHeads {
    @Test func `a head is parsed into its parts`() throws {
        let head = try #require(
            try parse(
                "POST /v1/people/source:a%2Fb?limit=2&q=a+b%26 HTTP/1.1\r\nHost: x\r\n"
                    + "X-Thing:  some value \t\r\nContent-Length: 12\r\nExpect: 100-Continue\r\n\r\n"
            ))
        #expect(head.method == .post)
        #expect(head.target == "/v1/people/source:a%2Fb?limit=2&q=a+b%26")
        #expect(head.segments == ["v1", "people", "source:a/b"])
        #expect(head.query["limit"] == "2")
        #expect(head.query["q"] == "a b&")
        #expect(head.headers["x-thing"] == "some value")
        #expect(head.headers["absent"] == nil)
        #expect(head.framing == .length(12))
        #expect(head.keepsAlive)
        #expect(head.expectsContinue)
    }

    @Test func `every prefix of a head needs more, and the parser resumes where it was`() throws {
        let bytes = Array(
            "\r\nPUT /a/b?c=d HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        var patient = RequestHeadParser()
        for end in 0..<bytes.count {
            let prefix = Array(bytes[..<end])
            #expect(try parse(prefix) == nil)
            guard case .needMore = try patient.parse(prefix.span) else {
                Issue.record("complete after \(end) bytes")
                return
            }
        }
        guard case .complete(let head, let length) = try patient.parse((bytes + [65]).span) else {
            Issue.record("never complete")
            return
        }
        #expect(length == bytes.count)
        #expect(head.framing == .chunked)
        #expect(head.segments == ["a", "b"])
    }

    @Test func `fields are found in any case, and all their values in order`() throws {
        let head = try #require(try parse(get("Accept: a, b", "ACCEPT: c", "Empty:")))
        #expect(head.headers.all("accept") == ["a, b", "c"])
        #expect(head.headers.list("Accept") == ["a", "b", "c"])
        #expect(head.headers["empty"] == "")
        #expect(head.headers.count == 4)
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
        ("HTTP/1.1", "Connection: x, Close\r\n", false), ("HTTP/1.0", "", false),
        ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
        ("HTTP/1.0", "Connection: keep-alive, close\r\n", false),
    ])
    func `version and Connection decide whether the connection stays open`(
        version: String, line: String, stays: Bool
    ) throws {
        let head = try #require(try parse("GET / \(version)\r\nHost: x\r\n\(line)\r\n"))
        #expect(head.keepsAlive == stays)
    }

    @Test func `only HTTP 1_0 may omit Host`() throws {
        #expect(try parse("GET / HTTP/1.0\r\n\r\n") != nil)
        #expect(refusal(Array("GET / HTTP/1.1\r\n\r\n".utf8)) == 400)
    }

    @Test(arguments: [
        ("/", []), ("/a", ["a"]), ("/a/", ["a", ""]), ("//", ["", ""]), ("/%2F%2f", ["//"]),
        ("/a%20b", ["a b"]), ("/+", ["+"]), ("/%C3%A9", ["é"]), ("/..", [".."]), ("/?", []),
        ("http://h:1/a?b", ["a"]), ("HTTPS://h", []), ("http://h?x", []),
    ])
    func `paths are split before they are decoded`(target: String, segments: [String]) throws {
        let head = try #require(try parse("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n"))
        #expect(head.segments == segments)
    }

    @Test(arguments: [
        (
            "a=1&a=2&b",
            [
                QueryItem(name: "a", value: "1"), .init(name: "a", value: "2"),
                .init(name: "b", value: ""),
            ]
        ),
        ("a=b=c&&=d", [QueryItem(name: "a", value: "b=c"), .init(name: "", value: "d")]),
        ("%61=%2B+", [QueryItem(name: "a", value: "+ ")]),
        ("", []),
    ])
    func `queries keep their items in order`(query: String, items: [QueryItem]) throws {
        let head = try #require(try parse("GET /?\(query) HTTP/1.1\r\nHost: x\r\n\r\n"))
        #expect(head.query.items == items)
    }

    @Test(arguments: [
        "/%", "/%4", "/%zz", "/%00", "/%ff", "/%C3", "/%c0%80", "/%ed%a0%80", "/?a=%", "/?a=%00",
        "a", "host:443", "ftp://h/", "/#a", "/é", "/\u{7F}",
    ])
    func `a target that is not text is refused`(target: String) {
        #expect(refusal(Array("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n".utf8)) == 400)
    }
}
