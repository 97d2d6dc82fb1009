/// The date of HTTP, IMF-fixdate (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    /// - Parameter seconds: since 1970-01-01T00:00:00Z, not before it.
    package static func text(secondsSince1970 seconds: Int) -> String {
        let days = seconds / 86_400
        let rest = seconds % 86_400
        let (year, month, day) = calendar(days: days)
        return """
            \(weekdays[(days + 4) % 7]), \(two(day)) \(months[month - 1]) \(year) \
            \(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT
            """
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func two(_ value: Int) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }

    /// The civil date of a day since 1970, by 400-year eras that begin in March.
    private static func calendar(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * fromMarch + 2) / 5 + 1)
    }
}
