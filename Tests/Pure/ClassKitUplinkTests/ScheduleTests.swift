import Foundation
import Testing

@testable import ClassKitUplink

/// When things are sent, and with which times.
@Suite struct ScheduleTests {
    @Test func `changes are collected for two seconds`() {
        var schedule = Schedule()
        #expect(schedule.due == nil)
        schedule.change(.soon, at: 100)
        #expect(schedule.due == 102)
        schedule.change(.soon, at: 101)
        #expect(schedule.due == 103)
        for second in 102...120 { schedule.change(.soon, at: Double(second)) }
        #expect(schedule.due == 110)
    }

    @Test func `changes that go on are sent every ten seconds`() {
        var schedule = Schedule()
        schedule.change(.soon, at: 100)
        schedule.begin(at: 102)
        schedule.succeed()
        #expect(schedule.due == nil)
        schedule.change(.soon, at: 103)
        #expect(schedule.due == 112)
        schedule.change(.now, at: 104)
        #expect(schedule.due == 103)
    }

    @Test func `failures double the pause up to fifteen minutes`() {
        var schedule = Schedule()
        var pauses: [Double] = []
        for _ in 0..<12 {
            schedule.begin(at: 0)
            schedule.fail(at: 0, retryAfter: nil, jitter: 1)
            pauses.append(schedule.due ?? -1)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
        schedule.begin(at: 0)
        schedule.fail(at: 0, retryAfter: nil, jitter: 0)
        #expect(schedule.due == 450)
        schedule.change(.now, at: 5)
        #expect(schedule.due == 450)
        schedule.begin(at: 500)
        schedule.succeed()
        schedule.begin(at: 500)
        schedule.fail(at: 500, retryAfter: nil, jitter: 1)
        #expect(schedule.due == 501)
    }

    @Test func `the server may ask for a longer pause`() {
        var schedule = Schedule()
        schedule.begin(at: 0)
        schedule.fail(at: 0, retryAfter: 30, jitter: 1)
        #expect(schedule.due == 30)
    }

    @Test func `changes close together are announced once, and again after a sending`() {
        var announcement = Announcement()
        let before = [100, 100.24, 100.25, 100.3].map { announcement.isDue(at: $0) }
        #expect(before == [true, false, true, false])
        announcement = Announcement()
        let after = announcement.isDue(at: 100.3)
        #expect(after)
    }

    // MARK: Time

    private func moment(_ uptime: Double, wall: Double = 0, boot: String = "a") -> Moment {
        Moment(wall: Date(timeIntervalSince1970: wall), uptime: uptime, bootID: boot)
    }

    @Test func `the median of five counts`() {
        var clock = ServerClock(bootID: "a")
        for (place, error) in [0.0, 50, 0.5, -40, 0.2].enumerated() {
            let uptime = Double(place) * 100
            clock.learn(
                Date(timeIntervalSince1970: 1000 + uptime + 1 + error), from: moment(uptime),
                to: moment(uptime + 2))
        }
        let now = moment(500)
        #expect(clock.time(at: now, now: now) == Date(timeIntervalSince1970: 1500.5))
    }

    @Test func `a wall clock that jumps changes nothing`() {
        var clock = ServerClock(bootID: "a")
        clock.learn(Date(timeIntervalSince1970: 2000), from: moment(10), to: moment(10))
        let past = moment(5, wall: 9_999_999)
        let now = moment(20, wall: -5)
        #expect(clock.time(at: past, now: now) == Date(timeIntervalSince1970: 1995.5))
        #expect(clock.time(at: moment(30), now: now) == Date(timeIntervalSince1970: 2010.5))
    }

    @Test func `a former boot is known or corrected by the wall clock`() {
        var clock = ServerClock(bootID: "a")
        clock.learn(Date(timeIntervalSince1970: 2000), from: moment(10), to: moment(10))
        let now = moment(3, wall: 8000, boot: "b")
        #expect(clock.time(at: now, now: now) == nil)
        clock.learn(Date(timeIntervalSince1970: 5000), from: now, to: now)
        #expect(clock.time(at: moment(11), now: now) == Date(timeIntervalSince1970: 2001.5))
        #expect(
            clock.time(at: moment(11, wall: 7000, boot: "c"), now: now)
                == Date(timeIntervalSince1970: 4000.5))
        #expect(
            clock.time(at: moment(11, wall: 9000, boot: "c"), now: now)
                == Date(timeIntervalSince1970: 4997.5))
    }

    @Test func `the age is known only where the server was heard`() {
        var clock = ServerClock(bootID: "a")
        let now = moment(20)
        #expect(clock.age(of: moment(5), now: now) == nil)
        clock.learn(Date(timeIntervalSince1970: 2000), from: moment(10), to: moment(10))
        #expect(clock.age(of: moment(5, wall: -9e9), now: now) == 15)
        #expect(clock.age(of: moment(5, boot: "b"), now: now) == nil)
        let later = moment(1, boot: "b")
        clock.learn(Date(timeIntervalSince1970: 2100), from: later, to: later)
        #expect(clock.age(of: moment(5), now: later) == 105)
    }

    @Test func `a clock that agrees knows the milliseconds`() {
        for (wall, expected) in [
            (2000.25, 2000.25 as Double?), (2001.125, 2001.125), (2001.5, nil), (1999.75, nil),
        ] {
            var clock = ServerClock(bootID: "a")
            let after = moment(10.25, wall: wall)
            clock.learn(Date(timeIntervalSince1970: 2000), from: moment(10), to: after)
            // Otherwise the middle of the second, at the middle of the call.
            let time = expected ?? 2000.625
            #expect(clock.time(at: after, now: after) == Date(timeIntervalSince1970: time))
        }
    }

    @Test func `long calls say nothing`() {
        var clock = ServerClock(bootID: "a")
        clock.learn(Date(timeIntervalSince1970: 2000), from: moment(10), to: moment(21))
        #expect(clock == ServerClock(bootID: "a"))
    }

    @Test func `dates are read as servers write them`() {
        #expect(
            ServerClock.date("Mon, 23 Nov 2026 03:04:05 GMT")
                == Date(timeIntervalSince1970: 1_795_403_045))
        for text in ["", "now", "Mon, 23 Nov 2026 03:04:05", "Mon, 23 Xyz 2026 03:04:05 GMT"] {
            #expect(ServerClock.date(text) == nil)
        }
    }

    // MARK: Ranges

    private func ranges(_ pairs: [(Double, Double)]) -> [ProgressRange] {
        pairs.map { ProgressRange(start: $0, end: $1) }
    }

    @Test func `ranges are merged`() {
        #expect(
            Ranges.merged(ranges([(0.5, 0.6), (0, 0.2), (0.2, 0.3), (0.1, 0.15), (0.55, 0.9)]))
                == ranges([(0, 0.3), (0.5, 0.9)]))
        #expect(
            Ranges.merged(ranges([(0.3, 0.3), (0.5, 0.4), (-1, 0.5), (0, 2), (.nan, 1)])).isEmpty)
    }

    @Test func `there are never too many ranges`() {
        let many = (0..<Ranges.limit + 2).map { place -> (Double, Double) in
            let start = Double(place) / Double(Ranges.limit + 2)
            return (start, start + (place == 500 ? 0.000_09 : 0.000_01))
        }
        let merged = Ranges.merged(ranges(many))
        #expect(merged.count == Ranges.limit)
        #expect(merged.first?.start == 0 && merged.last?.end == many.last?.1)
    }
}
