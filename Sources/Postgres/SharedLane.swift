import EventLoop
import Log
import Metrics
import Values

/// The lane for short statements: few connections, several exchanges under way on each.
///
/// Whoever comes when all places are taken waits in a bounded queue with a deadline. Tenants that wait take turns,
/// and while others wait none gets more than half of the places. Confined to its loop.
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
    /// Of all places, rounded up.
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
            slots, statementMilliseconds: settings.sharedStatementTimeoutMilliseconds,
            answerMilliseconds: settings.answerMilliseconds, on: loop)
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

    /// Whether what comes now would have to wait.
    var isFull: Bool { !queue.isEmpty || freeConnection() == nil }

    /// A number to leave the queue by.
    func newTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// The task behind it was cancelled: what still waits is not done. What is sent is.
    func leave(_ ticket: Int) {
        for waiter in queue.remove(where: { $0.ticket == ticket }) {
            waiter.exchange.complete(.cancelled)
        }
    }

    /// Sends the exchange now or as soon as there is a place.
    ///
    /// - Parameter ticket: for `leave`; 0 for what waits whatever happens.
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

    /// The connection with the fewest exchanges under way, if it has a place.
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

    /// Where all who wait have half of the places, nobody else wants this one.
    private func takeNext() -> Waiter? {
        guard queue.tenantCount > 1 else { return queue.removeNext(where: { _ in true }) }
        return queue.removeNext(where: { placesTaken(by: $0) < half })
            ?? queue.removeNext(where: { _ in true })
    }

    /// How many places a tenant has. Counted when somebody waits, so that nobody else pays for it.
    private func placesTaken(by tenant: UUID?) -> Int {
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
