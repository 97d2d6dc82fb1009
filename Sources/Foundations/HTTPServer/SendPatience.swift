/// How long a client may take to receive the bytes that wait for it, in nanoseconds on the monotonic clock.
///
/// There are two rules. Some bytes must go within each `stall`. And waiting uses up patience, which starts at
/// `grace`, never exceeds it, and is earned back by each byte at `bytesPerSecond`. So a client that takes a
/// byte now and then is cut off after about one `grace`, while a client that keeps up with the rate never is,
/// however long its answer.
struct SendPatience {
    /// The rules, which all connections share.
    struct Rules {
        let stall: Int64
        let grace: Int64
        let nanosecondsPerByte: Int64

        /// - Parameter bytesPerSecond: at least one.
        init(stallMilliseconds: Int, graceMilliseconds: Int, bytesPerSecond: Int) {
            stall = Int64(stallMilliseconds) * 1_000_000
            grace = Int64(graceMilliseconds) * 1_000_000
            nanosecondsPerByte = 1_000_000_000 / Int64(max(1, bytesPerSecond))
        }
    }

    /// When to give the client up; never while nothing waits.
    private(set) var deadline = Int64.max
    private var left: Int64
    private var since: Int64 = 0

    init(_ rules: Rules) {
        left = rules.grace
    }

    /// Bytes wait from now on.
    mutating func begin(_ rules: Rules, now: Int64) {
        since = now
        deadline = now + min(rules.stall, left)
    }

    /// Some of the waiting bytes have gone.
    mutating func took(_ count: Int, _ rules: Rules, now: Int64) {
        let earned = Int64(count).multipliedReportingOverflow(by: rules.nanosecondsPerByte)
        let gain = earned.overflow ? rules.grace : min(rules.grace, earned.partialValue)
        left = min(rules.grace, left - (now - since) + gain)
        begin(rules, now: now)
    }

    /// No bytes wait any more.
    mutating func end() {
        deadline = .max
    }
}
