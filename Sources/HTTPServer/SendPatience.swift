/// How long a client may take to receive what waits for it, in nanoseconds on the monotonic clock.
///
/// Two rules. Some bytes must go within each `stall`. And waiting uses up patience, which is `grace` at first
/// and never more, and which every byte earns back at the rate of `bytesPerSecond`: so a client that takes a
/// byte now and then is cut off about a `grace` after it began, while one that takes the rate or more, however
/// long its answer, never is.
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

    /// When the client is to be given up; never while nothing waits.
    private(set) var deadline = Int64.max
    private var left: Int64
    private var since: Int64 = 0

    init(_ rules: Rules) {
        left = rules.grace
    }

    /// Something waits from now on.
    mutating func begin(_ rules: Rules, now: Int64) {
        since = now
        deadline = now + min(rules.stall, left)
    }

    /// Some of what waits has gone.
    mutating func took(_ count: Int, _ rules: Rules, now: Int64) {
        let earned = Int64(count).multipliedReportingOverflow(by: rules.nanosecondsPerByte)
        let gain = earned.overflow ? rules.grace : min(rules.grace, earned.partialValue)
        left = min(rules.grace, left - (now - since) + gain)
        begin(rules, now: now)
    }

    /// Nothing waits any more.
    mutating func end() {
        deadline = .max
    }
}
