/// Reads `multipart/form-data` (RFC 7578) piece by piece, so that files of any size pass through.
///
/// Bytes go in with `append(_:)`; `next()` returns what they amount to, and `nil` when it needs more of them. Beside
/// the last piece it holds at most one part's head.
package struct MultipartReader: Sendable {
    package enum Event: Sendable, Equatable {
        /// A field begins, or a file if it has a file name. What follows until the next part is its value.
        case part(name: String, fileName: String?)
        case bytes([UInt8])
        /// The closing delimiter was read. What follows it does not matter.
        case end
    }

    private enum State {
        case preamble, afterDelimiter, head, value, end
    }

    /// The limit of a part's header fields, and of what may precede the first part.
    private static let headBytesMax = 8192

    private let delimiter: [UInt8]
    /// The first delimiter may stand at the very beginning, as if an empty line preceded it.
    private var buffer = Array("\r\n".utf8)
    private var state = State.preamble
    private var skippedBytes = 0

    /// - Parameter contentType: of the body; the initializer returns `nil` unless it is `multipart/form-data` with a
    ///   boundary of RFC 2046.
    package init?(contentType: String) {
        let parameters = HeaderParameters(contentType)
        guard parameters.value.lowercased() == "multipart/form-data",
            let boundary = parameters["boundary"], (1...70).contains(boundary.utf8.count),
            boundary.utf8.last != UInt8(ascii: " "),
            boundary.utf8.allSatisfy(Self.isBoundary)
        else { return nil }
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    package mutating func append(_ bytes: [UInt8]) { buffer += bytes }

    /// The next event, or `nil` if it takes more bytes.
    ///
    /// Throws a refusal with status 400 for a body that is malformed.
    package mutating func next() throws(HTTPRefusal) -> Event? {
        while true {
            switch state {
            case .preamble:
                guard try skipToDelimiter() else { return nil }
            case .afterDelimiter:
                guard buffer.count >= 2 else { return nil }
                let isLast = buffer.starts(with: Array("--".utf8))
                guard isLast || buffer.starts(with: Array("\r\n".utf8)) else {
                    throw .malformed("A delimiter of the multipart body does not end its line.")
                }
                buffer.removeFirst(2)
                state = isLast ? .end : .head
            case .head:
                guard let part = try takeHead() else { return nil }
                state = .value
                return part
            case .value:
                guard let bytes = takeValue() else {
                    if state == .value { return nil }
                    continue
                }
                return .bytes(bytes)
            case .end:
                buffer = []
                return .end
            }
        }
    }

    private mutating func skipToDelimiter() throws(HTTPRefusal) -> Bool {
        if let found = position(of: delimiter) {
            buffer.removeFirst(found + delimiter.count)
            state = .afterDelimiter
            return true
        }
        let skipped = max(0, buffer.count - delimiter.count + 1)
        buffer.removeFirst(skipped)
        skippedBytes += skipped
        guard skippedBytes <= Self.headBytesMax else {
            throw .malformed("The multipart body does not begin with its boundary.")
        }
        return false
    }

    /// Takes the header fields of a part.
    private mutating func takeHead() throws(HTTPRefusal) -> Event? {
        let blankLine = Array("\r\n\r\n".utf8)
        guard let end = position(of: blankLine), end <= Self.headBytesMax else {
            guard buffer.count <= Self.headBytesMax else {
                throw .malformed("The head of a part is longer than 8 KiB.")
            }
            return nil
        }
        guard let head = String(validating: buffer[..<end], as: UTF8.self) else {
            throw .malformed("The head of a part is not UTF-8.")
        }
        // The line break before the blank line stays, in case the value is empty.
        buffer.removeFirst(end + 2)
        for line in head.split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":"),
                line[..<colon].lowercased() == "content-disposition"
            else { continue }
            let parameters = HeaderParameters(String(line[line.index(after: colon)...]))
            guard parameters.value.lowercased() == "form-data", let name = parameters["name"]
            else { break }
            return .part(name: name, fileName: parameters["filename"])
        }
        throw .malformed("A part of the multipart body does not say which field it is.")
    }

    /// Takes what is surely part of the value: `nil` if nothing is, or if the value has ended.
    private mutating func takeValue() -> [UInt8]? {
        if let found = position(of: delimiter) {
            let bytes = valueBytes(upTo: found)
            buffer.removeFirst(found + delimiter.count)
            isInValue = false
            state = .afterDelimiter
            return bytes.isEmpty ? nil : bytes
        }
        let count = buffer.count - delimiter.count + 1
        guard count > 2 else { return nil }
        let bytes = valueBytes(upTo: count)
        buffer.removeFirst(count)
        isInValue = true
        return bytes.isEmpty ? nil : bytes
    }

    /// Whether some of the value was taken already: its beginning is preceded by the line break of the head.
    private var isInValue = false

    private func valueBytes(upTo end: Int) -> [UInt8] {
        isInValue ? Array(buffer[..<end]) : Array(buffer[min(2, end)..<end])
    }

    private func position(of pattern: [UInt8]) -> Int? {
        guard buffer.count >= pattern.count else { return nil }
        let bytes = buffer.span
        let pattern = pattern.span
        search: for start in 0...(bytes.count - pattern.count) {
            for index in pattern.indices where bytes[start + index] != pattern[index] {
                continue search
            }
            return start
        }
        return nil
    }

    private static func isBoundary(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
    }
}

/// The value of a header field before its first semicolon, and the parameters behind it.
///
/// Within quotation marks every character stands for itself, but `%22`, `%0D` and `%0A`, as browsers write file names
/// (WHATWG HTML, 4.10.21.8).
struct HeaderParameters {
    let value: String
    private var parameters: [String: String] = [:]

    init(_ text: String) {
        var rest = Substring(text)
        value = String(Self.trimmed(rest.prefix { $0 != ";" }))
        rest = rest.drop { $0 != ";" }
        while rest.first == ";" {
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(name.count)
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst()
            let value: Substring
            if rest.first == "\"" {
                value = rest.dropFirst().prefix { $0 != "\"" }
                rest = rest.dropFirst(value.count + 2).drop { $0 != ";" }
            } else {
                value = Self.trimmed(rest.prefix { $0 != ";" })
                rest = rest.drop { $0 != ";" }
            }
            // The first one counts.
            let key = Self.trimmed(name).lowercased()
            if parameters[key] == nil { parameters[key] = Self.decoded(value) }
        }
    }

    subscript(name: String) -> String? { parameters[name] }

    private static func decoded(_ text: Substring) -> String {
        String(text).replacing("%22", with: "\"").replacing("%0D", with: "\r")
            .replacing("%0A", with: "\n")
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { start[...$0] } ?? start.prefix(0)
    }
}
