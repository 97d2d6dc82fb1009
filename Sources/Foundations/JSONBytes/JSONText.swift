import Values

/// Writes values as text to memory and returns how many bytes that took; the caller has reserved enough.
///
/// For little-endian machines only, as words are stored whole.
package enum JSONText {
    package typealias Cursor = UnsafeMutablePointer<UInt8>

    /// Copies text up to its end or to the first byte that needs escaping, and returns where that is.
    static func copyPlain(_ text: UnsafeRawBufferPointer, from start: Int, to cursor: Cursor) -> Int
    {
        guard start < text.count else { return start }
        let source = text.baseAddress.unsafelyUnwrapped + start
        let count = text.count - start
        if copyWhole(source, count, to: UnsafeMutableRawPointer(cursor)) { return text.count }
        var position = 0
        while position < count {
            let byte = source.load(fromByteOffset: position, as: UInt8.self)
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            cursor[position] = byte
            position += 1
        }
        return start + position
    }

    /// Copies text in words, of which the last may overlap the one before. Returns false if a byte needs
    /// escaping; the bytes written are then undefined.
    @inline(__always)
    private static func copyWhole(
        _ text: UnsafeRawPointer, _ count: Int, to cursor: UnsafeMutableRawPointer
    ) -> Bool {
        if count < 8 { return copyShort(text, count, to: cursor) }
        var position = 0
        while position < count &- 8 {
            let word = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if hasSpecial(word) { return false }
            cursor.storeBytes(of: word, toByteOffset: position, as: UInt64.self)
            position &+= 8
        }
        let last = text.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        cursor.storeBytes(of: last, toByteOffset: count &- 8, as: UInt64.self)
        return !hasSpecial(last)
    }

    /// The same for fewer than eight bytes: two halves that may overlap.
    @inline(__always)
    private static func copyShort(
        _ text: UnsafeRawPointer, _ count: Int, to cursor: UnsafeMutableRawPointer
    ) -> Bool {
        if count >= 4 {
            let first = text.loadUnaligned(as: UInt32.self)
            let last = text.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            cursor.storeBytes(of: first, as: UInt32.self)
            cursor.storeBytes(of: last, toByteOffset: count &- 4, as: UInt32.self)
            return !hasSpecial(UInt64(first) | UInt64(last) << 32)
        }
        for position in 0..<count {
            let byte = text.load(fromByteOffset: position, as: UInt8.self)
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                return false
            }
            cursor.storeBytes(of: byte, toByteOffset: position, as: UInt8.self)
        }
        return true
    }

    /// Whether one of eight bytes is a control character, a quote or a backslash.
    ///
    /// A byte below 0x20 borrows from its top bit when 0x20 is subtracted; a quote or backslash, turned into
    /// zero before, does so when 1 is subtracted.
    @inline(__always)
    static func hasSpecial(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let marks =
            (word &- ones &* 0x20) & ~word | (quote &- ones) & ~quote
            | (backslash &- ones) & ~backslash
        return marks & 0x8080_8080_8080_8080 != 0
    }

    /// Copies text with escapes; takes at most six bytes per byte.
    package static func copyEscaped(_ text: UnsafeRawBufferPointer, to cursor: Cursor) -> Int {
        var position = 0
        var end = cursor
        while position < text.count {
            let next = copyPlain(text, from: position, to: end)
            end += next - position
            if next < text.count { end += copyEscape(text[next], to: end) }
            position = next + 1
        }
        return end - cursor
    }

    private static func copyEscape(_ byte: UInt8, to cursor: Cursor) -> Int {
        let short: UInt8? =
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
            case 0x08: UInt8(ascii: "b")
            case 0x09: UInt8(ascii: "t")
            case 0x0A: UInt8(ascii: "n")
            case 0x0C: UInt8(ascii: "f")
            case 0x0D: UInt8(ascii: "r")
            default: nil
            }
        cursor[0] = UInt8(ascii: "\\")
        if let short {
            cursor[1] = short
            return 2
        }
        cursor[1] = UInt8(ascii: "u")
        cursor[2] = UInt8(ascii: "0")
        cursor[3] = UInt8(ascii: "0")
        cursor[4] = hexadecimalDigit(byte >> 4)
        cursor[5] = hexadecimalDigit(byte & 15)
        return 6
    }

    /// Takes at most 20 bytes.
    package static func copyDecimal(_ value: Int64, to cursor: Cursor) -> Int {
        var length = value < 0 ? 2 : 1
        var rest = value.magnitude / 10
        while rest > 0 {
            length += 1
            rest /= 10
        }
        rest = value.magnitude
        if value < 0 { cursor[0] = UInt8(ascii: "-") }
        for position in stride(from: length - 1, through: value < 0 ? 1 : 0, by: -1) {
            cursor[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return length
    }

    /// Takes 38 bytes, the quotes included.
    package static func copy(_ value: UUID, to cursor: Cursor) -> Int {
        let pairs = hexadecimalPairs
        let raw = UnsafeMutableRawPointer(cursor)
        raw.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        copy(value.high >> 32, bytes: 4, pairs, to: raw + 1)
        raw.storeBytes(of: UInt8(ascii: "-"), toByteOffset: 9, as: UInt8.self)
        copy(value.high >> 16, bytes: 2, pairs, to: raw + 10)
        raw.storeBytes(of: UInt8(ascii: "-"), toByteOffset: 14, as: UInt8.self)
        copy(value.high, bytes: 2, pairs, to: raw + 15)
        raw.storeBytes(of: UInt8(ascii: "-"), toByteOffset: 19, as: UInt8.self)
        copy(value.low >> 48, bytes: 2, pairs, to: raw + 20)
        raw.storeBytes(of: UInt8(ascii: "-"), toByteOffset: 24, as: UInt8.self)
        copy(value.low, bytes: 6, pairs, to: raw + 25)
        raw.storeBytes(of: UInt8(ascii: "\""), toByteOffset: 37, as: UInt8.self)
        return 38
    }

    /// Two digits for each of the lowest bytes of a word, the highest byte first.
    @inline(__always)
    private static func copy(
        _ word: UInt64, bytes: Int, _ pairs: UnsafePointer<UInt16>,
        to cursor: UnsafeMutableRawPointer
    ) {
        for position in 0..<bytes {
            let byte = Int(truncatingIfNeeded: word >> UInt64((bytes - 1 - position) * 8) & 0xFF)
            cursor.storeBytes(of: pairs[byte], toByteOffset: position * 2, as: UInt16.self)
        }
    }

    /// The two lower-case digits of each byte, the first in the lower half; lives as long as the process.
    private nonisolated(unsafe) static let hexadecimalPairs: UnsafePointer<UInt16> = {
        let pairs = UnsafeMutablePointer<UInt16>.allocate(capacity: 256)
        for byte in 0...UInt8.max {
            let digits =
                UInt16(hexadecimalDigit(byte >> 4)) | UInt16(hexadecimalDigit(byte & 15)) << 8
            pairs[Int(byte)] = digits
        }
        return UnsafePointer(pairs)
    }()

    /// Takes 12 bytes, the quotes included, for the years 1 to 9999.
    package static func copy(_ value: Day, to cursor: Cursor) -> Int {
        cursor[0] = UInt8(ascii: "\"")
        copyDate(value, to: cursor + 1)
        cursor[11] = UInt8(ascii: "\"")
        return 12
    }

    /// Takes 26 bytes, the quotes included, for the years 1 to 9999.
    package static func copy(
        _ value: Timestamp, days: inout DayText, to cursor: Cursor
    ) -> Int {
        let rest = days.move(to: value)
        let seconds = rest / 1000
        let thousandths = rest % 1000
        cursor[0] = UInt8(ascii: "\"")
        days.copy(to: cursor + 1)
        cursor[11] = UInt8(ascii: "T")
        copyPair(seconds / 3600, to: cursor + 12)
        cursor[14] = UInt8(ascii: ":")
        copyPair(seconds / 60 % 60, to: cursor + 15)
        cursor[17] = UInt8(ascii: ":")
        copyPair(seconds % 60, to: cursor + 18)
        cursor[20] = UInt8(ascii: ".")
        cursor[21] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: thousandths / 100)
        copyPair(thousandths % 100, to: cursor + 22)
        cursor[24] = UInt8(ascii: "Z")
        cursor[25] = UInt8(ascii: "\"")
        return 26
    }

    /// Takes 10 bytes, for the years 1 to 9999.
    static func copyDate(_ value: Day, to cursor: Cursor) {
        let date = value.calendar
        let year = UInt32(truncatingIfNeeded: date.year)
        copyPair(year / 100, to: cursor)
        copyPair(year % 100, to: cursor + 2)
        cursor[4] = UInt8(ascii: "-")
        copyPair(UInt32(truncatingIfNeeded: date.month), to: cursor + 5)
        cursor[7] = UInt8(ascii: "-")
        copyPair(UInt32(truncatingIfNeeded: date.day), to: cursor + 8)
    }

    /// Two digits. A number with more digits gives wrong output but never stops the program.
    @inline(__always)
    private static func copyPair(_ value: UInt32, to cursor: Cursor) {
        let tens = value / 10
        let digits = UInt16(truncatingIfNeeded: tens | (value &- tens &* 10) << 8)
        UnsafeMutableRawPointer(cursor).storeBytes(of: digits &+ 0x3030, as: UInt16.self)
    }
}
