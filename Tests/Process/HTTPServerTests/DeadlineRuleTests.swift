import Testing

@testable import HTTPServer

/// The times of a connection, without one and without a clock.
@Suite struct DeadlineRules {
    private let ms: Int64 = 1_000_000

    private func rules(
        _ change: (inout HTTPServerSettings) -> Void = { _ in }
    ) -> ConnectionDeadlines.Rules {
        var settings = HTTPServerSettings()
        change(&settings)
        return ConnectionDeadlines.Rules(settings)
    }

    @Test func `each wait has its own time, and begins anew`() {
        let rules = rules {
            $0.handshakeMilliseconds = 1
            $0.headMilliseconds = 2
            $0.idleMilliseconds = 3
            $0.restMilliseconds = 4
        }
        #expect(
            [rules.handshake, rules.head, rules.idle, rules.rest, rules.linger].map { $0 / ms }
                == [1, 2, 3, 4, 2000])
        var deadlines = ConnectionDeadlines(rules)
        #expect(deadlines.due(now: .max - 1) == .nothing)
        deadlines.wait(for: rules.head, now: 100 * ms)
        #expect(deadlines.end == 102 * ms)
        #expect(deadlines.due(now: 102 * ms - 1) == .nothing)
        #expect(deadlines.due(now: 102 * ms) == .expire)
        deadlines.wait(for: rules.idle, now: 101 * ms)
        #expect(deadlines.due(now: 103 * ms) == .nothing)
        #expect(deadlines.due(now: 104 * ms) == .expire)
        deadlines.awaitHandler(milliseconds: 10, now: 104 * ms)
        #expect(deadlines.due(now: 114 * ms - 1) == .nothing)
        #expect(deadlines.due(now: 114 * ms) == .expire)
        deadlines.awaitBody(until: 200 * ms)
        #expect(deadlines.due(now: 199 * ms) == .nothing)
        #expect(deadlines.due(now: 200 * ms) == .expire)
        deadlines.waitForever()
        #expect(deadlines.due(now: .max - 1) == .nothing)
    }

    /// How long each of the refusals in a row pauses, in milliseconds.
    private func pauses(_ rules: ConnectionDeadlines.Rules, _ count: Int) -> [Int64] {
        var deadlines = ConnectionDeadlines(rules)
        return (0..<count).map { number in
            let now = Int64(number + 1) * 10_000 * ms
            deadlines.answered(asksToComeBack: true, rules, now: now)
            #expect(deadlines.isPaused)
            let pause = (0...9999).first { deadlines.due(now: now + $0 * ms) == .readOn } ?? -1
            deadlines.endPause()
            #expect(!deadlines.isPaused && deadlines.due(now: now + 9999 * ms) == .nothing)
            return pause
        }
    }

    @Test func `each refusal in a row pauses twice as long, up to the longest pause`() {
        #expect(pauses(rules(), 6) == [200, 400, 800, 1000, 1000, 1000])
        let patient = rules {
            $0.refusalPauseMilliseconds = 100
            $0.longestRefusalPauseMilliseconds = 9000
        }
        #expect(pauses(patient, 7) == [100, 200, 400, 800, 1600, 1600, 1600])
        let first = rules { $0.refusalPauseMilliseconds = 3000 }
        #expect(pauses(first, 2) == [3000, 3000], "the first pause is not cut")
        let none = rules { $0.refusalPauseMilliseconds = 0 }
        #expect(pauses(none, 2) == [0, 0])
    }

    @Test func `any answer but a refusal begins the pauses anew`() {
        let rules = rules()
        var deadlines = ConnectionDeadlines(rules)
        deadlines.answered(asksToComeBack: true, rules, now: 0)
        deadlines.answered(asksToComeBack: true, rules, now: 1000 * ms)
        #expect(deadlines.due(now: 1399 * ms) == .nothing)
        deadlines.endPause()
        deadlines.answered(asksToComeBack: false, rules, now: 2000 * ms)
        #expect(!deadlines.isPaused)
        deadlines.answered(asksToComeBack: true, rules, now: 3000 * ms)
        #expect(deadlines.due(now: 3199 * ms) == .nothing)
        #expect(deadlines.due(now: 3200 * ms) == .readOn)
    }

    @Test func `of what is due at once, the end comes before a pause`() {
        let rules = rules { $0.writeStallMilliseconds = 300 }
        var deadlines = ConnectionDeadlines(rules)
        deadlines.answered(asksToComeBack: true, rules, now: 0)
        #expect(deadlines.due(now: 200 * ms) == .readOn)
        deadlines.awaitHandler(milliseconds: 250, now: 0)
        #expect(deadlines.due(now: 250 * ms) == .expire)
        deadlines.bytesWait(rules, now: 0)
        #expect(deadlines.due(now: 299 * ms) == .expire)
        #expect(deadlines.due(now: 300 * ms) == .giveUp)
        deadlines.bytesWent(1, rules, now: 290 * ms)
        #expect(deadlines.due(now: 300 * ms) == .expire)
        #expect(deadlines.due(now: 590 * ms) == .giveUp)
        deadlines.noBytesWait()
        #expect(deadlines.due(now: 590 * ms) == .expire)
    }
}

/// How long a body may take, without one and without a clock.
@Suite struct BodyPatienceRules {
    private let second: Int64 = 1_000_000_000

    @Test func `only the time in which the handler waits for bytes counts`() {
        let limits = BodyLimits(minimumBytesPerSecond: 0, deadlineSeconds: 30)
        var patience = BodyPatience()
        #expect(patience.begin(limits, receivedBytes: 0, now: 0) == 30 * second)
        patience.end(now: 10 * second)
        // The handler was busy for an hour.
        let later = 3600 * second
        #expect(patience.begin(limits, receivedBytes: 1, now: later) == later + 20 * second)
        patience.end(now: later + 25 * second)
        #expect(patience.begin(limits, receivedBytes: 2, now: 0) == 0, "nothing is left")
    }

    @Test func `after five seconds the bytes that have come count`() {
        let limits = BodyLimits(minimumBytesPerSecond: 1000, deadlineSeconds: nil)
        var patience = BodyPatience()
        #expect(patience.begin(limits, receivedBytes: 0, now: 0) == 5 * second)
        patience.end(now: 4 * second)
        #expect(
            patience.begin(limits, receivedBytes: 2500, now: 4 * second)
                == 4 * second + 3_500_000_000)
        patience.end(now: 5 * second)
        let deadline = BodyLimits(minimumBytesPerSecond: 1000, deadlineSeconds: 6)
        #expect(
            patience.begin(deadline, receivedBytes: 1_000_000, now: 5 * second) == 6 * second,
            "the whole body has a deadline, however fast it comes")
    }

    @Test func `without limits a body may take any time`() {
        let limits = BodyLimits(minimumBytesPerSecond: 0, deadlineSeconds: nil)
        var patience = BodyPatience()
        #expect(patience.begin(limits, receivedBytes: 0, now: second) > Int64.max / 2)
        patience.end(now: 1_000_000 * second)
        #expect(patience.begin(limits, receivedBytes: 0, now: 0) > Int64.max / 3)
    }
}
