/// Reads request heads strictly: it refuses what RFC 9112 lets a recipient tolerate, because two recipients
/// that tolerate different things can be played against each other (request smuggling).
///
/// The parser is given all bytes since the head's first one, each time more arrive, and remembers how far it
/// has looked, so it looks at each byte once. It refuses as soon as it can, so there is no need to wait for a
/// peer that speaks TLS.
package struct RequestHeadParser: Sendable {
    package enum Outcome: Sendable {
        case needMore
        /// The head, and how many bytes it took.
        case complete(RequestHead, length: Int)
    }

    package static let headLimit = 16_384
    package static let fieldLimit = 100

    private var position = 0
    private var lineStart = 0
    private var requestLine: RequestLine?
    private var entries: [HeaderFields.Entry] = []

    package init() {}

    /// Forgets everything, for the next request.
    package mutating func reset() {
        self = RequestHeadParser()
    }

    /// - Parameter bytes: from the first byte after the last request, longer each time.
    package mutating func parse(_ bytes: Span<UInt8>) throws(HTTPRefusal) -> Outcome {
        while let lineEnd = try findLineEnd(bytes) {
            let line = lineStart..<lineEnd
            position = lineEnd + 2
            guard position <= Self.headLimit else { throw tooLarge() }
            if requestLine == nil {
                if line.isEmpty {
                    // One empty line before a request is tolerated (RFC 9112 section 2.2).
                    guard lineStart == 0 else {
                        throw .malformed("The request begins with empty lines.")
                    }
                } else {
                    requestLine = try RequestLine(bytes, line)
                    entries.reserveCapacity(16)
                }
            } else if line.isEmpty {
                return .complete(try head(bytes), length: position)
            } else {
                try addField(bytes, line)
            }
            lineStart = position
        }
        guard bytes.count <= Self.headLimit else { throw tooLarge() }
        if requestLine == nil, bytes.count - lineStart > RequestLine.targetLimit + 40 {
            throw .targetTooLong
        }
        return .needMore
    }

    private func tooLarge() -> HTTPRefusal {
        requestLine == nil ? .targetTooLong : .headTooLarge
    }

    /// The position of the next CR LF; `nil` if the bytes end before it.
    private mutating func findLineEnd(_ bytes: Span<UInt8>) throws(HTTPRefusal) -> Int? {
        let count = bytes.count
        var index = position
        while index < count {
            let byte = bytes[index]
            if Characters.isText(byte) {
                index += 1
                continue
            }
            guard byte == Characters.carriageReturn else {
                throw .malformed("The request head holds a control character.")
            }
            guard index + 1 < count else { break }
            guard bytes[index + 1] == Characters.lineFeed else {
                throw .malformed("A line of the request head does not end with CR LF.")
            }
            position = index
            return index
        }
        position = index
        return nil
    }

    private mutating func addField(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(HTTPRefusal) {
        guard entries.count < Self.fieldLimit else { throw .headTooLarge }
        var colon = line.lowerBound
        while colon < line.upperBound, Characters.isToken(bytes[colon]) { colon += 1 }
        guard colon > line.lowerBound, colon < line.upperBound, bytes[colon] == UInt8(ascii: ":")
        else {
            throw .malformed("A header field must be a name, a colon and a value, on one line.")
        }
        var start = colon + 1
        var end = line.upperBound
        while start < end, Characters.isBlank(bytes[start]) { start += 1 }
        while end > start, Characters.isBlank(bytes[end - 1]) { end -= 1 }
        entries.append(HeaderFields.Entry(name: line.lowerBound..<colon, value: start..<end))
    }

    private func head(_ bytes: Span<UInt8>) throws(HTTPRefusal) -> RequestHead {
        guard let line = requestLine else { throw .malformed("There is no request line.") }
        let copy = bytes.extracting(0..<position).withUnsafeBufferPointer { Array($0) }
        let headers = HeaderFields(bytes: copy, entries: entries)
        let rules = try MessageRules(headers, minorVersion: line.minorVersion)
        let target = try Target(bytes.extracting(line.target))
        let method = method(bytes.extracting(line.method))
        guard method == .options || bytes[line.target.lowerBound] != UInt8(ascii: "*") else {
            throw .malformed("Only OPTIONS can be asked of the server as a whole.")
        }
        return RequestHead(
            method: method, segments: target.segments, query: target.query, headers: headers,
            minorVersion: line.minorVersion, framing: rules.framing,
            keepsAlive: rules.keepsAlive, expectsContinue: rules.expectsContinue,
            targetRange: line.target)
    }

    private func method(_ bytes: Span<UInt8>) -> HTTPMethod {
        bytes.withUnsafeBufferPointer { HTTPMethod(String(decoding: $0, as: UTF8.self)) }
    }
}
