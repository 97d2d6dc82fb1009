/// When the uplink sends next. All times are seconds of the device's uptime.
struct Schedule: Equatable {
    /// How long a change waits for more changes.
    static let pause = 2.0
    /// At most one sending in this time while changes go on.
    static let interval = 10.0
    /// The longest pause after failures.
    static let longestPause = 900.0

    /// The first change since the last sending.
    private var firstChange: Double?
    private var lastChange: Double?
    private var isUrgent = false
    private var lastSending: Double?
    private var failures = 0
    /// After a failure: not before this.
    private var notBefore: Double?

    /// When to send; `nil` if nothing is to be sent.
    var due: Double? {
        guard let firstChange, let lastChange else { return notBefore }
        var due = min(lastChange + Self.pause, firstChange + Self.interval)
        if let lastSending { due = max(due, lastSending + Self.interval) }
        if isUrgent { due = firstChange }
        return max(due, notBefore ?? due)
    }

    mutating func change(_ urgency: Urgency, at now: Double) {
        firstChange = firstChange ?? now
        lastChange = now
        isUrgent = isUrgent || urgency == .now
    }

    /// A sending begins: what changes from now on is for the next one.
    mutating func begin(at now: Double) {
        firstChange = nil
        lastChange = nil
        isUrgent = false
        lastSending = now
        notBefore = nil
    }

    mutating func succeed() { failures = 0 }

    /// Waits until there is a change: trying alone would not help.
    mutating func block() { failures = 0 }

    /// Doubles the pause with every failure, up to fifteen minutes.
    ///
    /// - Parameters:
    ///   - retryAfter: the pause that the server asks for.
    ///   - jitter: from 0 to 1. Without it, all devices of a school would come back at the same moment.
    mutating func fail(at now: Double, retryAfter: Double?, jitter: Double) {
        let step = min(Self.longestPause, Double(1 << min(failures, 20)))
        failures += 1
        notBefore = now + max(retryAfter ?? 0, step * (0.5 + jitter / 2))
    }
}

/// How soon a change is to be sent.
public enum Urgency: Sendable {
    /// Within two seconds, but at most every ten.
    case soon
    /// At once: an activity stopped, or the app is leaving.
    case now
}

/// When a change was last announced to the uplink, so that one save after another does not wake it each time.
struct Announcement {
    /// Changes so soon after an announced one are sent with it: it waits for `Schedule.pause` anyway.
    private static let validity = Schedule.pause / 8

    private var end: Double?

    /// Whether a change has to be announced now; then it counts as announced.
    mutating func isDue(at now: Double) -> Bool {
        if let end, now < end { return false }
        end = now + Self.validity
        return true
    }
}
