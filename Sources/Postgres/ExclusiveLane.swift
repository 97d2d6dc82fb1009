import EventLoop
import Log
import Metrics
import Values

/// The lane for sessions: each connection serves one at a time.
///
/// Connections are opened when sessions wait and none is free. Waiting tenants take turns, and while others
/// wait none gets more than half of the connections. Only a few sessions of one subject may wait, and those
/// that change the subject itself run alone. Confined to its loop. It must be closed.
final class ExclusiveLane: @unchecked Sendable {
    private final class Waiter {
        let deadline: Int64
        let continuation: CheckedContinuation<Connection, any Error>
        let ticket: Int
        let wish: Wish

        init(
            deadline: Int64, ticket: Int, wish: Wish,
            continuation: CheckedContinuation<Connection, any Error>
        ) {
            self.deadline = deadline
            self.ticket = ticket
            self.wish = wish
            self.continuation = continuation
        }
    }

    /// On whose behalf a connection is wanted, and whether the subject may have no other such connection meanwhile.
    struct Wish {
        var party: Party?
        var isAlone = false
    }

    /// A connection that is lent out.
    private struct Loan {
        let connection: Connection
        let wish: Wish
    }

    /// For PQcancel, which connects and blocks for as long as the server does not answer.
    let threads: BlockingThreads

    private let loop: Loop
    private let settings: Pool.Settings
    private let slots: [Slot]
    private let meters: LaneMeters
    private var idle: [Connection] = []
    private var loans: [Loan] = []
    private var queue = FairQueue<Waiter>()
    private var timer: LoopTimer?
    private let watchdog: Watchdog
    private var lastTicket = 0
    private var isClosed = false

    init(_ settings: Pool.Settings, on loop: Loop, log: Log?, meters: PoolMeters) {
        self.loop = loop
        self.settings = settings
        self.meters = meters.exclusive
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
            slot.isWanted = { !self.queue.isEmpty }
            slot.onOpen = { self.release($0) }
            slot.meters = meters
        }
    }

    func measure() {
        let open = slots.count { $0.connection != nil }
        meters.queued.set(queue.count)
        meters.connections.set(open)
        meters.busy.set(loans.count(where: \.connection.isAlive))
    }

    /// Accepts requests for connections, and connects on demand.
    func open() {
        watchdog.start()
    }

    func close() {
        isClosed = true
        timer?.cancel()
        watchdog.stop()
        idle = []
        for waiter in queue.remove(where: { _ in true }) {
            waiter.continuation.resume(throwing: PostgresError.unavailable("closed"))
        }
        for slot in slots { slot.close() }
    }

    /// Whether a new session would have to wait for another one.
    var isFull: Bool { !queue.isEmpty || loans.count >= slots.count }

    /// Drops the connections, which are opened anew when they are wanted, and what waits for them.
    func abandon(_ reason: String) {
        for waiter in queue.remove(where: { _ in true }) {
            waiter.continuation.resume(throwing: PostgresError.unavailable(reason))
        }
        for slot in slots { slot.connection?.fail(reason) }
    }

    /// Waits for a free connection.
    func acquire(_ wish: Wish = Wish()) async throws -> Connection {
        guard !isClosed else { throw PostgresError.unavailable("closed") }
        if mayBegin(wish), let connection = takeIdle() { return lend(connection, wish) }
        try checkQueue(for: wish.party)
        displaceIfFull(for: wish.party)
        lastTicket += 1
        let ticket = lastTicket
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let deadline = loop.now + queueNanoseconds
                queue.append(
                    Waiter(
                        deadline: deadline, ticket: ticket, wish: wish, continuation: continuation),
                    of: wish.party?.tenant)
                if timer == nil { scheduleDeadline(deadline) }
                slots.first(where: \.isClosed)?.open()
            }
        } onCancel: {
            loop.execute { self.leave(ticket) }
        }
    }

    /// Refuses a new request if the queue is full (in total, unless it may displace another one) or full for
    /// its subject.
    func checkQueue(for party: Party?) throws {
        let subject = party?.subject
        // A request that waits for a connection still to be opened does not wait for another session.
        let limit = settings.subjectQueueLimit + slots.count { $0.connection == nil }
        let isCrowded =
            subject != nil && queue.count { $0.wish.party?.subject == subject } >= limit
        guard isCrowded || queue.count >= settings.queueLimit else { return }
        guard !isCrowded, queue.hasLongerLine(than: party?.tenant) else {
            meters.rejected.add()
            throw PostgresError.busy(retryAfterSeconds: 1)
        }
    }

    /// Refuses the last request of the longest line if the queue is full.
    private func displaceIfFull(for party: Party?) {
        guard queue.count >= settings.queueLimit, let last = queue.removeLast(for: party?.tenant)
        else { return }
        meters.rejected.add()
        last.continuation.resume(throwing: PostgresError.busy(retryAfterSeconds: 1))
    }

    /// Takes a connection back, or accepts a new one.
    func release(_ connection: Connection) {
        loans.removeAll { $0.connection === connection }
        // If the connection broke, its slot opens another one, as long as requests wait.
        guard connection.isAlive, !isClosed else { return }
        idle.append(connection)
        while !queue.isEmpty, let connection = takeIdle() {
            guard let waiter = takeNext() else { return idle.append(connection) }
            meters.waited(until: loop.now, deadline: waiter.deadline, settings)
            waiter.continuation.resume(returning: lend(connection, waiter.wish))
        }
    }

    private func lend(_ connection: Connection, _ wish: Wish) -> Connection {
        loans.append(Loan(connection: connection, wish: wish))
        return connection
    }

    /// If all waiting tenants have half of the connections, no other tenant wants this one.
    private func takeNext() -> Waiter? {
        let half = (slots.count + 1) / 2
        return queue.removeNext(where: { connectionsLent(to: $0) < half }, { mayBegin($0.wish) })
            ?? queue.removeNext(where: { _ in true }, { mayBegin($0.wish) })
    }

    private func connectionsLent(to tenant: UUID?) -> Int {
        loans.count { $0.wish.party?.tenant == tenant }
    }

    private func mayBegin(_ wish: Wish) -> Bool {
        guard wish.isAlone, let subject = wish.party?.subject else { return true }
        return !loans.contains { $0.wish.isAlone && $0.wish.party?.subject == subject }
    }

    private func takeIdle() -> Connection? {
        while let connection = idle.popLast() {
            if connection.isAlive { return connection }
        }
        return nil
    }

    /// The waiting task was cancelled.
    private func leave(_ ticket: Int) {
        for waiter in queue.remove(where: { $0.ticket == ticket }) {
            waiter.continuation.resume(throwing: PostgresError.cancelled)
        }
    }

    private var queueNanoseconds: Int64 { Int64(settings.queueMilliseconds) * 1_000_000 }

    private func scheduleDeadline(_ moment: Int64) {
        let milliseconds = Int(max(1, (moment - loop.now + 999_999) / 1_000_000))
        timer = loop.schedule(afterMilliseconds: milliseconds) {
            self.timer = nil
            self.dropLate()
        }
    }

    /// Connections being opened are for the requests that came first, so those also wait for the opening, as
    /// long as it may take. Otherwise a busy machine would refuse the first client of a lane.
    private func dropLate() {
        let now = loop.now
        let opening = slots.count(where: \.isOpening)
        let connecting = Int64(settings.connectionSeconds) * 1_000_000_000
        // No request that comes after this can be late before then.
        var next = now + queueNanoseconds
        let first = Set(queue.elements.map(\.ticket).sorted().prefix(opening))
        let late = queue.remove { waiter in
            let deadline = waiter.deadline + (first.contains(waiter.ticket) ? connecting : 0)
            if deadline > now { next = min(next, deadline) }
            return deadline <= now
        }
        let isConnected = slots.contains { $0.connection != nil }
        for waiter in late {
            meters.late.add()
            meters.waited(until: now, deadline: waiter.deadline, settings)
            waiter.continuation.resume(
                throwing: isConnected
                    ? PostgresError.busy(retryAfterSeconds: 1)
                    : .unavailable(slots.first?.trouble ?? "no exclusive connections"))
        }
        if !queue.isEmpty { scheduleDeadline(next) }
    }
}
