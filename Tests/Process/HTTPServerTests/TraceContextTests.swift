import HTTPServer
import HTTPWire
import Testing

/// `traceparent` of W3C Trace Context, section 3.2.
@Suite struct TraceContexts {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "b7ad6b7169203331"
    private static let valid = "00-\(trace)-\(parent)-01"

    @Test(arguments: [
        valid, "00-\(trace)-\(parent)-00", "00-\(trace)-\(parent)-ff", "01-\(trace)-\(parent)-01",
        "cc-\(trace)-\(parent)-01-what-comes-later",
    ])
    func `a valid field is taken over`(text: String) throws {
        let context = try #require(TraceContext(HeaderFields([(name: "Traceparent", value: text)])))
        #expect(context.traceID == Self.trace)
        #expect(context.parentID == Self.parent)
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-", "00-\(trace)-\(parent)-1",
        "00-\(trace)-\(parent)-01-", "00-\(trace)-\(parent)-01-more", "00-\(trace)-\(parent)-01 ",
        "cc-\(trace)-\(parent)-01.what", "ff-\(trace)-\(parent)-01", "0-\(trace)-\(parent)-001",
        "00-\(trace.uppercased())-\(parent)-01", "00_\(trace)_\(parent)_01",
        "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319g-\(parent)-01",
        "00-0af7651916cd43dd8448eb211c8031\n9-\(parent)-01",
        "00-0af7651916cd43dd8448eb211c80é9-\(parent)-01",
        "cc-\(trace)-\(parent)-01-\(String(repeating: "x", count: 500))",
    ])
    func `anything else is ignored`(text: String) {
        #expect(TraceContext(HeaderFields([(name: "traceparent", value: text)])) == nil)
    }

    @Test func `no field or two are none`() {
        #expect(TraceContext(HeaderFields([(name: "tracestate", value: Self.valid)])) == nil)
        let twice = [
            (name: "traceparent", value: Self.valid), (name: "Traceparent", value: Self.valid),
        ]
        #expect(TraceContext(HeaderFields(twice)) == nil)
    }
}
