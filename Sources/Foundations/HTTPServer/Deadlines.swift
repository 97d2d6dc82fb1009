/// When a connection's client or handler must have done something, and until when its client is not read.
///
/// A value: callers report each event with its time, and it says what is due. All times are nanoseconds of the loop's clock.
struct ConnectionDeadlines {
    /// How long everything may take, which all connections share.
    struct Rules {
        let handshake: Int64
        let head: Int64
        let idle: Int64
        let rest: Int64
        /// How long the peer may take to end its side after ours.
        let linger: Int64
        /// How long a client that was asked to come back later is not read, at first and at most.
        let pause: Int64
        let longestPause: Int64
        let send: SendPatience.Rules

        init(_ settings: HTTPServerSettings) {
            handshake = nanoseconds(settings.handshakeMilliseconds)
            head = nanoseconds(settings.headMilliseconds)
            idle = nanoseconds(settings.idleMilliseconds)
            rest = nanoseconds(settings.restMilliseconds)
            linger = nanoseconds(2000)
            pause = nanoseconds(settings.refusalPauseMilliseconds)
            longestPause = max(pause, nanoseconds(settings.longestRefusalPauseMilliseconds))
            send = SendPatience.Rules(
                stallMilliseconds: settings.writeStallMilliseconds,
                graceMilliseconds: settings.sendGraceMilliseconds,
                bytesPerSecond: settings.minimumSendBytesPerSecond)
        }
    }

    /// What a connection has to do now.
    enum Due {
        case nothing
        /// The client takes its answer too slowly.
        case giveUp
        /// What the phase waits for has not come.
        case expire
        /// The pause after a refusal is over.
        case readOn
    }

    /// When what the phase waits for must have come.
    private(set) var end = Int64.max
    /// Until when no next request is read; 0 if not paused.
    private var pausedUntil: Int64 = 0
    /// How often in a row the client was asked to come back later.
    private var refusalsInARow = 0
    private var patience: SendPatience

    init(_ rules: Rules) {
        patience = SendPatience(rules.send)
    }

    func due(now: Int64) -> Due {
        if now >= patience.deadline { return .giveUp }
        if now >= end { return .expire }
        return pausedUntil > 0 && now >= pausedUntil ? .readOn : .nothing
    }

    // MARK: What the connection waits for

    /// For that many nanoseconds at most: a handshake, a head, the next request, the rest of a body or the peer's end.
    mutating func wait(for time: Int64, now: Int64) {
        end = now + time
    }

    /// For a handler, or for its next write.
    mutating func awaitHandler(milliseconds: Int, now: Int64) {
        end = now + nanoseconds(milliseconds)
    }

    /// For bytes of a body.
    mutating func awaitBody(until moment: Int64) {
        end = moment
    }

    /// For nothing, or for what has a limit of its own.
    mutating func waitForever() {
        end = .max
    }

    // MARK: Refusals

    var isPaused: Bool { pausedUntil > 0 }

    /// Pauses a client that was asked to come back later, twice as long each time in a row.
    mutating func answered(asksToComeBack: Bool, _ rules: Rules, now: Int64) {
        guard asksToComeBack else {
            refusalsInARow = 0
            return
        }
        pausedUntil = now + min(rules.pause << min(refusalsInARow, 4), rules.longestPause)
        refusalsInARow += 1
    }

    mutating func endPause() {
        pausedUntil = 0
    }

    // MARK: Bytes that wait for the client

    mutating func bytesWait(_ rules: Rules, now: Int64) {
        patience.begin(rules.send, now: now)
    }

    mutating func bytesWent(_ count: Int, _ rules: Rules, now: Int64) {
        patience.took(count, rules.send, now: now)
    }

    mutating func noBytesWait() {
        patience.end()
    }
}

/// How long a body may still take to arrive. Time counts only while the handler waits for bytes.
struct BodyPatience {
    /// What every body has before the rate counts.
    private static let grace = nanoseconds(5000)

    private var waited: Int64 = 0
    private var since: Int64 = 0

    /// The handler waits from now on; returns when the wait must be over.
    mutating func begin(_ limits: BodyLimits, receivedBytes: Int, now: Int64) -> Int64 {
        since = now
        var allowed = Int64.max / 2
        if let seconds = limits.deadlineSeconds { allowed = nanoseconds(seconds * 1000) }
        if limits.minimumBytesPerSecond > 0 {
            let earned = Double(receivedBytes) / Double(limits.minimumBytesPerSecond)
            allowed = min(allowed, Self.grace + Int64(earned * 1e9))
        }
        return now + max(0, allowed - waited)
    }

    /// Some bytes have come, or none will.
    mutating func end(now: Int64) {
        waited += now - since
    }
}

private func nanoseconds(_ milliseconds: Int) -> Int64 { Int64(milliseconds) * 1_000_000 }
