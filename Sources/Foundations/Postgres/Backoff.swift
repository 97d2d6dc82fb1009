/// When a broken connection is opened again: after longer delays each time this fails.
///
/// The delays are random within their upper half, so that the connections of all processes do not come at once to a
/// server that is back. A value; times are nanoseconds of the loop's clock.
struct Backoff {
    private static let firstDelayMilliseconds = 50
    private static let lastDelayMilliseconds = 500
    /// How long a connection must last to count as sound, so that the next attempts begin with the first delay.
    private static let soundNanoseconds: Int64 = 1_000_000_000

    private var delay = Backoff.firstDelayMilliseconds
    private var openedAt: Int64 = 0
    /// Whether the last attempt failed.
    private(set) var isFailing = false

    mutating func opened(now: Int64) {
        isFailing = false
        openedAt = now
    }

    mutating func failed() {
        isFailing = true
    }

    /// The open connection broke.
    mutating func lost(now: Int64) {
        if now - openedAt > Self.soundNanoseconds { delay = Self.firstDelayMilliseconds }
    }

    /// How many milliseconds to wait before the next attempt.
    mutating func nextDelay(
        random: (ClosedRange<Int>) -> Int = { .random(in: $0) }
    ) -> Int {
        defer { delay = min(delay * 2, Self.lastDelayMilliseconds) }
        return random(delay / 2...delay)
    }
}
