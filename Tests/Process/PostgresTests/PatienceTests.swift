import Testing

@testable import Postgres

/// How long a server may owe an answer.
@Suite struct AnswerLimits {
    private let second: Int64 = 1_000_000_000

    @Test func `each statement has its time, and the answer some more`() {
        let limit = AnswerLimit(statementMilliseconds: 100, answerMilliseconds: 5000)
        let one = OwedAnswer(since: 7 * second, statements: 1)
        #expect(!limit.isExceeded(by: one, now: 7 * second))
        #expect(!limit.isExceeded(by: one, now: 7 * second + 5_100_000_000))
        #expect(limit.isExceeded(by: one, now: 7 * second + 5_100_000_001))
        let ten = OwedAnswer(since: 7 * second, statements: 10)
        #expect(!limit.isExceeded(by: ten, now: 13 * second))
        #expect(limit.isExceeded(by: ten, now: 13 * second + 1))
    }
}

/// When a broken connection is opened again.
@Suite struct BackoffDelays {
    private let second: Int64 = 1_000_000_000

    @Test func `delays grow up to half a second, and lie in their upper half`() {
        var backoff = Backoff()
        var ranges: [ClosedRange<Int>] = []
        for _ in 0..<6 {
            backoff.failed()
            _ = backoff.nextDelay {
                ranges.append($0)
                return $0.lowerBound
            }
        }
        #expect(ranges == [25...50, 50...100, 100...200, 200...400, 250...500, 250...500])
        let later = (0..<100).map { _ in backoff.nextDelay() }
        #expect(later.filter { !(250...500).contains($0) } == [])
    }

    @Test func `after a connection that lasted the first delay comes again`() {
        var backoff = Backoff()
        #expect(backoff.delays(3) == [50, 100, 200])
        backoff.opened(now: 10 * second)
        backoff.lost(now: 11 * second)
        #expect(backoff.delays(1) == [400], "it lasted no longer than a second")
        backoff.opened(now: 20 * second)
        backoff.lost(now: 21 * second + 1)
        #expect(backoff.delays(2) == [50, 100])
    }

    @Test func `it is failing from the first attempt that failed to the next that did not`() {
        var backoff = Backoff()
        #expect(!backoff.isFailing)
        backoff.failed()
        backoff.failed()
        #expect(backoff.isFailing)
        backoff.opened(now: 0)
        #expect(!backoff.isFailing)
        backoff.lost(now: 1)
        #expect(!backoff.isFailing)
    }
}

extension Backoff {
    /// The longest delays of so many attempts.
    fileprivate mutating func delays(_ count: Int) -> [Int] {
        (0..<count).map { _ in nextDelay { $0.upperBound } }
    }
}
