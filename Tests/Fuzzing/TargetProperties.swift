import HTTPWire

/// Request targets: what is encoded comes back decoded, and only a literal slash divides.
enum TargetProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        if let target = read(input) { checkRead(target, input) }
        checkWritten(String(decoding: input, as: UTF8.self))
    }

    private static func read(_ bytes: UnsafeRawBufferPointer) -> Target? {
        let target = try? Target(Array(bytes))
        var line = Array("GET ".utf8) + Array(bytes)
        line += Array(" HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        var parser = RequestHeadParser()
        if case .complete(let head, _) = try? parser.parse(line.span) {
            require(target?.segments == head.segments, "a head has the path of its target")
            require(target?.query == head.query, "a head has the query of its target")
        }
        return target
    }

    private static func checkRead(_ target: Target, _ bytes: UnsafeRawBufferPointer) {
        let raw = Array(bytes)
        guard raw != Array("*".utf8) else { return }
        let beforeQuery = raw.prefix { $0 != UInt8(ascii: "?") }
        var path = beforeQuery
        if path.first != UInt8(ascii: "/") {
            path = path.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
            path = path.drop { $0 != UInt8(ascii: "/") }
        }
        let slashes = path.count { $0 == UInt8(ascii: "/") }
        require(
            target.segments.count == (path.count > 1 ? slashes : 0),
            "there are as many segments as slashes")
        let items = raw.dropFirst(beforeQuery.count + 1).split(separator: UInt8(ascii: "&"))
        require(target.query.items.count == items.count, "an item of the query ends at &")
        checkAgain(target)
    }

    /// Segments and items of any text read back as they were written.
    private static func checkWritten(_ text: String) {
        guard !text.utf8.contains(0), text.utf8.count < 2000 else { return }
        let parts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let items = zip(parts, parts.dropFirst()).map { QueryItem(name: $0, value: $1) }
        guard parts != [""] else { return }
        checkAgain(segments: parts, items: items)
    }

    private static func checkAgain(_ target: Target) {
        checkAgain(segments: target.segments, items: target.query.items)
    }

    private static func checkAgain(segments: [String], items: [QueryItem]) {
        let path = segments.map { "/" + encode($0) }.joined()
        let query = items.map { encode($0.name) + "=" + encode($0.value) }.joined(separator: "&")
        let text = "\(path.isEmpty ? "/" : path)?\(query)"
        let again = try? Target(Array(text.utf8))
        require(again?.segments == segments, "segments read back as they were written")
        require(again?.query.items == items, "a query reads back as it was written")
    }

    /// Percent-encodes everything except the unreserved characters of RFC 3986.
    private static func encode(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                encoded.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
