import EventLoop
import Log
import Metrics
import Values

/// The lane for short statements: few connections, several exchanges in progress on each.
///
/// If all slots of the pipelines are taken, an exchange waits in a bounded queue with a deadline. Waiting
/// tenants take turns, and while others wait none gets more than half of the pipeline slots. Confined to its loop.
final class SharedLane {
    private let loop: Loop
    private let settings: Pool.Settings
    private let slots: [Slot]
    private let meters: LaneMeters
    private var state: SharedLaneState<Exchange>
    private var timer: LoopTimer?
    private let watchdog: Watchdog
    private var isClosed = false

    init(_ settings: Pool.Settings, on loop: Loop, log: Log?, meters: PoolMeters) {
        self.loop = loop
        self.settings = settings
        self.meters = meters.shared
        state = SharedLaneState(settings)
        let target = settings.connection(
            statementTimeoutMilliseconds: settings.sharedStatementTimeoutMilliseconds,
            lockTimeoutMilliseconds: settings.sharedLockTimeoutMilliseconds)
        slots = (0..<settings.sharedConnections).map { _ in
            Slot(target, on: loop, preparedLimit: settings.preparedLimit, log: log)
        }
        watchdog = Watchdog(
            slots,
            AnswerLimit(
                statementMilliseconds: settings.sharedStatementTimeoutMilliseconds,
                answerMilliseconds: settings.answerMilliseconds), on: loop)
        for slot in slots { slot.meters = meters }
    }

    func measure() {
        meters.queued.set(state.count)
        meters.connections.set(slots.count { $0.connection != nil })
        meters.busy.set(slots.reduce(0) { $0 + ($1.connection?.exchanges.count ?? 0) })
    }

    var isReady: Bool { slots.contains { $0.connection != nil } }
    var trouble: String { slots.first?.trouble ?? "no shared connections" }

    func open() {
        for slot in slots {
            slot.onOpen = { connection in
                connection.onProgress = { self.pump() }
                self.pump()
            }
            slot.open()
        }
        watchdog.start()
    }

    func close() {
        isClosed = true
        timer?.cancel()
        watchdog.stop()
        for exchange in state.removeAll() { exchange.complete(.unavailable("closed")) }
        for slot in slots { slot.close() }
    }

    /// Drops the connections, which are opened anew, and what waits for them.
    func abandon(_ reason: String) {
        for exchange in state.removeAll() { exchange.complete(.unavailable(reason)) }
        for slot in slots { slot.connection?.fail(reason) }
    }

    /// Whether a new exchange would have to wait.
    var isFull: Bool { !state.isEmpty || freeConnection() == nil }

    /// A number for leaving the queue.
    func newTicket() -> Int { state.newTicket() }

    /// The task behind it was cancelled: its exchange is dropped if it still waits, but not if it was sent.
    func leave(_ ticket: Int) {
        state.leave(ticket)?.complete(.cancelled)
    }

    /// Sends the exchange now or as soon as a connection has capacity.
    ///
    /// - Parameter ticket: for `leave`; 0 for an exchange that is never withdrawn.
    func submit(_ exchange: Exchange, ticket: Int = 0) {
        guard !isClosed else { return exchange.complete(.unavailable("closed")) }
        if state.isEmpty, let connection = freeConnection() { return connection.send(exchange) }
        switch state.admit(exchange, of: exchange.party, ticket: ticket, now: loop.now) {
        case .waits: break
        case .refused: return refuse(exchange)
        case .displaces(let last): refuse(last)
        }
        if timer == nil { scheduleDeadline() }
    }

    private func refuse(_ exchange: Exchange) {
        meters.rejected.add()
        exchange.complete(.busy(retryAfterSeconds: 1))
    }

    /// The connection with the fewest exchanges in progress, if it has capacity.
    private func freeConnection() -> Connection? {
        var best: Connection?
        var fewest = settings.sharedDepth
        for slot in slots {
            guard let connection = slot.connection, connection.exchanges.count < fewest else {
                continue
            }
            best = connection
            fewest = connection.exchanges.count
        }
        return best
    }

    private func pump() {
        while !state.isEmpty, let connection = freeConnection() {
            let next = state.takeNext(now: loop.now) { exchangesInProgress(by: $0) }
            guard let next else { return }
            meters.waits.observe(nanoseconds: Int(next.waited))
            connection.send(next.element)
        }
    }

    /// How many exchanges a tenant has in progress.
    private func exchangesInProgress(by tenant: UUID?) -> Int {
        slots.reduce(0) { sum, slot in
            sum + (slot.connection?.exchanges.count { $0.party?.tenant == tenant } ?? 0)
        }
    }

    // MARK: Deadlines

    private func scheduleDeadline() {
        guard let first = state.nextDeadline else { return }
        let milliseconds = Int(max(1, (first - loop.now + 999_999) / 1_000_000))
        timer = loop.schedule(afterMilliseconds: milliseconds) {
            self.timer = nil
            self.dropLate()
        }
    }

    private func dropLate() {
        while let late = state.takeLate(now: loop.now) {
            meters.late.add()
            meters.waits.observe(nanoseconds: Int(late.waited))
            late.element.complete(
                isReady ? .busy(retryAfterSeconds: 1) : .unavailable(trouble))
        }
        scheduleDeadline()
    }
}
