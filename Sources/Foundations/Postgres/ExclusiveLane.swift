import EventLoop
import Log
import Metrics

/// The lane for sessions: each connection serves one at a time.
///
/// Connections are opened when sessions wait and none is free. No tenant has more than half of the connections, and no
/// subject more than a quarter. Who waits takes turns: tenants, and within a tenant its subjects. Sessions that change
/// the subject itself run alone. Confined to its loop. It must be closed.
final class ExclusiveLane: @unchecked Sendable {
    private typealias Continuation = CheckedContinuation<Connection, any Error>

    /// For PQcancel, which connects and blocks for as long as the server does not answer.
    let threads: BlockingThreads

    private let loop: Loop
    private let slots: [Slot]
    private let meters: LaneMeters
    private var state: ExclusiveLaneState<Connection, Continuation>
    private var timer: LoopTimer?
    private let watchdog: Watchdog
    private var isClosed = false

    init(_ settings: Pool.Settings, on loop: Loop, log: Log?, meters: PoolMeters) {
        self.loop = loop
        self.meters = meters.exclusive
        state = ExclusiveLaneState(settings)
        let target = settings.connection(
            statementTimeoutMilliseconds: settings.exclusiveStatementTimeoutMilliseconds)
        slots = (0..<settings.exclusiveConnections).map { _ in
            Slot(target, on: loop, preparedLimit: settings.preparedLimit, log: log)
        }
        threads = BlockingThreads(count: settings.exclusiveConnections, queueLimit: 64)
        watchdog = Watchdog(
            slots,
            AnswerLimit(
                statementMilliseconds: settings.exclusiveStatementTimeoutMilliseconds,
                answerMilliseconds: settings.answerMilliseconds), on: loop)
        for slot in slots {
            slot.isWanted = { !self.state.isEmpty }
            slot.onOpen = { self.release($0) }
            slot.meters = meters
        }
    }

    func measure() {
        let open = slots.count { $0.connection != nil }
        meters.queued.set(state.count)
        meters.connections.set(open)
        meters.busy.set(state.lentCount)
    }

    /// Accepts requests for connections, and connects on demand.
    func open() {
        watchdog.start()
    }

    func close() {
        isClosed = true
        timer?.cancel()
        watchdog.stop()
        state.forgetIdle()
        for waiting in state.removeAll() {
            waiting.resume(throwing: PostgresError.unavailable("closed"))
        }
        for slot in slots { slot.close() }
    }

    /// Whether a new session would have to wait for another one.
    var isFull: Bool { state.isFull }

    /// Drops the connections, which are opened anew when they are wanted, and what waits for them.
    func abandon(_ reason: String) {
        for waiting in state.removeAll() {
            waiting.resume(throwing: PostgresError.unavailable(reason))
        }
        for slot in slots { slot.connection?.fail(reason) }
    }

    /// Waits for a free connection.
    func acquire(_ wish: Wish = Wish()) async throws -> Connection {
        guard !isClosed else { throw PostgresError.unavailable("closed") }
        if let connection = state.take(wish) { return connection }
        try checkQueue(for: wish.party)
        if let last = state.displace(for: wish.party) {
            meters.rejected.add()
            last.resume(throwing: busy)
        }
        let ticket = state.newTicket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let next = state.wait(continuation, wish, ticket: ticket, now: loop.now)
                if timer == nil { scheduleDeadline(next) }
                slots.first(where: \.isClosed)?.open()
            }
        } onCancel: {
            loop.execute { self.leave(ticket) }
        }
    }

    /// Refuses a new request if the queue is full (in total, unless it may displace another one) or full for
    /// its subject.
    func checkQueue(for party: Party?) throws {
        guard state.refuses(party) else { return }
        meters.rejected.add()
        throw busy
    }

    private var busy: PostgresError { .busy(retryAfterSeconds: state.retryAfterSeconds) }

    /// Takes a connection back, or accepts a new one.
    func release(_ connection: Connection) {
        state.end(connection)
        // If the connection broke, its slot opens another one, as long as requests wait.
        guard connection.isAlive, !isClosed else { return }
        state.offer(connection)
        while let (next, connection) = state.lendNext(now: loop.now) {
            meters.waits.observe(nanoseconds: Int(next.waited))
            next.element.resume(returning: connection)
        }
    }

    /// The waiting task was cancelled.
    private func leave(_ ticket: Int) {
        state.leave(ticket)?.resume(throwing: PostgresError.cancelled)
    }

    private func scheduleDeadline(_ moment: Int64) {
        let milliseconds = Int(max(1, (moment - loop.now + 999_999) / 1_000_000))
        timer = loop.schedule(afterMilliseconds: milliseconds) {
            self.timer = nil
            self.dropLate()
        }
    }

    private func dropLate() {
        let isConnected = slots.contains { $0.connection != nil }
        let (late, next) = state.takeLate(
            now: loop.now, isConnected: isConnected, beingOpened: slots.count(where: \.isOpening))
        for (waiting, waited) in late {
            meters.late.add()
            meters.waits.observe(nanoseconds: Int(waited))
            waiting.resume(
                throwing: isConnected
                    ? busy : .unavailable(slots.first?.trouble ?? "no exclusive connections"))
        }
        if let next { scheduleDeadline(next) }
    }
}

extension Connection: Lendable {}
