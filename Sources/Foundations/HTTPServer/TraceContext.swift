import HTTPWire

/// Which trace a request belongs to, as its `traceparent` says (W3C Trace Context, level 1), so that the lines of a log
/// can be found by it.
package struct TraceContext: Sendable, Equatable {
    /// 32 hexadecimal digits in lower case, not all of them 0.
    package let traceID: String
    /// The id of the caller's step: 16 such digits.
    package let parentID: String

    /// Reads the field of a request. `nil` if there is none, or anything but exactly one valid field: an invalid one
    /// must be ignored, and nothing that a client makes up may get into a log.
    package init?(_ headers: HeaderFields) {
        guard let first = headers["traceparent"], headers.all("traceparent").count == 1 else {
            return nil
        }
        self.init(first)
    }

    /// Reads `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`. Later versions may append more.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        let hyphen = UInt8(ascii: "-")
        guard (55...512).contains(bytes.count),
            [2, 35, 52].allSatisfy({ bytes[$0] == hyphen }),
            [0..<2, 3..<35, 36..<52, 53..<55].allSatisfy({ bytes[$0].allSatisfy(Self.isDigit) })
        else { return nil }
        let version = bytes[0..<2]
        let isWhole =
            version.elementsEqual("00".utf8)
            ? bytes.count == 55 : bytes.count == 55 || bytes[55] == hyphen
        guard isWhole, !version.elementsEqual("ff".utf8),
            [3..<35, 36..<52].allSatisfy({ bytes[$0].contains { $0 != UInt8(ascii: "0") } })
        else { return nil }
        traceID = String(decoding: bytes[3..<35], as: UTF8.self)
        parentID = String(decoding: bytes[36..<52], as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}

extension HTTPRequest {
    /// The trace that the client says the request belongs to.
    package var trace: TraceContext? { TraceContext(headers) }
}
