import Foundation

/// The server's time by the device's clocks.
///
/// It is kept as a difference to the uptime: within one boot a wall clock that is set changes nothing.
struct ServerClock: Codable, Equatable {
    /// The boot that the differences belong to.
    private(set) var bootID: String
    /// The last five differences between the server's clock and the uptime, in seconds.
    private(set) var differences: [Double] = []
    /// The difference in use. It follows the median only when that has moved by more than a second, so that the jitter
    /// of single calls does not move times against each other.
    private(set) var difference: Double?
    /// What was known in the boots before, the latest last: what they recorded may still wait.
    private(set) var former: [Boot] = []

    struct Boot: Codable, Equatable {
        let id: String
        let difference: Double
    }

    init(bootID: String) {
        self.bootID = bootID
    }

    /// Learns from an answer.
    ///
    /// - Parameter date: the server's clock, at some moment between the two.
    mutating func learn(_ date: Date, from before: Moment, to after: Moment) {
        guard before.bootID == after.bootID, after.uptime >= before.uptime,
            after.uptime - before.uptime < Self.longestCall
        else { return }
        if bootID != after.bootID { begin(after.bootID) }
        differences = differences.suffix(4) + [Self.difference(date, before, after)]
        let sorted = differences.sorted()
        let median = sorted[(sorted.count - 1) / 2]
        if let difference, abs(difference - median) <= 1 { return }
        difference = median
    }

    /// The server says whole seconds. A device's clock that agrees with it is the better one of the two: it knows the
    /// milliseconds, and an attempt that begins right after its assignment is not moved before it.
    private static func difference(_ date: Date, _ before: Moment, _ after: Moment) -> Double {
        let second = date.timeIntervalSince1970
        let wall = after.wall.timeIntervalSince1970
        if wall >= second, wall - (after.uptime - before.uptime) < second + 1 {
            return wall - after.uptime
        }
        return second + 0.5 - (before.uptime + after.uptime) / 2
    }

    /// The server's time at a moment; `nil` as long as nothing is known in this boot.
    ///
    /// A moment of a boot in which the server was never heard is moved by what the wall clock is wrong now. Nothing is
    /// later than now.
    func time(at moment: Moment, now: Moment) -> Date? {
        guard bootID == now.bootID, let difference else { return nil }
        let present = now.uptime + difference
        if let known = self.difference(in: moment.bootID) {
            return Date(timeIntervalSince1970: min(moment.uptime + known, present))
        }
        let time = moment.wall.timeIntervalSince1970 + present - now.wall.timeIntervalSince1970
        // This boot began when its uptime was 0: what is from another one was before that.
        return Date(timeIntervalSince1970: min(time, difference))
    }

    /// How long ago a moment was, in seconds; `nil` if that rests on the wall clock alone.
    func age(of moment: Moment, now: Moment) -> Double? {
        guard let present = difference(in: now.bootID), let past = difference(in: moment.bootID)
        else { return nil }
        return now.uptime + present - moment.uptime - past
    }

    private func difference(in boot: String) -> Double? {
        boot == bootID ? difference : former.last { $0.id == boot }?.difference
    }

    private mutating func begin(_ boot: String) {
        if let difference {
            former = former.suffix(9) + [Boot(id: bootID, difference: difference)]
        }
        bootID = boot
        differences = []
        difference = nil
    }

    /// The middle of a longer call says too little.
    private static let longestCall = 10.0

    /// The time in a `Date` field (RFC 9110 section 5.6.7).
    static func date(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]),
            let month = months.firstIndex(of: String(parts[2])), let year = Int(parts[3])
        else { return nil }
        let clock = parts[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3 else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(
            from: DateComponents(
                year: year, month: month + 1, day: day, hour: clock[0], minute: clock[1],
                second: clock[2]))
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
