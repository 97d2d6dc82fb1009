import Values

extension LocalTime {
    init(day: Day, hour: Int, minute: Int) {
        self.day = day
        self.hour = hour
        self.minute = minute
    }

    /// A time as a field sends it or a person types it: `17:00`, `9:05` or `17.00`; `nil` for anything else.
    init?(day: Day, time: String) {
        let parts = time.split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == ":" || $0 == "." })
        guard parts.count == 2, parts[0].count <= 2, parts[1].count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        self.init(day: day, hour: hour, minute: minute)
    }

    /// The moment at which the clock on the wall shows this.
    ///
    /// Where clocks are put back, the first of the two; where they are put forward, the time as if they had not been.
    func moment(in zone: TimeZone) -> Timestamp {
        let local = Int64(day.daysSince1970) * 86_400 + Int64(hour * 3600 + minute * 60)
        let before = local - Int64(zone.offset(at: local - 86_400))
        let after = local - Int64(zone.offset(at: local + 86_400))
        let seconds = [before, after].first { $0 + Int64(zone.offset(at: $0)) == local } ?? before
        return Timestamp(milliseconds: seconds * 1000)
    }
}
