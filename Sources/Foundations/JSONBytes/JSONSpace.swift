/// Free capacity behind what a writer has written, for code that writes many rows and puts members there directly.
///
/// Asking an array for capacity before each value costs more than most values do. So nothing here checks
/// whether a value fits: before putting one at `cursor` with `JSONText`, the caller compares the bound of its
/// length, including the key, with `left`.
package struct JSONSpace: ~Copyable {
    /// Bytes after a key that copying it may read and overwrite, because it copies whole words.
    package static let slack = 8

    /// The address of the next byte.
    package var cursor: JSONText.Cursor
    /// Whether the next key or element follows another one.
    package var needsComma: Bool
    package var days: DayText
    private let end: JSONText.Cursor

    fileprivate init(
        _ space: UnsafeMutableBufferPointer<UInt8>, needsComma: Bool, days: DayText
    ) {
        cursor = space.baseAddress.unsafelyUnwrapped
        end = cursor + space.count
        self.needsComma = needsComma
        self.days = days
    }

    /// How many bytes are left for members.
    package var left: Int { end - cursor - Self.slack }

    /// Puts `{`, and a comma before it if needed: 2 bytes at most.
    package mutating func beginObject() {
        cursor[0] = UInt8(ascii: ",")
        if needsComma { cursor += 1 }
        cursor[0] = UInt8(ascii: "{")
        cursor += 1
        needsComma = false
    }

    /// Puts `}`.
    package mutating func endObject() {
        cursor[0] = UInt8(ascii: "}")
        cursor += 1
        needsComma = true
    }
}

extension JSONText {
    /// Copies a key made by `JSONWriter.memberKey`, leaving out its comma if none is needed. `JSONSpace.slack`
    /// bytes after it must be readable.
    package static func copyKey(
        _ encoded: UnsafeRawBufferPointer, withComma: Bool, to cursor: Cursor
    ) -> Int {
        let skipped = withComma ? 0 : 1
        let source = encoded.baseAddress.unsafelyUnwrapped + skipped
        let count = encoded.count &- skipped
        let cursor = UnsafeMutableRawPointer(cursor)
        var position = 0
        while position < count {
            cursor.storeBytes(
                of: source.loadUnaligned(fromByteOffset: position, as: UInt64.self),
                toByteOffset: position, as: UInt64.self)
            position &+= 8
        }
        return count
    }

    /// Copies UTF-8 as a string with its quotes; takes at most `2 + 6 * text.count` bytes.
    package static func copyText(_ text: UnsafeRawBufferPointer, to cursor: Cursor) -> Int {
        cursor[0] = UInt8(ascii: "\"")
        let plain = copyPlain(text, from: 0, to: cursor + 1)
        var end = plain + 1
        if plain < text.count {
            let rest = UnsafeRawBufferPointer(rebasing: text[plain...])
            end += copyEscaped(rest, to: cursor + end)
        }
        cursor[end] = UInt8(ascii: "\"")
        return end + 1
    }

    /// Takes 5 bytes at most.
    package static func copy(_ value: Bool, to cursor: Cursor) -> Int {
        copy(value ? "true" : "false", to: cursor)
    }

    /// Takes 4 bytes.
    package static func copyNull(to cursor: Cursor) -> Int {
        copy("null", to: cursor)
    }

    private static func copy(_ literal: StaticString, to cursor: Cursor) -> Int {
        cursor.update(from: literal.utf8Start, count: literal.utf8CodeUnitCount)
        return literal.utf8CodeUnitCount
    }
}

extension JSONWriter {
    /// Lends the free capacity behind what has been written, at least that many bytes.
    package mutating func fill(atLeast count: Int, _ body: (inout JSONSpace) -> Void) {
        var (needsComma, days) = (self.needsComma, self.days)
        let wanted = max(count + JSONSpace.slack, bytes.capacity - bytes.count)
        bytes.append(addingCapacity: wanted) { span in
            span.withUnsafeMutableBufferPointer { buffer, written in
                var space = JSONSpace(buffer, needsComma: needsComma, days: days)
                let start = space.cursor
                body(&space)
                written = space.cursor - start
                (needsComma, days) = (space.needsComma, space.days)
            }
        }
        (self.needsComma, self.days) = (needsComma, days)
    }

    /// The bytes of a key as `JSONText.copyKey` takes it: a comma, the quoted key, and a colon.
    package static func memberKey(_ name: String) -> [UInt8] {
        [UInt8(ascii: ",")] + encodedKey(name)
    }
}
