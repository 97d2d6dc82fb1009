import Values

/// Appends JSON to bytes; puts the commas itself, and trusts the caller with brackets and keys.
package struct JSONWriter: Sendable {
    /// What has been written so far.
    package private(set) var bytes: [UInt8] = []
    /// Whether the next key or element follows another one.
    private var needsComma = false

    package init(reserving capacity: Int = 0) {
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    package mutating func key(_ name: StaticString) {
        separate()
        quote(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func key(_ name: String) {
        separate()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Appends a key made by `encodedKey`, for writers that meet the same keys row after row.
    package mutating func key(encoded: [UInt8]) {
        separate()
        bytes.append(contentsOf: encoded)
        needsComma = false
    }

    /// The bytes of a key with its quotes and colon.
    package static func encodedKey(_ name: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.key(name)
        return writer.bytes
    }

    package mutating func text(_ value: String) {
        separate()
        quote(value)
        needsComma = true
    }

    /// Appends a text that lies elsewhere as UTF-8; the caller vouches for its validity.
    package mutating func text(utf8 value: UnsafeRawBufferPointer) {
        separate()
        quote(value)
        needsComma = true
    }

    package mutating func int(_ value: Int) { int(Int64(value)) }

    package mutating func int(_ value: Int64) {
        separate()
        appendDecimal(value)
        needsComma = true
    }

    /// Appends the shortest literal that reads back as the same double; `null` for infinity and not-a-number.
    package mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        if value.magnitude < 9e15, value.rounded(.towardZero) == value,
            value != 0 || value.sign == .plus
        {
            appendDecimal(Int64(value))
        } else {
            bytes.append(contentsOf: value.description.utf8)
        }
        needsComma = true
    }

    package mutating func number(_ value: JSONNumber) {
        separate()
        bytes.append(contentsOf: value.literal.utf8)
        needsComma = true
    }

    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
        needsComma = true
    }

    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
        needsComma = true
    }

    package mutating func uuid(_ value: UUID) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        value.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    package mutating func timestamp(_ value: Timestamp) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        value.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    package mutating func day(_ value: Day) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        value.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Appends a value that is JSON already.
    package mutating func raw(_ value: UnsafeRawBufferPointer) {
        separate()
        appendBytes(value)
        needsComma = true
    }

    /// Appends a value that is JSON already.
    package mutating func raw(_ value: [UInt8]) {
        separate()
        bytes.append(contentsOf: value)
        needsComma = true
    }

    /// Ends a line, so that the next value begins a document of its own.
    package mutating func newline() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Hands out what has been written and goes on behind it: for answers that are sent in pieces.
    package mutating func take() -> [UInt8] {
        let taken = bytes
        bytes = []
        return taken
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func appendBytes(_ value: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: value)
    }
}
