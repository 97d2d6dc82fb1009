import Values

extension JSONWriter {
    mutating func quote(_ value: String) {
        var value = value
        value.withUTF8 { quote(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a text between quotes: runs that need no escape are copied whole.
    mutating func quote(_ value: UnsafeRawBufferPointer) {
        append(UInt8(ascii: "\""))
        var start = 0
        while start < value.count {
            let end = JSONWriter.firstToEscape(value, from: start)
            if end > start { appendBytes(UnsafeRawBufferPointer(rebasing: value[start..<end])) }
            if end < value.count { appendEscape(value[end]) }
            start = end + 1
        }
        append(UInt8(ascii: "\""))
    }

    /// The position of the first control character, quote or backslash, looking at eight bytes at a time.
    private static func firstToEscape(_ value: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        let high: UInt64 = 0x8080_8080_8080_8080
        let ones: UInt64 = 0x0101_0101_0101_0101
        while position + 8 <= value.count {
            let word = value.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            let control = (word &- ones &* 0x20) & ~word
            let found =
                (control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & high
            if found != 0 {
                // The lowest mark is exact; a borrow can only spoil the bytes above it.
                return position + UInt64(littleEndian: found).trailingZeroBitCount / 8
            }
            position += 8
        }
        while position < value.count {
            let byte = value[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            position += 1
        }
        return position
    }

    private mutating func appendEscape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        default:
            append(UInt8(ascii: "u"))
            append(UInt8(ascii: "0"))
            append(UInt8(ascii: "0"))
            append(hexadecimalDigit(byte >> 4))
            append(hexadecimalDigit(byte & 15))
        }
    }

    /// Appends the digits of an integer without making a `String`.
    mutating func appendDecimal(_ value: Int64) {
        var rest = value.magnitude
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var position = 20
            repeat {
                position -= 1
                digits[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if value < 0 {
                position -= 1
                digits[position] = UInt8(ascii: "-")
            }
            appendBytes(UnsafeRawBufferPointer(rebasing: digits[position...]))
        }
    }
}

extension JSONValue {
    /// The document without white space, members in their order.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        write(into: &writer)
        return writer.bytes
    }

    package func write(into writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let value): writer.number(value)
        case .text(let value): writer.text(value)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(into: &writer) }
            writer.endArray()
        case .object(let object):
            writer.beginObject()
            for member in object.members {
                writer.key(member.key)
                member.value.write(into: &writer)
            }
            writer.endObject()
        }
    }
}

extension JSONValue: CustomStringConvertible {
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}
