import Values

/// A moment as the clock on the school's wall shows it.
package struct LocalTime: Sendable, Equatable {
    package let day: Day
    package let hour: Int
    package let minute: Int

    package init(_ moment: Timestamp, in zone: TimeZone) {
        let seconds = moment.milliseconds.floorDivided(by: 1000)
        let local = seconds + Int64(zone.offset(at: seconds))
        let days = local.floorDivided(by: 86_400)
        day = Day(daysSince1970: Int(days))
        let rest = Int(local - days * 86_400)
        hour = rest / 3600
        minute = rest / 60 % 60
    }
}

extension Day {
    /// 0 for Monday to 6 for Sunday; 1970 began on a Thursday.
    var weekday: Int { ((daysSince1970 + 3) % 7 + 7) % 7 }
}

extension Int64 {
    func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}

extension Texts {
    /// `Fri 20 Nov`; with the year if it is not that of `today`.
    package func day(_ day: Day, today: Day) -> String {
        let (year, month, date) = day.calendar
        let weekday = Self.shortWeekdays[language]![day.weekday]
        let isThisYear = year == today.calendar.year
        switch language {
        case .english:
            let text = "\(weekday) \(date) \(Self.englishMonths[month - 1].prefix(3))"
            return isThisYear ? text : "\(text) \(year)"
        case .german:
            let text = "\(weekday), \(date). \(Self.germanShortMonths[month - 1])"
            return isThisYear ? text : "\(text) \(year)"
        case .japanese: return "\(isThisYear ? "" : "\(year)年")\(month)月\(date)日（\(weekday)）"
        case .chinese: return "\(isThisYear ? "" : "\(year)年")\(month)月\(date)日\(weekday)"
        }
    }

    /// `20 Nov`, where there is little space.
    package func shortDay(_ day: Day) -> String {
        let (_, month, date) = day.calendar
        return switch language {
        case .english: "\(date) \(Self.englishMonths[month - 1].prefix(3))"
        case .german: "\(date). \(Self.germanShortMonths[month - 1])"
        case .japanese, .chinese: "\(month)/\(date)"
        }
    }

    /// `Sunday 22 November`, for headings.
    package func longDay(_ day: Day) -> String {
        let (_, month, date) = day.calendar
        let weekday = Self.weekdays[language]![day.weekday]
        switch language {
        case .english: return "\(weekday) \(date) \(Self.englishMonths[month - 1])"
        case .german: return "\(weekday), \(date). \(Self.germanMonths[month - 1])"
        case .japanese: return "\(month)月\(date)日 \(weekday)"
        case .chinese: return "\(month)月\(date)日 \(weekday)"
        }
    }

    /// `17:00`.
    package func time(_ time: LocalTime) -> String {
        "\(time.hour):\(time.minute < 10 ? "0" : "")\(time.minute)"
    }

    /// `Fri 20 Nov, 17:00`; `Today, 17:00` where it is today.
    package func moment(_ time: LocalTime, today: Day) -> String {
        let day = time.day == today ? self(CommonText.today) : self.day(time.day, today: today)
        return self(CommonText.dayAndTime, ["day": day, "time": self.time(time)])
    }

    private static let englishMonths = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
    private static let germanMonths = [
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
        "Oktober", "November", "Dezember",
    ]
    private static let germanShortMonths = [
        "Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.",
        "Dez.",
    ]
    private static let weekdays: [Language: [String]] = [
        .english: [
            "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
        ],
        .german: [
            "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag",
        ],
        .japanese: ["月曜日", "火曜日", "水曜日", "木曜日", "金曜日", "土曜日", "日曜日"],
        .chinese: ["星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"],
    ]
    /// The short name of a day of the week, from 1 for Monday to 7 for Sunday.
    package func weekday(_ number: Int) -> String { Self.shortWeekdays[language]![number - 1] }

    private static let shortWeekdays: [Language: [String]] = [
        .english: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
        .german: ["Mo.", "Di.", "Mi.", "Do.", "Fr.", "Sa.", "So."],
        .japanese: ["月", "火", "水", "木", "金", "土", "日"],
        .chinese: ["周一", "周二", "周三", "周四", "周五", "周六", "周日"],
    ]
}
