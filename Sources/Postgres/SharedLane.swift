import EventLoop
import Log
import Metrics

/// The lane for short statements: few connections, several exchanges under way on each.
///
/// Whoever comes when all places are taken waits in a bounded queue with a deadline. Confined to its loop.
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
    private var queue = Queue<Waiter>()
    private var lastTicket = 0
    private var timer: LoopTimer?
    private let watchdog: Watchdog
    private var isClosed = false

    init(_ settings: Pool.Settings, on loop: Loop, log: Log?, meters: PoolMeters) {
        self.loop = loop
        self.settings = settings
        self.meters = meters.shared
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
        while let waiter = queue.removeFirst() {
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
        guard queue.count < settings.sharedQueueLimit else {
            meters.rejected.add()
            return exchange.complete(.busy(retryAfterSeconds: 1))
        }
        let wait = Int64(settings.queueMilliseconds) * 1_000_000
        queue.append(Waiter(exchange: exchange, deadline: loop.now + wait, ticket: ticket))
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
            guard let waiter = queue.removeFirst() else { return }
            meters.waited(until: loop.now, deadline: waiter.deadline, settings)
            connection.send(waiter.exchange)
        }
    }

    // MARK: Deadlines

    private func scheduleDeadline() {
        guard let first = queue.first else { return }
        let milliseconds = Int(max(1, (first.deadline - loop.now + 999_999) / 1_000_000))
        timer = loop.schedule(afterMilliseconds: milliseconds) {
            self.timer = nil
            self.dropLate()
        }
    }

    private func dropLate() {
        while let first = queue.first, first.deadline <= loop.now {
            queue.removeFirst()
            meters.late.add()
            meters.waited(until: loop.now, deadline: first.deadline, settings)
            first.exchange.complete(
                isReady ? .busy(retryAfterSeconds: 1) : .unavailable(trouble))
        }
        scheduleDeadline()
    }
}
