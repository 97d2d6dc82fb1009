import Synchronization

/// What a person or a developer may need to know. It never says whether something was assigned.
public enum UplinkNotice: Equatable, Sendable {
    /// Nobody is signed in, or the sign-in is over for good.
    case signInNeeded
    /// Another person is signed in; the queue waits for its own.
    case otherPerson
    /// The person has to choose a password first.
    case passwordMustChange
    /// The server refuses all calls of the app.
    case refused(String)
    /// The server will never take these.
    case quarantined([Refusal])
    /// So many activities and completions waited for more than 30 days.
    case expired(Int)
    /// Sending fails; it is tried again. Once for each outage.
    case unreachable(String)
}

/// What has become of the queue.
public enum UplinkOutcome: Equatable, Sendable {
    /// All of it has been sent.
    case empty
    /// It is tried again, at the latest in so many seconds.
    case waiting(seconds: Double)
    /// Somebody has to do something first.
    case blocked(UplinkNotice)
}

/// Sends what one person's store has queued, and fetches what changed on the server.
///
/// It may be stopped at any step, by a crash too: the next one goes on where it was, and the server ends in the same
/// state. What one person queued is only ever sent with a token of the same person.
public actor Uplink {
    /// The name of the state that goes with the pages of the mirror.
    public static let mirrorState = "mirror"

    let configuration: UplinkConfiguration
    let outbox: any Outbox
    let tokens: any TokenSource
    let transport: any Transport
    let clock: any DeviceClock
    private let onNotice: @Sendable (UplinkNotice) -> Void
    private let jitter: @Sendable () -> Double

    var serverClock: ServerClock?
    var keptClock: ServerClock?
    private var schedule = Schedule()
    private var pass: Task<UplinkOutcome, Never>?
    private var timer: Task<Void, any Error>?
    private var runner: Task<Void, Never>?
    private var mirroring: Task<Void, any Error>?
    /// The server asked not to call before this.
    private var quietUntil: Double?
    private var lastProblem: UplinkNotice?

    private nonisolated let announcement = Mutex(Announcement())
    private nonisolated let wakes: AsyncStream<Urgency>
    private nonisolated let wakening: AsyncStream<Urgency>.Continuation

    /// Makes an uplink that does nothing before it is started or flushed.
    ///
    /// - Parameters:
    ///   - onNotice: called on any thread; returns quickly.
    ///   - jitter: numbers from 0 to 1.
    public init(
        configuration: UplinkConfiguration, outbox: any Outbox, tokens: any TokenSource,
        transport: any Transport = URLSessionTransport(), clock: any DeviceClock = SystemClock(),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        onNotice: @escaping @Sendable (UplinkNotice) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.outbox = outbox
        self.tokens = tokens
        self.transport = transport
        self.clock = clock
        self.jitter = jitter
        self.onNotice = onNotice
        (wakes, wakening) = AsyncStream.makeStream(of: Urgency.self)
    }

    deinit {
        runner?.cancel()
        timer?.cancel()
        mirroring?.cancel()
    }

    /// Sends whenever there is something, and keeps the mirror up to date, until `stop()`.
    public func start() {
        guard runner == nil else { return }
        runner = Task { [weak self, wakes] in
            for await urgency in wakes {
                guard let self else { return }
                await self.change(urgency)
            }
        }
        mirroring = Task { [weak self, clock] in
            while true {
                try? await self?.refreshMirror()
                guard self != nil else { return }
                try await clock.sleep(seconds: Self.mirrorInterval)
            }
        }
        wake(.now)
    }

    /// Ends what `start()` began. What is queued stays queued.
    public func stop() async {
        runner?.cancel()
        timer?.cancel()
        mirroring?.cancel()
        runner = nil
        timer = nil
        mirroring = nil
        _ = await pass?.value
    }

    /// Says that there is something to send, or that a person has signed in. Returns at once, from any thread.
    public nonisolated func wake(_ urgency: Urgency) {
        guard urgency == .now || announcement.withLock({ $0.isDue(at: clock.now.uptime) }) else {
            return
        }
        wakening.yield(urgency)
    }

    /// Sends everything now. Returns when the queue is empty or nothing more can be done at present.
    @discardableResult public func flush() async -> UplinkOutcome {
        if let quietUntil, quietUntil > clock.now.uptime {
            return .waiting(seconds: quietUntil - clock.now.uptime)
        }
        let outcome = await sendAll()
        if runner != nil { arm() }
        return outcome
    }

    /// Reports to the app.
    func notify(_ notice: UplinkNotice) { onNotice(notice) }

    // MARK: When to send

    private static let mirrorInterval = 900.0

    private func change(_ urgency: Urgency) {
        schedule.change(urgency, at: clock.now.uptime)
        if pass == nil { arm() }
    }

    private func arm() {
        timer?.cancel()
        guard let due = schedule.due else { return }
        timer = Task { [weak self, clock] in
            try await clock.sleep(seconds: due - clock.now.uptime)
            // Not cancelled with the timer any more: a change must not break off a call.
            Task { await self?.run() }
        }
    }

    private func run() async {
        guard pass == nil, let due = schedule.due, due <= clock.now.uptime + 0.001 else {
            if pass == nil { arm() }
            return
        }
        _ = await sendAll()
        if runner != nil { arm() }
    }

    /// One pass at a time.
    private func sendAll() async -> UplinkOutcome {
        while let pass { _ = await pass.value }
        let task = Task {
            let outcome = await self.sendOnce()
            self.pass = nil
            return outcome
        }
        pass = task
        return await task.value
    }

    private func sendOnce() async -> UplinkOutcome {
        announcement.withLock { $0 = Announcement() }
        schedule.begin(at: clock.now.uptime)
        quietUntil = nil
        do {
            try await sendQueue()
            schedule.succeed()
            lastProblem = nil
            return .empty
        } catch Obstacle.blocked(let notice) {
            schedule.block()
            report(notice)
            return .blocked(notice)
        } catch Obstacle.pause(let reason, let retryAfter) {
            return wait(reason, retryAfter: retryAfter)
        } catch {
            return wait("\(error)", retryAfter: nil)
        }
    }

    private func wait(_ reason: String, retryAfter: Double?) -> UplinkOutcome {
        let now = clock.now.uptime
        schedule.fail(at: now, retryAfter: retryAfter, jitter: jitter())
        quietUntil = retryAfter.map { now + $0 }
        if case .unreachable = lastProblem {} else { report(.unreachable(reason)) }
        return .waiting(seconds: max(0, (schedule.due ?? now) - now))
    }

    private func report(_ notice: UplinkNotice) {
        guard lastProblem != notice else { return }
        lastProblem = notice
        notify(notice)
    }
}

/// Why sending stops for now.
enum Obstacle: Error {
    /// Trying again later may help.
    case pause(reason: String, retryAfter: Double?)
    /// Somebody has to do something first.
    case blocked(UplinkNotice)
}
