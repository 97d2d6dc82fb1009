import Values

/// Puts values as text at a place in memory and returns how many bytes that took; the caller has made room.
enum JSONText {
    typealias Place = UnsafeMutablePointer<UInt8>

    /// Copies text up to its end or the first byte to escape, and returns where that is.
    static func copyPlain(_ text: UnsafeRawBufferPointer, from start: Int, to place: Place) -> Int {
        var position = start
        var place = UnsafeMutableRawPointer(place)
        while position + 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if hasSpecial(word) { break }
            place.storeBytes(of: word, as: UInt64.self)
            place += 8
            position += 8
        }
        while position < text.count {
            let byte = text[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            place.storeBytes(of: byte, as: UInt8.self)
            place += 1
            position += 1
        }
        return position
    }

    /// Whether one of eight bytes is a control character, a quote or a backslash.
    ///
    /// A byte below 0x20 borrows from its top bit, and one that is a quote or a backslash does so after it was
    /// made zero.
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

    /// Copies text with escapes; takes six bytes for each at most.
    static func copyEscaped(_ text: UnsafeRawBufferPointer, to place: Place) -> Int {
        var position = 0
        var end = place
        while position < text.count {
            let next = copyPlain(text, from: position, to: end)
            end += next - position
            if next < text.count { end += copyEscape(text[next], to: end) }
            position = next + 1
        }
        return end - place
    }

    private static func copyEscape(_ byte: UInt8, to place: Place) -> Int {
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
        place[0] = UInt8(ascii: "\\")
        if let short {
            place[1] = short
            return 2
        }
        place[1] = UInt8(ascii: "u")
        place[2] = UInt8(ascii: "0")
        place[3] = UInt8(ascii: "0")
        place[4] = hexadecimalDigit(byte >> 4)
        place[5] = hexadecimalDigit(byte & 15)
        return 6
    }

    /// Takes 20 bytes at most.
    static func copyDecimal(_ value: Int64, to place: Place) -> Int {
        var length = value < 0 ? 2 : 1
        var rest = value.magnitude / 10
        while rest > 0 {
            length += 1
            rest /= 10
        }
        rest = value.magnitude
        if value < 0 { place[0] = UInt8(ascii: "-") }
        for position in stride(from: length - 1, through: value < 0 ? 1 : 0, by: -1) {
            place[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return length
    }

    /// Takes 38 bytes, the quotes included.
    static func copy(_ value: UUID, to place: Place) -> Int {
        let quote = UInt8(ascii: "\"")
        let hyphen = UInt8(ascii: "-")
        let raw = UnsafeMutableRawPointer(place)
        let second = hexadecimalDigits(UInt32(truncatingIfNeeded: value.high))
        let third = hexadecimalDigits(UInt32(truncatingIfNeeded: value.low >> 32))
        place[0] = quote
        raw.storeBytes(
            of: hexadecimalDigits(UInt32(truncatingIfNeeded: value.high >> 32)), toByteOffset: 1,
            as: UInt64.self)
        place[9] = hyphen
        raw.storeBytes(
            of: UInt32(truncatingIfNeeded: second), toByteOffset: 10, as: UInt32.self)
        place[14] = hyphen
        raw.storeBytes(
            of: UInt32(truncatingIfNeeded: second >> 32), toByteOffset: 15, as: UInt32.self)
        place[19] = hyphen
        raw.storeBytes(of: UInt32(truncatingIfNeeded: third), toByteOffset: 20, as: UInt32.self)
        place[24] = hyphen
        raw.storeBytes(
            of: UInt32(truncatingIfNeeded: third >> 32), toByteOffset: 25, as: UInt32.self)
        raw.storeBytes(
            of: hexadecimalDigits(UInt32(truncatingIfNeeded: value.low)), toByteOffset: 29,
            as: UInt64.self)
        place[37] = quote
        return 38
    }

    /// The eight lower-case digits of a word, the first in the lowest byte: the nibbles are spread over the
    /// bytes, then those above 9 moved from behind "9" to "a".
    private static func hexadecimalDigits(_ value: UInt32) -> UInt64 {
        var digits = UInt64(value)
        digits = (digits & 0xFFFF) << 32 | digits >> 16
        digits = (digits & 0x0000_00FF_0000_00FF) << 16 | (digits & 0x0000_FF00_0000_FF00) >> 8
        digits = (digits & 0x000F_000F_000F_000F) << 8 | (digits & 0x00F0_00F0_00F0_00F0) >> 4
        let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return digits &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
    }

    /// Takes 12 bytes, the quotes included, for the years 1 to 9999.
    static func copy(_ value: Day, to place: Place) -> Int {
        place[0] = UInt8(ascii: "\"")
        copyDate(value, to: place + 1)
        place[11] = UInt8(ascii: "\"")
        return 12
    }

    /// Takes 26 bytes, the quotes included, for the years 1 to 9999.
    static func copy(_ value: Timestamp, to place: Place) -> Int {
        let dayLength: Int64 = 86_400_000
        let days = (value.milliseconds - (value.milliseconds < 0 ? dayLength - 1 : 0)) / dayLength
        let rest = UInt32(truncatingIfNeeded: value.milliseconds &- days &* dayLength)
        let seconds = rest / 1000
        let thousandths = rest % 1000
        place[0] = UInt8(ascii: "\"")
        copyDate(Day(daysSince1970: Int(days)), to: place + 1)
        place[11] = UInt8(ascii: "T")
        copyPair(seconds / 3600, to: place + 12)
        place[14] = UInt8(ascii: ":")
        copyPair(seconds / 60 % 60, to: place + 15)
        place[17] = UInt8(ascii: ":")
        copyPair(seconds % 60, to: place + 18)
        place[20] = UInt8(ascii: ".")
        place[21] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: thousandths / 100)
        copyPair(thousandths % 100, to: place + 22)
        place[24] = UInt8(ascii: "Z")
        place[25] = UInt8(ascii: "\"")
        return 26
    }

    private static func copyDate(_ value: Day, to place: Place) {
        let date = value.calendar
        let year = UInt32(truncatingIfNeeded: date.year)
        copyPair(year / 100, to: place)
        copyPair(year % 100, to: place + 2)
        place[4] = UInt8(ascii: "-")
        copyPair(UInt32(truncatingIfNeeded: date.month), to: place + 5)
        place[7] = UInt8(ascii: "-")
        copyPair(UInt32(truncatingIfNeeded: date.day), to: place + 8)
    }

    /// Two digits. A number that has more gives wrong ones, and never stops the program.
    @inline(__always)
    private static func copyPair(_ value: UInt32, to place: Place) {
        let tens = value / 10
        let digits = UInt16(truncatingIfNeeded: tens | (value &- tens &* 10) << 8)
        UnsafeMutableRawPointer(place).storeBytes(of: digits &+ 0x3030, as: UInt16.self)
    }
}
