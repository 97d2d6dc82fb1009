/// One `name=value` of a query, decoded; the value is empty where there is no `=`.
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

/// What a request asks for: the path, split before it is decoded, and the query.
///
/// `%2F` stays inside its segment; `.` and `..` have no meaning; `/` alone has no segments, and a slash at
/// the end makes an empty last one. `OPTIONS *` has no segments either.
package struct Target: Sendable, Equatable {
    package let segments: [String]
    package let query: Query

    /// Reads the origin form, the absolute form of http and https, and `*`.
    ///
    /// Refused are other bytes than visible ASCII, bad percent-encoding, what decodes to NUL or is no UTF-8.
    package init(_ bytes: ArraySlice<UInt8>) throws(HTTPRefusal) {
        guard bytes.allSatisfy(Characters.isTarget) else {
            throw .malformed("The request target holds a byte that must be encoded.")
        }
        if bytes.elementsEqual([UInt8(ascii: "*")]) {
            segments = []
            query = Query()
            return
        }
        let local = try Target.withoutAuthority(bytes)
        let pathEnd = local.firstIndex(of: UInt8(ascii: "?")) ?? local.endIndex
        var segments: [String] = []
        if pathEnd - local.startIndex > 1 {
            let path = local[(local.startIndex + 1)..<pathEnd]
            for raw in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
                segments.append(try Target.decode(raw, plusIsSpace: false))
            }
        }
        self.segments = segments
        query = try Target.query(local[pathEnd...].dropFirst())
    }

    private static func withoutAuthority(
        _ bytes: ArraySlice<UInt8>
    ) throws(HTTPRefusal) -> ArraySlice<UInt8> {
        if bytes.first == UInt8(ascii: "/") { return bytes }
        for scheme in ["http://", "https://"] where bytes.count > scheme.utf8.count {
            let start = bytes.startIndex + scheme.utf8.count
            guard Characters.equalIgnoringCase(bytes[..<start], scheme.utf8) else { continue }
            let rest = bytes[start...]
            guard let slash = rest.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == 0x3F })
            else { return [UInt8(ascii: "/")] }
            return rest[slash] == UInt8(ascii: "/")
                ? rest[slash...] : [UInt8(ascii: "/")] + rest[slash...]
        }
        throw .malformed("The request target must begin with a slash.")
    }

    private static func query(_ bytes: ArraySlice<UInt8>) throws(HTTPRefusal) -> Query {
        guard !bytes.isEmpty else { return Query() }
        var items: [QueryItem] = []
        for item in bytes.split(separator: UInt8(ascii: "&")) {
            let middle = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            let name = try decode(item[..<middle], plusIsSpace: true)
            let value = try decode(item[middle...].dropFirst(), plusIsSpace: true)
            items.append(QueryItem(name: name, value: value))
        }
        return Query(items)
    }

    private static func decode(
        _ raw: ArraySlice<UInt8>, plusIsSpace: Bool
    ) throws(HTTPRefusal) -> String {
        let percent = UInt8(ascii: "%")
        let plus = UInt8(ascii: "+")
        guard raw.contains(where: { $0 == percent || plusIsSpace && $0 == plus }) else {
            return String(decoding: raw, as: UTF8.self)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var position = raw.startIndex
        while position < raw.endIndex {
            let byte = raw[position]
            guard byte == percent else {
                bytes.append(byte == plus && plusIsSpace ? Characters.space : byte)
                position += 1
                continue
            }
            guard position + 2 < raw.endIndex,
                let high = Characters.hexadecimal(raw[position + 1]),
                let low = Characters.hexadecimal(raw[position + 2])
            else { throw .malformed("The request target holds a percent sign without two digits.") }
            bytes.append(high << 4 | low)
            position += 3
        }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed("The request target decodes to something that is no text.")
        }
        return text
    }
}
