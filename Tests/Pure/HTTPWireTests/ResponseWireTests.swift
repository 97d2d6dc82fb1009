import HTTPWire
import Testing

@Suite struct ResponseHeads {
    @Test func `a head is written line by line`() throws {
        var bytes: [UInt8] = []
        ResponseWire.appendStatusLine(404, to: &bytes)
        try ResponseWire.append(ResponseField("A-Field", "some\tvalue"), to: &bytes)
        ResponseWire.appendLength(1204, to: &bytes)
        ResponseWire.appendChunkSize(255, to: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "HTTP/1.1 404 Not Found\r\nA-Field: some\tvalue\r\nContent-Length: 1204\r\nff\r\n"
        )
    }

    @Test(arguments: [
        ("A", "b\r\nC: d"), ("A", "b\nc"), ("A", "b\rc"), ("A", "b\0"), ("A\r\nB", "c"), ("", "a"),
        ("A b", "c"), ("A:", "c"), ("A", "\u{7F}"),
    ])
    func `a field that could be read as another is refused`(name: String, value: String) {
        var bytes: [UInt8] = []
        #expect(throws: ResponseWire.UnsafeField.self) {
            try ResponseWire.append(ResponseField(name, value), to: &bytes)
        }
        #expect(bytes.isEmpty)
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
    ])
    func `dates have the format of HTTP`(seconds: Int, text: String) {
        #expect(HTTPDate.text(secondsSince1970: seconds) == text)
    }
}
