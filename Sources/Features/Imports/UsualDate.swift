import Values

/// A day in one of the forms that spreadsheets and information systems write.
enum UsualDate {
    case certain(Day)
    /// It may be either: the month first, or the day.
    case ambiguous(Day, Day)

    /// `nil` if it is none.
    init?(_ text: String) {
        let bytes = text.utf8
        // What follows a space or a T is the time of day.
        let date = bytes.prefix { $0 != UInt8(ascii: "T") && $0 != UInt8(ascii: " ") }
        let time = bytes.dropFirst(date.count).dropFirst()
        guard time.allSatisfy(Self.mayStandInTime),
            let separator = date.first(where: { !Self.isDigit($0) })
        else {
            guard date.count == 8, date.count == bytes.count, let day = Self.packed(date) else {
                return nil
            }
            self = .certain(day)
            return
        }
        let parts = date.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Self.number($0) }
        guard parts.count == 3, numbers.count == 3, "-/.".utf8.contains(separator) else {
            return nil
        }
        if parts[0].count == 4 {
            guard let day = Day(year: numbers[0], month: numbers[1], day: numbers[2]) else {
                return nil
            }
            self = .certain(day)
        } else if parts[2].count == 4 {
            self.init(numbers, isGerman: separator == UInt8(ascii: "."))
        } else {
            return nil
        }
    }

    /// With the year last: points stand where the day comes first.
    private init?(_ numbers: [Int], isGerman: Bool) {
        let dayFirst = Day(year: numbers[2], month: numbers[1], day: numbers[0])
        let monthFirst = isGerman ? nil : Day(year: numbers[2], month: numbers[0], day: numbers[1])
        switch (monthFirst, dayFirst) {
        case (let day?, nil), (nil, let day?): self = .certain(day)
        case (let month?, let day?): self = month == day ? .certain(day) : .ambiguous(month, day)
        case (nil, nil): return nil
        }
    }

    private static func packed(_ bytes: Substring.UTF8View.SubSequence) -> Day? {
        guard let number = number(bytes) else { return nil }
        return Day(year: number / 10_000, month: number / 100 % 100, day: number % 100)
    }

    private static func number(_ bytes: Substring.UTF8View.SubSequence) -> Int? {
        guard (1...8).contains(bytes.count), bytes.allSatisfy(isDigit) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func mayStandInTime(_ byte: UInt8) -> Bool {
        isDigit(byte) || ":.+-ZAPM ".utf8.contains(byte)
    }
}
