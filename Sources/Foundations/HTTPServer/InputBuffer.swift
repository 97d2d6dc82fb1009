import HTTPWire

/// Received bytes that are not used yet.
struct InputBuffer {
    private var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { start == bytes.count }
    var count: Int { bytes.count - start }

    /// Looks for a request's head, from the first unused byte.
    func parse(_ parser: inout RequestHeadParser) throws(HTTPRefusal) -> RequestHeadParser.Outcome {
        try parser.parse(bytes.span.extracting(start..<bytes.count))
    }

    /// Decodes the chunked coding of the buffered bytes, up to the end of the body.
    mutating func decode(
        _ decoder: inout ChunkedDecoder, into output: inout [UInt8]
    ) throws(HTTPRefusal) {
        consume(try decoder.decode(bytes.span.extracting(start..<bytes.count), into: &output))
    }

    mutating func append(_ received: UnsafeRawBufferPointer) {
        if start == bytes.count { clear() }
        bytes.append(contentsOf: received)
    }

    mutating func consume(_ count: Int) {
        start += count
        if start == bytes.count { clear() }
    }

    /// Removes and returns up to that many bytes.
    mutating func take(atMost limit: Int) -> [UInt8] {
        let end = start + min(limit, count)
        defer { consume(end - start) }
        return Array(bytes[start..<end])
    }

    /// Keeps the capacity for the next request unless a large request made it.
    private mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 32_768)
        start = 0
    }
}
