/// What the header fields of a request say about the message itself: where its body ends and whether the
/// connection is kept (RFC 9112 sections 3.2, 6 and 9.3).
struct MessageRules {
    var framing = BodyFraming.none
    var keepsAlive: Bool
    var expectsContinue = false

    private var hosts = 0
    private var lengths = 0
    private var codings = 0

    init(_ headers: HeaderFields, minorVersion: Int) throws(HTTPRefusal) {
        keepsAlive = minorVersion == 1
        var closes = false
        for entry in headers.entries {
            let value = headers.bytes[entry.value]
            switch Name(headers.bytes, entry.name) {
            case .host: try addHost(value)
            case .contentLength: try addLength(value)
            case .transferEncoding: try addCoding(value)
            case .connection: readConnection(value, closes: &closes)
            case .expect: try readExpectation(value, minorVersion: minorVersion)
            case nil: break
            }
        }
        if closes { keepsAlive = false }
        guard hosts == 1 || hosts == 0 && minorVersion == 0 else {
            throw .malformed("A request must have exactly one Host.")
        }
        guard codings == 0 || lengths == 0 && minorVersion == 1 else {
            throw .malformed("Content-Length and Transfer-Encoding exclude each other.")
        }
        if framing == .none { expectsContinue = false }
    }

    /// The names of the relevant fields.
    private enum Name {
        case host, contentLength, transferEncoding, connection, expect

        init?(_ bytes: [UInt8], _ range: Range<Int>) {
            let (name, text): (Name, StaticString)
            switch range.count {
            case 4: (name, text) = (.host, "host")
            case 6: (name, text) = (.expect, "expect")
            case 10: (name, text) = (.connection, "connection")
            case 14: (name, text) = (.contentLength, "content-length")
            case 17: (name, text) = (.transferEncoding, "transfer-encoding")
            default: return nil
            }
            for offset in 0..<range.count {
                let byte = Characters.lowercased(bytes[range.lowerBound + offset])
                guard byte == text.utf8Start[offset] else { return nil }
            }
            self = name
        }
    }

    private mutating func addHost(_ value: ArraySlice<UInt8>) throws(HTTPRefusal) {
        hosts += 1
        guard Authority.isHostAndPort(value.span) else {
            throw .malformed("The Host is not a name and a port.")
        }
    }

    private mutating func addLength(_ value: ArraySlice<UInt8>) throws(HTTPRefusal) {
        lengths += 1
        guard lengths == 1, !value.isEmpty, value.allSatisfy(Characters.isDigit) else {
            throw .malformed("Content-Length must be given once and contain only digits.")
        }
        var length = 0
        for byte in value {
            guard length <= Self.lengthLimit else { throw .bodyTooLarge }
            length = length * 10 + Int(byte - UInt8(ascii: "0"))
        }
        framing = .length(length)
    }

    private mutating func addCoding(_ value: ArraySlice<UInt8>) throws(HTTPRefusal) {
        codings += 1
        if codings == 1, Characters.equalIgnoringCase(value, "chunked".utf8) {
            framing = .chunked
            return
        }
        // The codings before it must be chunked too: a list that began with another coding was refused.
        let before = value.split(separator: UInt8(ascii: ",")).dropLast()
        let isChunkedBefore =
            codings > 1
            || before.contains { Characters.equalIgnoringCase(trimmed($0), "chunked".utf8) }
        throw isChunkedBefore
            ? .malformed("The last transfer coding must be chunked, and be so once.")
            : .transferCodingNotSupported
    }

    private mutating func readConnection(_ value: ArraySlice<UInt8>, closes: inout Bool) {
        for element in value.split(separator: UInt8(ascii: ",")) {
            let option = trimmed(element)
            if Characters.equalIgnoringCase(option, "close".utf8) { closes = true }
            if Characters.equalIgnoringCase(option, "keep-alive".utf8) { keepsAlive = true }
        }
    }

    private func trimmed(_ element: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = element.drop(while: Characters.isBlank)
        let end = (start.lastIndex { !Characters.isBlank($0) }).map { $0 + 1 } ?? start.startIndex
        return start[..<end]
    }

    private mutating func readExpectation(
        _ value: ArraySlice<UInt8>, minorVersion: Int
    ) throws(HTTPRefusal) {
        guard Characters.equalIgnoringCase(value, "100-continue".utf8) else {
            throw .expectationFailed
        }
        // An HTTP/1.0 client cannot mean it (RFC 9110 section 10.1.1).
        expectsContinue = minorVersion == 1
    }

    /// Far above every limit, far below an overflow.
    private static let lengthLimit = 1 << 52
}
