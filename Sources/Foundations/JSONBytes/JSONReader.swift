extension JSONValue {
    /// Reads one document, from the first byte to the last.
    package init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        self = try bytes.withUnsafeBytes { JSONReader.read($0, limits: limits) }.get()
    }

    /// Reads one document from part of a larger buffer; offsets count from the start of the slice.
    package init(
        parsing bytes: ArraySlice<UInt8>, limits: JSONLimits = JSONLimits()
    ) throws(JSONError) {
        self = try bytes.withUnsafeBytes { JSONReader.read($0, limits: limits) }.get()
    }

    /// Reads one document from memory owned by other code, such as a database result.
    package init(
        parsing bytes: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits()
    ) throws(JSONError) {
        self = try JSONReader.read(bytes, limits: limits).get()
    }

    /// Reads one document.
    package init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }
}

/// Reads a document by recursive descent; `JSONLimits.depth` bounds the recursion.
struct JSONReader {
    let bytes: UnsafeRawBufferPointer
    let limits: JSONLimits
    var position = 0

    static func read(
        _ bytes: UnsafeRawBufferPointer, limits: JSONLimits
    ) -> Result<JSONValue, JSONError> {
        Result { () throws(JSONError) in
            var reader = JSONReader(bytes: bytes, limits: limits)
            let value = try reader.value(depth: 0)
            reader.skipSpace()
            guard reader.position == bytes.count else { throw reader.error(.trailingBytes) }
            return value
        }
    }

    /// The byte at the position, or `nil` at the end.
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    func error(_ reason: JSONError.Reason, at offset: Int? = nil) -> JSONError {
        JSONError(pointer: "", offset: offset ?? position, reason: reason)
    }

    /// The error for a byte that is not allowed at the position, or for the end of the document.
    var unexpected: JSONError { error(position < bytes.count ? .unexpectedByte : .ended) }

    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipSpace()
        guard let byte = current else { throw error(.ended) }
        switch byte {
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try number())
        default: throw unexpected
        }
    }

    private mutating func word(
        _ word: StaticString, _ value: JSONValue
    ) throws(JSONError) -> JSONValue {
        for index in 0..<word.utf8CodeUnitCount {
            guard current == word.utf8Start[index] else { throw unexpected }
            position += 1
        }
        return value
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= limits.depth else { throw error(.tooDeep) }
        position += 1
        var elements: [JSONValue] = []
        skipSpace()
        if current == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            do throws(JSONError) {
                elements.append(try value(depth: depth))
            } catch {
                throw error.inside(String(elements.count))
            }
            skipSpace()
            switch current {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "]"):
                position += 1
                return elements
            default: throw unexpected
            }
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        guard depth <= limits.depth else { throw error(.tooDeep) }
        position += 1
        var members: [JSONObject.Member] = []
        var seen = SeenKeys()
        skipSpace()
        if current == UInt8(ascii: "}") {
            position += 1
            return JSONObject(unique: members)
        }
        while true {
            skipSpace()
            guard current == UInt8(ascii: "\"") else { throw unexpected }
            let start = position
            let key = try text()
            guard seen.insert(key, among: members) else {
                throw error(.duplicateKey, at: start).inside(key)
            }
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw unexpected.inside(key) }
            position += 1
            do throws(JSONError) {
                members.append(JSONObject.Member(key: key, value: try value(depth: depth)))
            } catch {
                throw error.inside(key)
            }
            skipSpace()
            switch current {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "}"):
                position += 1
                return JSONObject(unique: members)
            default: throw unexpected
            }
        }
    }
}

/// The keys of the object being read: compared one by one while few, hashed once they are many, so that no
/// document takes quadratic time.
struct SeenKeys {
    private var hashed: Set<ExactText> = []

    /// Returns false if the key was already there.
    mutating func insert(_ key: String, among members: [JSONObject.Member]) -> Bool {
        if members.count < 16 {
            return members.withUnsafeBufferPointer { $0.position(of: key) } == nil
        }
        if hashed.isEmpty { hashed = Set(members.map { ExactText($0.key) }) }
        return hashed.insert(ExactText(key)).inserted
    }
}
