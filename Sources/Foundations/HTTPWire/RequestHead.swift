/// How the end of a request's body is determined.
package enum BodyFraming: Sendable, Equatable {
    case none
    case length(Int)
    case chunked
}

/// A request without its body, checked and parsed.
package struct RequestHead: Sendable {
    package let method: HTTPMethod
    package let segments: [String]
    package let query: Query
    package let headers: HeaderFields
    /// 1 for HTTP/1.1, 0 for HTTP/1.0.
    package let minorVersion: Int
    package let framing: BodyFraming
    /// Whether the client would send another request on the same connection.
    package let keepsAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body.
    package let expectsContinue: Bool
    let targetRange: Range<Int>

    /// The target as it was sent.
    package var target: String { String(decoding: headers.bytes[targetRange], as: UTF8.self) }

    /// Whether `OPTIONS` asks about the server as a whole: with `*`, or the absolute form without a path (RFC
    /// 9112 section 3.2.4).
    package var isAboutServer: Bool {
        guard method == .options, segments.isEmpty else { return false }
        let target = target
        return !target.isEmpty && !target.hasPrefix("/") && !target.hasSuffix("/")
    }
}

/// The first line of a request, as positions in its bytes.
struct RequestLine {
    let method: Range<Int>
    let target: Range<Int>
    let minorVersion: Int

    static let targetLimit = 8192
    static let methodLimit = 24

    /// Reads `METHOD SP target SP HTTP/1.x`, with exactly these two spaces.
    init(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(HTTPRefusal) {
        var position = line.lowerBound
        while position < line.upperBound, Characters.isToken(bytes[position]) { position += 1 }
        guard position > line.lowerBound, position < line.upperBound,
            bytes[position] == Characters.space
        else { throw .malformed("The request does not begin with a method and a space.") }
        guard position - line.lowerBound <= Self.methodLimit else { throw .methodNotImplemented }
        method = line.lowerBound..<position
        let start = position + 1
        position = start
        while position < line.upperBound, bytes[position] != Characters.space { position += 1 }
        guard position - start <= Self.targetLimit else { throw .targetTooLong }
        guard position > start, position < line.upperBound else {
            throw .malformed("The request line must be a method, a target and a version.")
        }
        target = start..<position
        minorVersion = try Self.version(bytes, (position + 1)..<line.upperBound)
    }

    /// A higher minor version is treated as the highest known one (RFC 9110 section 2.5).
    private static func version(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPRefusal)
        -> Int
    {
        let text: StaticString = "HTTP/1."
        var matching = 0
        while matching < min(7, range.count),
            bytes[range.lowerBound + matching] == text.utf8Start[matching]
        { matching += 1 }
        if matching == 7, range.count == 8 {
            let digit = bytes[range.upperBound - 1]
            if Characters.isDigit(digit) { return digit == UInt8(ascii: "0") ? 0 : 1 }
        }
        for index in (range.lowerBound + min(5, matching))..<range.upperBound {
            let byte = bytes[index]
            guard matching >= 5, Characters.isDigit(byte) || byte == UInt8(ascii: ".") else {
                throw .malformed("The request line must end with a version of HTTP.")
            }
        }
        guard range.count > 5 else {
            throw .malformed("The request line must end with a version of HTTP.")
        }
        throw .versionNotSupported
    }
}
