import EventLoop
import Log

/// The connections of one loop to PostgreSQL, in two lanes.
///
/// *Shared*: short statements, several requests in progress on each connection, not cancelled, with a short
/// statement timeout. *Exclusive*: one session at a time, for transactions, long statements and COPY; cancelled
/// with its task. Both have bounded queues.
///
/// Confined to its loop, except for its initializer. It must be closed.
package final class Pool: @unchecked Sendable {
    /// How many connections, how long to wait.
    package struct Settings: Sendable {
        /// A URL or a `key=value` string, as libpq reads it.
        package var target: String
        /// Session settings, for instance `search_path`.
        package var options: [(name: String, value: String)] = []
        package var sharedConnections = 2
        /// Requests in progress on one shared connection.
        package var sharedDepth = 8
        package var sharedStatementTimeoutMilliseconds = 100
        /// How long a statement there may wait for a lock: less than its timeout, so that the error tells one that waits
        /// from one that is slow.
        var sharedLockTimeoutMilliseconds: Int { sharedStatementTimeoutMilliseconds * 4 / 5 }
        /// Opened on demand.
        package var exclusiveConnections = 8
        /// Whether no tenant may have more than half of the exclusive connections, no subject and no statements that
        /// were cut off more than a quarter, and a quarter is kept for requests without a party.
        package var isShared = true
        package var exclusiveStatementTimeoutMilliseconds = 10_000
        /// Requests that may wait for the shared lane: as many as it answers in a tenth of a second. If it were
        /// less, three times the clients that keep the lane busy would spend the processor on being refused.
        package var sharedQueueLimit = 1024
        /// Requests that may wait for the exclusive lane.
        package var queueLimit = 512
        /// How many of these may be on behalf of one subject.
        package var subjectQueueLimit = 64
        /// Requests that hold much and may wait for the exclusive lane, and how many of these for one subject.
        package var largeQueueLimit = 64
        package var largeSubjectQueueLimit = 2
        /// How long a request may wait for the shared lane, and for a database that cannot be reached.
        package var queueMilliseconds = 1000
        /// How long a request may wait for an exclusive connection that others have.
        package var exclusiveQueueMilliseconds = 10_000
        /// How long connecting to one address may take. A request that waits for an exclusive connection being
        /// opened has that time in addition.
        package var connectionSeconds = 3
        /// How long a connection may owe an answer, beyond the statement timeout, before it is given up.
        package var answerMilliseconds = 5000
        /// Prepared statements per connection.
        package var preparedLimit = 500

        package init(_ target: String, options: [(name: String, value: String)] = []) {
            self.target = target
            self.options = options
        }

        /// For work beside the requests: exclusive connections alone, and statements of up to 30 seconds.
        package static func working(in target: String, connections: Int) -> Settings {
            var settings = Settings(target)
            settings.sharedConnections = 0
            settings.exclusiveConnections = connections
            settings.isShared = false
            settings.exclusiveStatementTimeoutMilliseconds = 30_000
            return settings
        }

        func connection(
            statementTimeoutMilliseconds: Int, lockTimeoutMilliseconds: Int = 0
        ) -> ConnectionSettings {
            let own = [
                ("jit", "off"), ("client_min_messages", "error"),
                ("statement_timeout", "\(statementTimeoutMilliseconds)"),
                ("lock_timeout", "\(lockTimeoutMilliseconds)"),
                ("idle_in_transaction_session_timeout", "60000"),
            ]
            return ConnectionSettings(
                target, options: own + options.map { ($0.name, $0.value) },
                timeoutSeconds: connectionSeconds)
        }
    }

    package let loop: Loop
    /// The database, for code that opens its own connection.
    package let target: String
    /// The pool's figures, readable from any thread.
    package let meters: PoolMeters
    private let shared: SharedLane
    private let exclusive: ExclusiveLane
    private let ownsConnections: Bool
    private var isClosed = false

    package init(_ settings: Settings, on loop: Loop, log: Log? = nil) {
        self.loop = loop
        target = settings.target
        let meters = PoolMeters()
        self.meters = meters
        shared = SharedLane(settings, on: loop, log: log, meters: meters)
        exclusive = ExclusiveLane(settings, on: loop, log: log, meters: meters)
        ownsConnections = true
    }

    /// A pool over the connections of another one. It can be closed by itself: requests made of it after that fail,
    /// and the connections stay open.
    ///
    /// - Parameter target: the same database, for code that opens its own connection.
    package init(over other: Pool, target: String) {
        loop = other.loop
        self.target = target
        meters = other.meters
        shared = other.shared
        exclusive = other.exclusive
        ownsConnections = false
    }

    /// Starts connecting. Requests made before that is done wait.
    package func start() {
        loop.preconditionCurrent()
        shared.open()
        exclusive.open()
    }

    /// Updates the gauges of `meters`; the counters are always current.
    package func measure() {
        loop.preconditionCurrent()
        shared.measure()
        exclusive.measure()
    }

    /// Closes all connections; requests in progress or waiting fail.
    package func close() {
        loop.preconditionCurrent()
        isClosed = true
        guard ownsConnections else { return }
        shared.close()
        exclusive.close()
    }

    /// Drops all connections and opens them anew; requests in progress or waiting fail. For a server that is as good
    /// as gone, before its connections have noticed.
    package func abandon(_ reason: String) {
        loop.preconditionCurrent()
        shared.abandon(reason)
        exclusive.abandon(reason)
    }

    /// Whether a shared connection is open now.
    package var isConnected: Bool { shared.isReady }

    /// Whether a short statement would have to wait now.
    var isSharedFull: Bool { shared.isFull }
    /// Whether a session would have to wait now.
    var isExclusiveFull: Bool { exclusive.isFull }

    /// Why no shared connection is open, for the log.
    var trouble: String { shared.trouble }

    /// Waits until a shared connection is open; throws `unavailable` with the reason after that time.
    package func waitUntilConnected(milliseconds: Int) async throws {
        let deadline = loop.now + Int64(milliseconds) * 1_000_000
        while !shared.isReady {
            guard loop.now < deadline else { throw PostgresError.unavailable(shared.trouble) }
            await pause(milliseconds: 5)
        }
    }

    /// Runs one short statement under an identity, in a transaction of its own, in one round trip.
    package func query(
        _ statement: Statement, as identity: Identity?, for party: Party? = nil
    ) async throws -> Rows {
        try await query([statement], as: identity, for: party)[0]
    }

    /// Runs short statements as one transaction, in one round trip; returns one result for each. If the task is
    /// cancelled while they wait for a connection, they are not run.
    package func query(
        _ statements: [Statement], as identity: Identity?, for party: Party? = nil
    ) async throws -> [Rows] {
        loop.preconditionCurrent()
        try checkOpen()
        guard shared.isFull else {
            return try await submit(statements, as: identity, for: party, ticket: 0)
        }
        let ticket = shared.newTicket()
        return try await withTaskCancellationHandler {
            try await submit(statements, as: identity, for: party, ticket: ticket)
        } onCancel: {
            loop.execute { self.shared.leave(ticket) }
        }
    }

    private func checkOpen() throws {
        guard !isClosed else { throw PostgresError.unavailable("closed") }
    }

    private func submit(
        _ statements: [Statement], as identity: Identity?, for party: Party?, ticket: Int
    ) async throws -> [Rows] {
        try await withCheckedThrowingContinuation { continuation in
            shared.submit(
                Exchange(statements, as: identity, for: party, forgivesPreparing: true) {
                    result in
                    continuation.resume(with: result.mapError { $0 as any Error })
                }, ticket: ticket)
        }
    }

    /// Runs one short statement without an identity; throws `unavailable` if no row has arrived in time. The
    /// statement continues even so.
    package func query(
        _ statement: Statement, withinMilliseconds milliseconds: Int
    ) async throws -> Rows {
        loop.preconditionCurrent()
        try checkOpen()
        return try await withCheckedThrowingContinuation { continuation in
            var waiting: CheckedContinuation<Rows, any Error>? = continuation
            let timer = loop.schedule(afterMilliseconds: milliseconds) {
                waiting?.resume(throwing: PostgresError.unavailable("no answer in time"))
                waiting = nil
            }
            shared.submit(
                Exchange([statement], as: nil) { result in
                    timer.cancel()
                    waiting?.resume(with: result.map { $0[0] }.mapError { $0 as any Error })
                    waiting = nil
                })
        }
    }

    /// Throws `busy` if a session would be refused, for callers with much work to do before asking for one.
    package func checkQueue(for party: Party? = nil) throws {
        loop.preconditionCurrent()
        try exclusive.checkQueue(for: party)
    }

    /// Lends a connection of the exclusive lane while the body runs. A transaction or COPY that the body
    /// leaves open is rolled back. The task's cancellation cancels what runs at the server.
    ///
    /// - Parameters:
    ///   - isAlone: meanwhile no other such session is lent to the same subject. For sessions that would wait there for a
    ///     row locked by the other one.
    ///   - wasCutOff: for what the shared lane has cut off. All of these together get few connections.
    @discardableResult
    package func withSession<Value>(
        for party: Party? = nil, alone isAlone: Bool = false, wasCutOff: Bool = false,
        _ body: (Session) async throws -> Value
    ) async throws -> Value {
        loop.preconditionCurrent()
        try checkOpen()
        let connection = try await exclusive.acquire(
            Wish(party: party, isAlone: isAlone, wasCutOff: wasCutOff))
        let session = Session(connection, cancelling: exclusive.threads)
        do {
            let value = try await body(session)
            await session.end()
            exclusive.release(connection)
            return value
        } catch {
            await session.end()
            exclusive.release(connection)
            throw error
        }
    }
}
