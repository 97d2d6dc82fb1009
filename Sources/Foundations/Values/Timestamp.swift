/// A moment in UTC, to the millisecond.
package struct Timestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
    package let milliseconds: Int64

    /// The years 1 to 9999 in UTC, which can be written as RFC 3339.
    package static let writable: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Reads RFC 3339 with any offset, `T` and `Z` in either case, and up to twelve fractional digits (cut to
    /// milliseconds). Returns `nil` for anything else, also if the offset leads out of the years 1 to 9999. A
    /// leap second counts as the second after it.
    package init?(_ text: some StringProtocol) {
        guard let timestamp = text.withBytes({ Timestamp($0) }) else { return nil }
        self = timestamp
    }

    private init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= 20, bytes[10] | 0x20 == UInt8(ascii: "t"),
            let day = Day(UnsafeBufferPointer(rebasing: bytes[0..<10])),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let hour = decimal(bytes[11..<13]), let minute = decimal(bytes[14..<16]),
            let second = decimal(bytes[17..<19]), hour < 24, minute < 60, second <= 60
        else { return nil }
        var rest = bytes[19...]
        var thousandths = 0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (48...57).contains($0) }
            guard !digits.isEmpty, digits.count <= 12 else { return nil }
            for position in 0..<3 {
                let digit = position < digits.count ? digits[digits.startIndex + position] - 48 : 0
                thousandths = thousandths * 10 + Int(digit)
            }
            rest = rest[(rest.startIndex + 1 + digits.count)...]
        }
        guard let offsetMinutes = Timestamp.offsetMinutes(UnsafeBufferPointer(rebasing: rest))
        else { return nil }
        let minutes = (day.daysSince1970 * 24 + hour) * 60 + minute - offsetMinutes
        milliseconds = Int64((minutes * 60 + second) * 1000 + thousandths)
        guard Timestamp.writable.contains(milliseconds) else { return nil }
    }

    /// Appends RFC 3339 in UTC with exactly three fractional digits.
    package func append(to bytes: inout [UInt8]) {
        let dayLength: Int64 = 86_400_000
        var days = milliseconds / dayLength
        var rest = milliseconds % dayLength
        if rest < 0 {
            rest += dayLength
            days -= 1
        }
        Day(daysSince1970: Int(days)).append(to: &bytes)
        bytes.append(UInt8(ascii: "T"))
        appendPadded(Int(rest / 3_600_000), digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        appendPadded(Int(rest / 60_000 % 60), digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        appendPadded(Int(rest / 1000 % 60), digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "."))
        appendPadded(Int(rest % 1000), digits: 3, to: &bytes)
        bytes.append(UInt8(ascii: "Z"))
    }

    package var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    private static func offsetMinutes(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        if text.count == 1, text[0] | 0x20 == UInt8(ascii: "z") { return 0 }
        guard text.count == 6, text[3] == UInt8(ascii: ":"),
            text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"),
            let hours = decimal(text[1..<3]), let minutes = decimal(text[4..<6]),
            hours < 24, minutes < 60
        else { return nil }
        let offset = hours * 60 + minutes
        return text[0] == UInt8(ascii: "-") ? -offset : offset
    }
}
