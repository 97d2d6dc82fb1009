import EventLoop
import Log
import Metrics
import Values

/// The lane for short statements: few connections, several exchanges in progress on each.
///
/// If all slots of the pipelines are taken, an exchange waits in a bounded queue with a deadline. Waiting
/// tenants take turns, and while others wait none gets more than half of the pipeline slots. Confined to its loop.
final class SharedLane {
    private struct Waiter {
        let exchange: Exchange
        let deadline: Int64
        let ticket: Int
    }

    private let loop: Loop
    private let settings: Pool.Settings
    private let slots: [Slot]
    private let meters: LaneMeters
    private var queue = FairQueue<Waiter>()
    /// Half of all pipeline slots, rounded up.
    private let half: Int
    private var lastTicket = 0
    private var timer: LoopTimer?
    private let watchdog: Watchdog
    private var isClosed = false

    init(_ settings: Pool.Settings, on loop: Loop, log: Log?, meters: PoolMeters) {
        self.loop = loop
        self.settings = settings
        self.meters = meters.shared
        half = (settings.sharedConnections * settings.sharedDepth + 1) / 2
        let target = settings.connection(
            statementTimeoutMilliseconds: settings.sharedStatementTimeoutMilliseconds)
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
        meters.queued.set(queue.count)
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
        for waiter in queue.remove(where: { _ in true }) {
            waiter.exchange.complete(.unavailable("closed"))
        }
        for slot in slots { slot.close() }
    }

    /// Drops the connections, which are opened anew, and what waits for them.
    func abandon(_ reason: String) {
        for waiter in queue.remove(where: { _ in true }) {
            waiter.exchange.complete(.unavailable(reason))
        }
        for slot in slots { slot.connection?.fail(reason) }
    }

    /// Whether a new exchange would have to wait.
    var isFull: Bool { !queue.isEmpty || freeConnection() == nil }

    /// A number for leaving the queue.
    func newTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// The task behind it was cancelled: its exchange is dropped if it still waits, but not if it was sent.
    func leave(_ ticket: Int) {
        for waiter in queue.remove(where: { $0.ticket == ticket }) {
            waiter.exchange.complete(.cancelled)
        }
    }

    /// Sends the exchange now or as soon as a connection has capacity.
    ///
    /// - Parameter ticket: for `leave`; 0 for an exchange that is never withdrawn.
    func submit(_ exchange: Exchange, ticket: Int = 0) {
        guard !isClosed else { return exchange.complete(.unavailable("closed")) }
        if queue.isEmpty, let connection = freeConnection() { return connection.send(exchange) }
        let tenant = exchange.party?.tenant
        if queue.count >= settings.sharedQueueLimit {
            meters.rejected.add()
            guard let last = queue.removeLast(for: tenant) else {
                return exchange.complete(.busy(retryAfterSeconds: 1))
            }
            last.exchange.complete(.busy(retryAfterSeconds: 1))
        }
        let wait = Int64(settings.queueMilliseconds) * 1_000_000
        queue.append(
            Waiter(exchange: exchange, deadline: loop.now + wait, ticket: ticket), of: tenant)
        if timer == nil { scheduleDeadline() }
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
        while !queue.isEmpty, let connection = freeConnection() {
            guard let waiter = takeNext() else { return }
            meters.waited(until: loop.now, deadline: waiter.deadline, settings)
            connection.send(waiter.exchange)
        }
    }

    /// If all waiting tenants have half of the pipeline slots, no other tenant wants this one.
    private func takeNext() -> Waiter? {
        guard queue.tenantCount > 1 else { return queue.removeNext(where: { _ in true }) }
        return queue.removeNext(where: { exchangesInProgress(by: $0) < half })
            ?? queue.removeNext(where: { _ in true })
    }

    /// How many exchanges a tenant has in progress. Counted only when a request waits, so that others do not
    /// pay for it.
    private func exchangesInProgress(by tenant: UUID?) -> Int {
        slots.reduce(0) { sum, slot in
            sum + (slot.connection?.exchanges.count { $0.party?.tenant == tenant } ?? 0)
        }
    }

    // MARK: Deadlines

    private func scheduleDeadline() {
        guard let first = queue.heads.map(\.deadline).min() else { return }
        let milliseconds = Int(max(1, (first - loop.now + 999_999) / 1_000_000))
        timer = loop.schedule(afterMilliseconds: milliseconds) {
            self.timer = nil
            self.dropLate()
        }
    }

    private func dropLate() {
        let now = loop.now
        while let late = queue.removeHead(where: { $0.deadline <= now }) {
            meters.late.add()
            meters.waited(until: now, deadline: late.deadline, settings)
            late.exchange.complete(
                isReady ? .busy(retryAfterSeconds: 1) : .unavailable(trouble))
        }
        scheduleDeadline()
    }
}
