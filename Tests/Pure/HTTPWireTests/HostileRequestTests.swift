import HTTPWire
import Testing

/// What smuggling, confusion and exhaustion look like, and how each is answered.
@Suite struct HostileRequests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let status: Int

        init(_ description: String, _ text: String, _ status: Int) {
            self.init(description, Array(text.utf8), status)
        }

        init(_ description: String, _ bytes: [UInt8], _ status: Int) {
            testDescription = description
            self.bytes = bytes
            self.status = status
        }
    }

    static let clientHello: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3, 0x41, 0x42]

    static let cases = [
        Case("two differing lengths", get("Content-Length: 5", "Content-Length: 6"), 400),
        Case("two equal lengths", get("Content-Length: 5", "Content-Length: 5"), 400),
        Case("a list of lengths", get("Content-Length: 5, 5"), 400),
        Case("a length with a sign", get("Content-Length: +5"), 400),
        Case("a negative length", get("Content-Length: -5"), 400),
        Case("a hexadecimal length", get("Content-Length: 0x5"), 400),
        Case("an empty length", get("Content-Length:"), 400),
        Case("a length beyond every integer", get("Content-Length: 99999999999999999999"), 413),
        Case("length and coding", get("Content-Length: 5", "Transfer-Encoding: chunked"), 400),
        Case("coding and length", get("Transfer-Encoding: chunked", "Content-Length: 5"), 400),
        Case("an unknown coding", get("Transfer-Encoding: xchunked"), 501),
        Case(
            "an unknown coding and a length", get("Transfer-Encoding: x", "Content-Length: 5"), 501),
        Case("two codings", get("Transfer-Encoding: gzip, chunked"), 501),
        Case(
            "a coding twice", get("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), 400),
        Case("identity", get("Transfer-Encoding: identity"), 501),
        Case("a vertical tab before chunked", get("Transfer-Encoding: \u{0B}chunked"), 400),
        Case("chunked in 1.0", "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        Case("a space before the colon", get("Content-Length : 5"), 400),
        Case("a folded line", get("A: b", " c"), 400),
        Case("a line folded by a tab", get("A: b", "\tc"), 400),
        Case("a space before the first field", "GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400),
        Case("a line without a colon", get("nonsense"), 400),
        Case("an empty name", get(": x"), 400),
        Case("a name in parentheses", get("(a): x"), 400),
        Case("a bare line feed", "GET / HTTP/1.1\nHost: x\n\n", 400),
        Case("a bare line feed in the fields", "GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n", 400),
        Case("a bare carriage return", get("A: b\rc"), 400),
        Case("a NUL in a value", get("A: b\0c"), 400),
        Case("a NUL in a name", get("A\0: b"), 400),
        Case("an escape", get("A: \u{1B}[31m"), 400),
        Case("no Host", "GET / HTTP/1.1\r\n\r\n", 400),
        Case("two Hosts", get("Host: x"), 400),
        Case("a Host with a path", "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n", 400),
        Case("a list of Hosts", "GET / HTTP/1.1\r\nHost: x, y\r\n\r\n", 400),
        Case("an unknown expectation", get("Expect: a miracle"), 417),
        Case("two empty lines before the request", "\r\n\r\n" + get(), 400),
        Case("two spaces", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Case("a tab instead of a space", "GET\t/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Case("a space at the end of the line", "GET / HTTP/1.1 \r\nHost: x\r\n\r\n", 400),
        Case("no version", "GET /\r\nHost: x\r\n\r\n", 400),
        Case("a lower-case version", "GET / http/1.1\r\nHost: x\r\n\r\n", 400),
        Case("HTTP/0.9", "GET / HTTP/0.9\r\nHost: x\r\n\r\n", 505),
        Case("HTTP/11.1", "GET / HTTP/11.1\r\nHost: x\r\n\r\n", 505),
        Case("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        Case("a TLS ClientHello", clientHello, 400),
        Case("a tunnel", "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Case("a long method", String(repeating: "A", count: 40) + " / HTTP/1.1\r\n", 501),
        Case("a target of 8193 bytes", "GET /" + long(8192) + " HTTP/1.1\r\n", 414),
        Case("a target without an end", "GET /" + long(20_000), 414),
        Case("a head of 20 KB", get("A: " + long(20_000)), 431),
        Case("a head without an end", "GET / HTTP/1.1\r\nA: " + long(17_000), 431),
        Case("101 fields", get(String(repeating: "A: b\r\n", count: 99) + "A: b"), 431),
    ]

    static func long(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test(arguments: cases)
    func `each is refused, however it is cut`(hostile: Case) {
        #expect(refusal(hostile.bytes) == hostile.status)
        var parser = RequestHeadParser()
        var status: Int?
        for end in stride(from: 0, through: hostile.bytes.count, by: 7) + [hostile.bytes.count] {
            do {
                _ = try parser.parse(Array(hostile.bytes[..<end]).span)
            } catch {
                status = error.status
                break
            }
        }
        #expect(status == hostile.status)
    }

    @Test func `requests just within the limits pass`() throws {
        let target = "/" + Self.long(8191)
        #expect(try parse("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n") != nil)
        let fields = String(repeating: "A: b\r\n", count: 98) + "A: b"
        #expect(try parse(get(fields))?.headers.count == 100)
        let rest = 16_384 - get("A: ").utf8.count
        #expect(try parse(get("A: " + Self.long(rest))) != nil)
        #expect(refusal(Array(get("A: " + Self.long(rest + 1)).utf8)) == 431)
    }
}

extension StrideThrough where Element == Int {
    fileprivate static func + (left: Self, right: [Int]) -> [Int] { Array(left) + right }
}
