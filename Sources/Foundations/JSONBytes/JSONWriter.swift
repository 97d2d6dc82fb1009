import Values

/// Appends JSON to a byte array; inserts the commas itself, and trusts the caller with brackets and keys.
package struct JSONWriter: Sendable {
    /// What has been written since the last `take()`.
    package internal(set) var bytes: [UInt8] = []
    /// Whether the next key or element follows another one.
    var needsComma = false
    /// The day of the last moment, since consecutive moments often share their day.
    var days = DayText()

    package init(reserving capacity: Int = 0) {
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    package mutating func key(_ name: StaticString) {
        text(utf8: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        endKey()
    }

    package mutating func key(_ name: String) {
        text(name)
        endKey()
    }

    /// Appends a key made by `encodedKey`, for writers that use the same keys row after row.
    package mutating func key(encoded: [UInt8]) {
        encoded.withUnsafeBytes { key(encoded: $0) }
    }

    /// Appends a key made by `encodedKey`, from other memory.
    package mutating func key(encoded: UnsafeRawBufferPointer) {
        raw(encoded)
        needsComma = false
    }

    /// The bytes of a key with its quotes and colon.
    package static func encodedKey(_ name: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.key(name)
        return writer.bytes
    }

    /// The bytes of a string with its quotes.
    package static func encodedText(_ value: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.text(value)
        return writer.bytes
    }

    package mutating func text(_ value: String) {
        var value = value
        value.withUTF8 { text(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Appends a string from UTF-8 in other memory; the caller guarantees its validity.
    package mutating func text(utf8 value: UnsafeRawBufferPointer) {
        var copied = 0
        put(atMost: value.count + 2) { cursor in
            cursor[0] = UInt8(ascii: "\"")
            copied = JSONText.copyPlain(value, from: 0, to: cursor + 1)
            cursor[copied + 1] = UInt8(ascii: "\"")
            return copied == value.count ? copied + 2 : copied + 1
        }
        if copied < value.count { appendEscaped(value, from: copied) }
    }

    package mutating func int(_ value: Int) { int(Int64(value)) }

    package mutating func int(_ value: Int64) {
        put(atMost: 20) { JSONText.copyDecimal(value, to: $0) }
    }

    /// Appends the shortest literal that reads back as the same double; `null` for infinity and not-a-number.
    package mutating func double(_ value: Double) {
        put(atMost: 24) { JSONText.copy(value, to: $0) }
    }

    package mutating func number(_ value: JSONNumber) { raw(value.literal) }

    package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    package mutating func null() { raw("null") }

    package mutating func uuid(_ value: UUID) {
        put(atMost: 38) { JSONText.copy(value, to: $0) }
    }

    package mutating func timestamp(_ value: Timestamp) {
        var days = self.days
        put(atMost: 26) { JSONText.copy(value, days: &days, to: $0) }
        self.days = days
    }

    package mutating func day(_ value: Day) {
        put(atMost: 12) { JSONText.copy(value, to: $0) }
    }

    /// Appends a value that is already JSON.
    package mutating func raw(_ value: UnsafeRawBufferPointer) {
        put(atMost: value.count) { cursor in
            UnsafeMutableRawBufferPointer(start: cursor, count: value.count).copyMemory(from: value)
            return value.count
        }
    }

    /// Appends a value that is already JSON.
    package mutating func raw(_ value: [UInt8]) {
        value.withUnsafeBytes { raw($0) }
    }

    private mutating func raw(_ literal: String) {
        var literal = literal
        literal.withUTF8 { raw(UnsafeRawBufferPointer($0)) }
    }

    /// Ends a line, so that the next value begins a new document.
    package mutating func newline() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Returns what has been written and continues after it, for answers that are sent in pieces.
    package mutating func take() -> [UInt8] {
        let taken = bytes
        bytes = []
        return taken
    }

    private mutating func open(_ bracket: UInt8) {
        put(atMost: 1) { cursor in
            cursor[0] = bracket
            return 1
        }
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func endKey() {
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Appends a comma if needed, and then the bytes that `body` writes and returns the length of.
    ///
    /// Checks the capacity once per value: appending byte by byte took four times as long.
    @inline(__always)
    mutating func put(
        atMost count: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int
    ) {
        let comma = needsComma ? 1 : 0
        bytes.append(addingCapacity: count + 1) { span in
            span.withUnsafeMutableBufferPointer { buffer, written in
                guard let cursor = buffer.baseAddress else { return }
                cursor[0] = UInt8(ascii: ",")
                written = comma + body(cursor + comma)
            }
        }
        needsComma = true
    }
}
