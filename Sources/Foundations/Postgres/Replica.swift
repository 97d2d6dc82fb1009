import EventLoop
import Log
import Metrics

/// A server that follows the primary, for reads.
///
/// A read sees everything that was committed before the read began, by anyone, as on the primary: the primary is asked
/// where its log ends, and the replica answers only if it has replayed the log that far. If it has not, is away, or fails,
/// `nil` is returned and the primary should be asked; a replica never makes a request fail, and delays it only for a
/// bounded time.
///
/// Confined to its loop, except for its initializer. It must be closed.
package final class Replica: @unchecked Sendable {
    /// How long to wait for the replica.
    package struct Patience: Sendable {
        /// A read waits this long for the replica to catch up.
        package var catchingUpMilliseconds = 50
        /// The replica is checked this often.
        package var beatMilliseconds = 250
        /// A check without an answer for this long means that the replica is gone; reads in progress go to the primary.
        package var silenceMilliseconds = 1000

        package init() {}
    }

    /// By then a connection is usually open.
    private static let firstBeatMilliseconds = 50

    private let loop: Loop
    private let pool: Pool
    private let patience: Patience
    private let log: Log?
    private let primary: PrimaryPosition
    /// The figures, readable from any thread.
    package let meters = ReplicaMeters()

    private var view: ReplicaView<CheckedContinuation<Bool, Never>>
    private var timer: LoopTimer?
    private var isLooking = false
    /// Why it was last used or not used, as logged.
    private var lastReason = ""
    private var isClosed = false

    /// - Parameters:
    ///   - settings: the connections to the replica.
    ///   - primary: the pool of the same loop for the server that it follows.
    package init(
        _ settings: Pool.Settings, following primary: Pool, patience: Patience = Patience(),
        log: Log? = nil
    ) {
        var settings = settings
        // The primary is free, so no one waits long for the replica; and a check behind a full pipeline is not late.
        settings.queueMilliseconds = patience.catchingUpMilliseconds
        settings.sharedDepth = min(settings.sharedDepth, 4)
        loop = primary.loop
        // What it has to log is not about the database that requests need.
        pool = Pool(settings, on: primary.loop)
        self.primary = PrimaryPosition(of: primary)
        self.patience = patience
        view = ReplicaView(patience: patience.catchingUpMilliseconds)
        self.log = log
    }

    /// Starts connecting; until that is done, reads go to the primary.
    package func start() {
        loop.preconditionCurrent()
        pool.start()
        schedule(afterMilliseconds: Self.firstBeatMilliseconds)
    }

    /// Closes all connections.
    package func close() {
        loop.preconditionCurrent()
        isClosed = true
        timer?.cancel()
        timer = nil
        note(nil)
        pool.close()
    }

    // MARK: Reading

    /// Runs one short statement that only reads; `nil` if the primary should be asked.
    package func query(
        _ statement: Statement, as identity: Identity, for party: Party?
    ) async throws -> Rows? {
        try await read(isFull: pool.isSharedFull) { position -> Rows? in
            // The state precedes the statement on the same connection: several replicas may share a name.
            let rows = try await self.pool.query(
                [.replicaState, statement], as: identity, for: party)
            return self.has(position, in: rows[0]) ? rows[1] : nil
        }
    }

    /// The same for a statement over many rows, which is cancelled with its task.
    package func longQuery(
        _ statement: Statement, as identity: Identity, for party: Party?
    ) async throws -> Rows? {
        try await read(isFull: pool.isExclusiveFull) { position in
            try await self.pool.withSession(for: party) { session -> Rows? in
                guard self.has(position, in: try await session.query(.replicaState)) else {
                    return nil
                }
                return try await session.query(statement, as: identity)
            }
        }
    }

    /// Runs several statements that only read, in one transaction. If they fail here, the body runs again on the primary.
    package func transaction<Value>(
        as identity: Identity, for party: Party?, _ body: (Session) async throws -> Value
    ) async throws -> Value? {
        try await read(isFull: pool.isExclusiveFull) { position in
            try await self.pool.withSession(for: party) { session -> Value? in
                guard self.has(position, in: try await session.query(.replicaState)) else {
                    return nil
                }
                return try await session.transaction(as: identity, body)
            }
        }
    }

    /// - Parameter isFull: whether the statement would have to wait here; then the two servers share the load.
    private func read<Value>(
        isFull: Bool, _ body: (LogPosition) async throws -> Value?
    ) async throws -> Value? {
        loop.preconditionCurrent()
        guard view.isUsed, pool.isConnected else {
            meters.away.add()
            return nil
        }
        guard !isFull else {
            meters.busy.add()
            return nil
        }
        guard let position = await primary.current() else {
            meters.away.add()
            return nil
        }
        // Errors of the body's own are the answer: it has read what the primary would have shown.
        do {
            guard await isReached(position), let value = try await body(position) else {
                meters.behind.add()
                return nil
            }
            meters.answered.add()
            return value
        } catch PostgresError.busy {
            meters.busy.add()
            return nil
        } catch let error as PostgresError where error != .cancelled {
            // Whatever made the statement fail on the replica, the primary decides.
            meters.failed.add()
            return nil
        }
    }

    private func has(_ position: LogPosition, in rows: Rows) -> Bool {
        guard let found = try? ReplicaState(rows) else { return false }
        return view.hasReached(position, by: found)
    }

    // MARK: Catching up

    private func isReached(_ position: LogPosition) async -> Bool {
        if view.hasReached(position) { return true }
        return await withCheckedContinuation { continuation in
            let isFirst = view.wait(continuation, for: position, now: loop.now)
            if isFirst { loop.spawn { await self.follow() } }
        }
    }

    /// Asks the replica for its state until no read waits for it.
    private func follow() async {
        var delay = 1
        while view.hasWaiters {
            let rows = try? await pool.query(
                .replicaState, withinMilliseconds: patience.catchingUpMilliseconds)
            let found = rows.flatMap { try? ReplicaState($0) }
            for (waiting, hasReached) in view.answered(found, now: loop.now) {
                // Not logged: a replica under load may be behind many times a second.
                if !hasReached { meters.isUsed.set(0) }
                waiting.resume(returning: hasReached)
            }
            guard view.hasWaiters else { return }
            await pause(milliseconds: delay)
            delay = min(delay * 2, 8)
        }
    }

    // MARK: Checking

    private func schedule(afterMilliseconds milliseconds: Int) {
        timer = loop.schedule(afterMilliseconds: milliseconds) { self.beat() }
    }

    private func beat() {
        schedule(afterMilliseconds: patience.beatMilliseconds)
        guard pool.isConnected else { return note(nil) }
        guard !isLooking else { return }
        isLooking = true
        loop.spawn {
            await self.look()
            self.isLooking = false
        }
    }

    private func look() async {
        let position = await primary.current()
        guard !isClosed else { return }
        do {
            let rows = try await pool.query(
                .replicaState, withinMilliseconds: patience.silenceMilliseconds)
            note(try ReplicaState(rows), primary: position)
        } catch PostgresError.busy {
            // A read is in progress, so that the replica is alive.
        } catch {
            guard !isClosed else { return }
            note(nil)
            pool.abandon("the replica does not answer")
        }
    }

    /// Decides from the replica's state whether reads may use it; `nil` if it is away.
    private func note(_ found: ReplicaState?, primary position: LogPosition? = nil) {
        switch view.judge(found, primary: position) {
        case .isAway: report(pool.trouble)
        case .isNoReplica: report("it is not a replica")
        case .followsAnother: report("it does not follow this primary yet")
        case .isUnknown: break
        case .isStillBehind(let lag): meters.lag.set(lag)
        case .follows(let lag):
            meters.lag.set(lag)
            report("it follows the primary")
        }
    }

    /// Logs why it is now used, or not, if that has changed.
    private func report(_ reason: String) {
        meters.isUsed.set(view.isUsed ? 1 : 0)
        guard reason != lastReason else { return }
        lastReason = reason
        let fields: LogFields = ["reason": .text(reason)]
        if view.isUsed {
            log?.info("replica used for reading", fields)
        } else if !isClosed {
            log?.warning("replica not used for reading", fields)
        }
    }
}
