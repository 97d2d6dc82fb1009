import HTTPWire
import Testing

@Suite struct MultipartBodies {
    private static let type = "multipart/form-data; boundary=\"b-1\""

    private static let body =
        "preamble\r\n--b-1\r\nContent-Disposition: form-data; name=\"mode\"\r\n\r\npreview\r\n"
        + "--b-1\r\ncontent-disposition: form-data; name=empty\r\n\r\n\r\n"
        + "--b-1\r\nContent-Type: application/zip\r\n"
        + "Content-Disposition: form-data; name=\"file\"; filename=\"a;b%22c é.zip\"\r\n\r\n"
        + "PK\r\n--b-\r\n-\r\n\r\n--b-1--\r\nepilogue"

    /// The events of a body that arrives in pieces of that size; bytes of a value are joined.
    private func events(_ body: String, pieces size: Int) throws -> [MultipartReader.Event] {
        var reader = try #require(MultipartReader(contentType: Self.type))
        var events: [MultipartReader.Event] = []
        let bytes = Array(body.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            reader.append(Array(bytes[start..<min(start + size, bytes.count)]))
            while let event = try reader.next() {
                if case .bytes(let more) = event, case .bytes(let before) = events.last {
                    events[events.count - 1] = .bytes(before + more)
                } else {
                    events.append(event)
                }
                if event == .end { return events }
            }
        }
        return events
    }

    @Test(arguments: 1...40)
    func `a body reads the same, however it arrives`(size: Int) throws {
        #expect(
            try events(Self.body, pieces: size) == [
                .part(name: "mode", fileName: nil), .bytes(Array("preview".utf8)),
                .part(name: "empty", fileName: nil),
                .part(name: "file", fileName: "a;b\"c é.zip"),
                .bytes(Array("PK\r\n--b-\r\n-\r\n".utf8)), .end,
            ])
    }

    @Test func `a body that breaks off has no end`() throws {
        let found = try events(String(Self.body.dropLast(20)), pieces: 7)
        #expect(found.count == 5 && found.last != .end)
    }

    @Test(arguments: [
        "--b-1 \r\n", "--b-1\r\nContent-Type: text/plain\r\n\r\n",
        "--b-1\r\nContent-Disposition: attachment; name=a\r\n\r\n",
        "--b-1\r\nX: " + String(repeating: "x", count: 9000),
        String(repeating: "x", count: 9000),
    ])
    func `a malformed body is refused`(body: String) {
        #expect { try events(body, pieces: 100) } throws: { error in
            (error as? HTTPRefusal)?.status == 400
        }
    }

    @Test(arguments: [
        "multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=x",
        "multipart/form-data; boundary=\"a<b\"",
        "multipart/form-data; boundary=" + String(repeating: "x", count: 71),
    ])
    func `only form data with a boundary is read`(type: String) {
        #expect(MultipartReader(contentType: type) == nil)
    }
}
