/// One `name=value` of a query, decoded; the value is empty if there is no `=`.
package struct QueryItem: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// The items of a query in their order.
package struct Query: Sendable, Equatable {
    package let items: [QueryItem]

    package init(_ items: [QueryItem] = []) {
        self.items = items
    }

    /// The value of the first item of that name.
    package subscript(name: String) -> String? {
        for item in items where item.name == name { return item.value }
        return nil
    }

    /// The values of all items of that name.
    package func all(_ name: String) -> [String] {
        items.filter { $0.name == name }.map(\.value)
    }
}

/// The target of a request: the path, split before it is decoded, and the query.
///
/// `%2F` stays inside its segment; `.` and `..` have no meaning. `/` alone has no segments, and a slash at the
/// end makes an empty last one. `OPTIONS *` has no segments either.
package struct Target: Sendable, Equatable {
    package let segments: [String]
    package let query: Query

    /// Reads the origin form, the absolute form of http and https, and `*`.
    ///
    /// Refuses bytes other than visible ASCII, bad percent-encoding, and text that decodes to NUL or is not UTF-8.
    package init(_ bytes: [UInt8]) throws(HTTPRefusal) {
        try self.init(bytes.span)
    }

    init(_ bytes: Span<UInt8>) throws(HTTPRefusal) {
        var pathEnd = bytes.count
        for index in 0..<bytes.count {
            guard Characters.isTarget(bytes[index]) else {
                throw .malformed("The request target holds a byte that must be encoded.")
            }
            if bytes[index] == UInt8(ascii: "?"), pathEnd == bytes.count { pathEnd = index }
        }
        if bytes.count == 1, bytes[0] == UInt8(ascii: "*") {
            segments = []
            query = Query()
            return
        }
        let path = try Target.pathStart(bytes, end: pathEnd)..<pathEnd
        segments = try Target.segments(bytes, path)
        query = try Target.query(bytes, min(pathEnd + 1, bytes.count)..<bytes.count)
    }

    /// Where the path begins: after the authority in the absolute form.
    private static func pathStart(_ bytes: Span<UInt8>, end: Int) throws(HTTPRefusal) -> Int {
        if bytes.count > 0, bytes[0] == UInt8(ascii: "/") { return 0 }
        for scheme: StaticString in ["http://", "https://"] {
            let length = scheme.utf8CodeUnitCount
            guard end > length, begins(bytes, with: scheme) else { continue }
            var position = length
            while position < end, bytes[position] != UInt8(ascii: "/") { position += 1 }
            guard position > length, Authority.isHostAndPort(bytes.extracting(length..<position))
            else { throw .malformed("The authority in the request target is not a name and port.") }
            return position
        }
        throw .malformed("The request target must begin with a slash.")
    }

    private static func begins(_ bytes: Span<UInt8>, with scheme: StaticString) -> Bool {
        for index in 0..<scheme.utf8CodeUnitCount {
            let byte = Characters.lowercased(bytes[index])
            guard byte == scheme.utf8Start[index] else { return false }
        }
        return true
    }

    private static func segments(
        _ bytes: Span<UInt8>, _ path: Range<Int>
    ) throws(HTTPRefusal) -> [String] {
        guard path.count > 1 else { return [] }
        var segments: [String] = []
        segments.reserveCapacity(6)
        var start = path.lowerBound + 1
        for index in start..<path.upperBound where bytes[index] == UInt8(ascii: "/") {
            segments.append(try decode(bytes, start..<index, plusIsSpace: false))
            start = index + 1
        }
        segments.append(try decode(bytes, start..<path.upperBound, plusIsSpace: false))
        return segments
    }

    /// The items separated by `&`, each split at its first `=`; also used for forms.
    static func query(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(HTTPRefusal) -> Query {
        var items: [QueryItem] = []
        var start = range.lowerBound
        while start < range.upperBound {
            var end = start
            var middle: Int?
            while end < range.upperBound, bytes[end] != UInt8(ascii: "&") {
                if bytes[end] == UInt8(ascii: "="), middle == nil { middle = end }
                end += 1
            }
            if end > start {
                let name = try decode(bytes, start..<(middle ?? end), plusIsSpace: true)
                let rest = middle.map { $0 + 1..<end } ?? end..<end
                let value = try decode(bytes, rest, plusIsSpace: true)
                items.append(QueryItem(name: name, value: value))
            }
            start = end + 1
        }
        return Query(items)
    }

    static func decode(
        _ raw: Span<UInt8>, _ range: Range<Int>, plusIsSpace: Bool
    ) throws(HTTPRefusal) -> String {
        var isPlain = true
        for index in range {
            let byte = raw[index]
            if byte == UInt8(ascii: "%") || plusIsSpace && byte == UInt8(ascii: "+") {
                isPlain = false
            }
        }
        if isPlain {
            return raw.extracting(range).withUnsafeBufferPointer {
                String(decoding: $0, as: UTF8.self)
            }
        }
        return try decodeEncoded(raw, range, plusIsSpace: plusIsSpace)
    }

    private static func decodeEncoded(
        _ raw: Span<UInt8>, _ range: Range<Int>, plusIsSpace: Bool
    ) throws(HTTPRefusal) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            let byte = raw[position]
            guard byte == UInt8(ascii: "%") else {
                let isSpace = plusIsSpace && byte == UInt8(ascii: "+")
                bytes.append(isSpace ? Characters.space : byte)
                position += 1
                continue
            }
            guard position + 2 < range.upperBound,
                let high = Characters.hexadecimal(raw[position + 1]),
                let low = Characters.hexadecimal(raw[position + 2])
            else { throw .malformed("The request target holds a percent sign without two digits.") }
            bytes.append(high << 4 | low)
            position += 3
        }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed("The request target does not decode to text.")
        }
        return text
    }
}
