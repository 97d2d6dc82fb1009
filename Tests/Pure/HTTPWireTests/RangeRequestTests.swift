import HTTPWire
import Testing

/// RFC 9110 section 14, over a body of ten bytes.
@Suite struct RangeRequests {
    struct Row: CustomTestStringConvertible, Sendable {
        let field: String
        let meaning: RangeRequest
        var testDescription: String { field }

        init(_ field: String, _ meaning: RangeRequest) {
            self.field = field
            self.meaning = meaning
        }
    }

    static let rows = [
        Row("bytes=0-0", .part(0..<1)), Row("bytes=0-9", .part(0..<10)),
        Row("bytes=2-4", .part(2..<5)), Row("bytes=9-9", .part(9..<10)),
        Row("bytes=9-", .part(9..<10)), Row("bytes=0-", .part(0..<10)),
        Row("bytes=3-99", .part(3..<10)), Row("bytes=3-99999999999999999999", .part(3..<10)),
        Row("bytes=-1", .part(9..<10)), Row("bytes=-10", .part(0..<10)),
        Row("bytes=-11", .part(0..<10)), Row("bytes=-99999999999999999999", .part(0..<10)),
        Row("BYTES=1-2", .part(1..<3)), Row("bytes= 1-2 ", .part(1..<3)),
        Row("bytes=,1-2,", .part(1..<3)),
        Row("bytes=10-", .unsatisfiable), Row("bytes=10-20", .unsatisfiable),
        Row("bytes=99999999999999999999-", .unsatisfiable), Row("bytes=-0", .unsatisfiable),
        Row("bytes=4-2", .everything), Row("bytes=1-2,4-5", .everything),
        Row("bytes=", .everything), Row("bytes=-", .everything), Row("bytes=a-b", .everything),
        Row("bytes=1", .everything), Row("bytes=+1-2", .everything),
        Row("bytes=1-2-3", .everything),
        Row("items=1-2", .everything), Row("1-2", .everything), Row("", .everything),
    ]

    @Test(arguments: rows) func `a field asks for`(row: Row) {
        #expect(RangeRequest([row.field], of: 10) == row.meaning)
    }

    @Test func `none, and more than one field, ask for everything`() {
        #expect(RangeRequest([], of: 10) == .everything)
        #expect(RangeRequest(["bytes=0-1", "bytes=0-1"], of: 10) == .everything)
    }

    @Test(arguments: ["bytes=0-", "bytes=0-0", "bytes=-1"])
    func `an empty body has no ranges`(field: String) {
        #expect(RangeRequest([field], of: 0) == .unsatisfiable)
    }

    @Test func `a part and an unsatisfiable range are named with the length of the whole`() {
        #expect(RangeRequest.contentRange(of: 2..<5, in: 10) == "bytes 2-4/10")
        #expect(RangeRequest.contentRange(of: 0..<1, in: 1) == "bytes 0-0/1")
        #expect(RangeRequest.contentRange(unsatisfiedIn: 10) == "bytes */10")
    }
}
