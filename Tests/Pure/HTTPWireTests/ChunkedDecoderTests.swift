import HTTPWire
import Testing

@Suite struct ChunkedBodies {
    /// The body, what is left of the input, and whether the end was found.
    private func decode(
        _ parts: [[UInt8]]
    ) throws -> (body: String, rest: String, isDone: Bool) {
        var decoder = ChunkedDecoder()
        var body: [UInt8] = []
        var rest: [UInt8] = []
        for part in parts {
            rest += part
            rest.removeFirst(try decoder.decode(rest.span, into: &body))
        }
        return (
            String(decoding: body, as: UTF8.self), String(decoding: rest, as: UTF8.self),
            decoder.isDone
        )
    }

    @Test func `a body is the same in all splits`() throws {
        let bytes = Array("5\r\nhello\r\n00C\r\n, wide world\r\n0\r\nA: b\r\nC:\r\n\r\nGET".utf8)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let parts = [bytes[..<first], bytes[first..<second], bytes[second...]].map(
                    Array.init)
                let (body, rest, isDone) = try decode(parts)
                #expect(body == "hello, wide world")
                #expect(rest == "GET")
                #expect(isDone)
            }
        }
    }

    @Test func `every prefix needs more`() throws {
        let bytes = Array("1\r\na\r\n0\r\n\r\n".utf8)
        for end in 0..<bytes.count {
            let isDone = try decode([Array(bytes[..<end])]).isDone
            #expect(!isDone)
        }
    }

    @Test(arguments: [
        "0x5\r\n", "+5\r\n", "-1\r\n", " 5\r\n", "5 \r\n", "5;a=b\r\n", "\r\n", "g\r\n", "5\n",
        "5\rx", "5\r\nhello!", "5\r\nhello\n", "5\r\nhello\rx", "0\r\n\n", "0\r\nno colon\r\n",
        "0\r\n folded: x\r\n", "0\r\nA: \0\r\n", "0\r\nA: b\n", "FFFFFFFFFFFFFFFF\r\n",
        "00000000000000001\r\n", "10000000001\r\n", "0\r\n: x\r\n",
    ])
    func `anything else is refused`(text: String) {
        #expect(throws: HTTPRefusal.self) { _ = try decode([Array(text.utf8)]) }
    }

    @Test func `trailers have a limit`() {
        let trailer = "0\r\nA: " + String(repeating: "b", count: 9000) + "\r\n\r\n"
        let error = #expect(throws: HTTPRefusal.self) { _ = try decode([Array(trailer.utf8)]) }
        #expect(error?.status == 431)
    }
}
