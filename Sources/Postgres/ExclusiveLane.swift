import EventLoop
import Log
import Metrics

/// The lane for sessions: each connection serves one at a time.
///
/// Connections are opened when sessions wait and none is free. Confined to its
/// loop. Has to be closed.
final class ExclusiveLane: @unchecked Sendable {
    private final class Waiter {
        let deadline: Int64
        let continuation: CheckedContinuation<Connection, any Error>
        let ticket: Int

        init(
            deadline: Int64, ticket: Int, continuation: CheckedContinuation<Connection, any Error>
        ) {
            self.deadline = deadline
            self.ticket = ticket
            self.continuation = continuation
        }
    }

    /// For PQcancel, which connects and waits, where the server does not answer for long.
    let threads: BlockingThreads

    private let loop: Loop
    private let settings: Pool.Settings
    private let slots: [Slot]
    private let meters: LaneMeters
    private var idle: [Connection] = []
    private var queue = Queue<Waiter>()
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
            slots, statementMilliseconds: settings.exclusiveStatementTimeoutMilliseconds,
            answerMilliseconds: settings.answerMilliseconds, on: loop)
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
        meters.busy.set(max(0, open - idle.count(where: \.isAlive)))
    }

    /// Connects when somebody comes.
    func open() {
        watchdog.start()
    }

    func close() {
        isClosed = true
        timer?.cancel()
        watchdog.stop()
        idle = []
        while let waiter = queue.removeFirst() {
            waiter.continuation.resume(throwing: PostgresError.unavailable("closed"))
        }
        for slot in slots { slot.close() }
    }

    /// Waits for a connection that nobody uses.
    func acquire() async throws -> Connection {
        guard !isClosed else { throw PostgresError.unavailable("closed") }
        if queue.isEmpty, let connection = takeIdle() { return connection }
        try checkRoom()
        lastTicket += 1
        let ticket = lastTicket
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let deadline = loop.now + queueNanoseconds
                queue.append(
                    Waiter(deadline: deadline, ticket: ticket, continuation: continuation))
                if timer == nil { scheduleDeadline(deadline) }
                slots.first(where: \.isClosed)?.open()
            }
        } onCancel: {
            loop.execute { self.leave(ticket) }
        }
    }

    /// Refuses whoever comes while as many wait as may.
    func checkRoom() throws {
        guard queue.count < settings.queueLimit else {
            meters.rejected.add()
            throw PostgresError.busy(retryAfterSeconds: 1)
        }
    }

    /// Takes a connection back, or a new one in.
    func release(_ connection: Connection) {
        guard connection.isAlive, !isClosed else {
            // Somebody may still wait for a connection in its place.
            if !queue.isEmpty { slots.first(where: \.isClosed)?.open() }
            return
        }
        if let waiter = queue.removeFirst() {
            meters.waited(until: loop.now, deadline: waiter.deadline, settings)
            waiter.continuation.resume(returning: connection)
        } else {
            idle.append(connection)
        }
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

    /// Connections that are being opened are for those who came first: they wait for that, too, as long as it may
    /// take. Otherwise a busy machine would refuse the first client whom a lane has.
    private func dropLate() {
        let now = loop.now
        let opening = slots.count(where: \.isOpening)
        let connecting = Int64(settings.connectionSeconds) * 1_000_000_000
        var place = 0
        // Nobody who comes after this is late before that.
        var next = now + queueNanoseconds
        let late = queue.remove { waiter in
            place += 1
            let deadline = waiter.deadline + (place <= opening ? connecting : 0)
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
