import Values

/// How a zone goes on after its last known change, as a POSIX `TZ` string says it: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct TimeZoneRule: Sendable {
    /// A day of the year and the second of that day, in local time.
    private struct Change: Sendable {
        let month: Int
        /// From 1; 5 is the last.
        let week: Int
        /// 0 is Sunday.
        let weekday: Int
        let second: Int

        /// Seconds since 1970, as if the local time were UTC.
        func seconds(in year: Int) -> Int64 {
            let first = Day(year: year, month: month, day: 1)!.daysSince1970
            let firstWeekday = ((first + 4) % 7 + 7) % 7
            var day = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
            let next =
                month == 12 ? first + 31 : Day(year: year, month: month + 1, day: 1)!.daysSince1970
            while day >= next { day -= 7 }
            return Int64(day) * 86_400 + Int64(second)
        }
    }

    private let standard: Int
    private let summer: (offset: Int, start: Change, end: Change)?

    /// `nil` for a text that is empty or has another form; `Jn` and `n` days occur in no zone of today.
    init?(_ text: String) {
        let parts = text.split(separator: ",")
        guard let zones = parts.first, parts.count == 1 || parts.count == 3 else { return nil }
        var rest = zones
        guard Self.skipName(&rest), let west = Self.time(&rest) else { return nil }
        standard = -west
        guard parts.count == 3 else {
            summer = nil
            return
        }
        guard Self.skipName(&rest), let start = Self.change(parts[1]),
            let end = Self.change(parts[2])
        else { return nil }
        let offset = rest.isEmpty ? standard + 3600 : Self.time(&rest).map { -$0 }
        guard let offset else { return nil }
        summer = (offset, start, end)
    }

    func offset(at seconds: Int64) -> Int {
        guard let summer else { return standard }
        let days = (seconds + Int64(standard)).floorDivided(by: 86_400)
        let year = Day(daysSince1970: Int(days)).calendar.year
        guard (1...9998).contains(year) else { return standard }
        let start = summer.start.seconds(in: year) - Int64(standard)
        let end = summer.end.seconds(in: year) - Int64(summer.offset)
        let isSummer =
            start < end
            ? seconds >= start && seconds < end : !(seconds >= end && seconds < start)
        return isSummer ? summer.offset : standard
    }

    /// A name of letters, or of anything between angle brackets.
    private static func skipName(_ text: inout Substring) -> Bool {
        if text.first == "<" {
            guard let end = text.firstIndex(of: ">") else { return false }
            text = text[text.index(after: end)...]
            return true
        }
        let name = text.prefix { $0.isLetter }
        text = text[name.endIndex...]
        return name.count >= 3
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    private static func time(_ text: inout Substring) -> Int? {
        let sign = text.first == "-" ? -1 : 1
        if text.first == "-" || text.first == "+" { text = text.dropFirst() }
        let digits = text.prefix { $0.isNumber || $0 == ":" }
        text = text[digits.endIndex...]
        let fields = digits.split(separator: ":").map { Int($0) }
        guard (1...3).contains(fields.count), fields.allSatisfy({ $0 != nil && $0! <= 167 })
        else { return nil }
        let factors = [3600, 60, 1]
        return sign * zip(fields, factors).reduce(0) { $0 + ($1.0 ?? 0) * $1.1 }
    }

    /// `Mm.w.d[/time]`.
    private static func change(_ text: Substring) -> Change? {
        let parts = text.split(separator: "/")
        guard let date = parts.first, date.first == "M", parts.count <= 2 else { return nil }
        let fields = date.dropFirst().split(separator: ".").compactMap { Int($0) }
        guard fields.count == 3, (1...12).contains(fields[0]), (1...5).contains(fields[1]),
            (0...6).contains(fields[2])
        else { return nil }
        var second = 7200
        if parts.count == 2 {
            var rest = parts[1]
            guard let time = time(&rest) else { return nil }
            second = time
        }
        return Change(month: fields[0], week: fields[1], weekday: fields[2], second: second)
    }
}
