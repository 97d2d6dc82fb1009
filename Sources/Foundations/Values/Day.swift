/// A day in the proleptic Gregorian calendar, without a time zone.
package struct Day: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Days since 1970-01-01; negative before it.
    package let daysSince1970: Int

    package init(daysSince1970: Int) {
        self.daysSince1970 = daysSince1970
    }

    /// The day of a calendar date; `nil` if the date does not exist (2026-02-30).
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...Day.length(ofMonth: month, year: year)).contains(day)
        else { return nil }
        // The civil-from-days arithmetic of the 400-year era, with March as the first month.
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        daysSince1970 = era * 146_097 + dayOfEra - 719_468
    }

    /// Reads `YYYY-MM-DD`; `nil` for anything else.
    package init?(_ text: some StringProtocol) {
        guard let day = text.withBytes({ Day($0) }) else { return nil }
        self = day
    }

    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = decimal(bytes[0..<4]), let month = decimal(bytes[5..<7]),
            let day = decimal(bytes[8..<10])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The calendar date.
    package var calendar: (year: Int, month: Int, day: Int) {
        let shifted = daysSince1970 + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        let day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Appends `YYYY-MM-DD`.
    package func append(to bytes: inout [UInt8]) {
        let date = calendar
        appendPadded(date.year, digits: 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        appendPadded(date.month, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        appendPadded(date.day, digits: 2, to: &bytes)
    }

    package var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package static func < (left: Day, right: Day) -> Bool {
        left.daysSince1970 < right.daysSince1970
    }

    static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension StringProtocol {
    /// The UTF-8 bytes, without a copy if possible.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        utf8.withContiguousStorageIfAvailable(body) ?? Array(utf8).withUnsafeBufferPointer(body)
    }
}

/// The value of a run of decimal digits; `nil` if it is empty or contains anything else.
func decimal(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    guard !bytes.isEmpty, bytes.count < 10 else { return nil }
    var value = 0
    for byte in bytes {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return value
}

/// Appends a non-negative number with leading zeros.
func appendPadded(_ value: Int, digits: Int, to bytes: inout [UInt8]) {
    var divisor = 1
    for _ in 1..<digits { divisor *= 10 }
    var rest = value
    while divisor > 0 {
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / divisor % 10))
        rest %= divisor
        divisor /= 10
    }
}
