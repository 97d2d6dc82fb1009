import CLibpq
import EventLoop
import Log
import Metrics

/// Holds one connection and reopens it after it breaks. Confined to its loop.
final class Slot {
    private enum State {
        case closed
        case connecting(Connecting)
        case waiting(LoopTimer)
        case open(Connection)
    }

    private let loop: Loop
    private let settings: ConnectionSettings
    private let preparedLimit: Int
    private let log: Log?
    private var state = State.closed
    private var backoff = Backoff()

    /// Where events of the connection are counted.
    var meters: PoolMeters?
    /// Why there is no connection, for the log.
    private(set) var trouble = "not connected yet"
    /// Called with each opened connection.
    var onOpen: (Connection) -> Void = { _ in }
    /// Called when the open connection breaks.
    var onLoss: () -> Void = {}
    /// Asked before an attempt is repeated: whether the connection is still wanted.
    var isWanted: () -> Bool = { true }

    init(_ settings: ConnectionSettings, on loop: Loop, preparedLimit: Int, log: Log?) {
        self.loop = loop
        self.settings = settings
        self.preparedLimit = preparedLimit
        self.log = log
    }

    var connection: Connection? {
        if case .open(let connection) = state { connection } else { nil }
    }

    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Whether a connection is being made and no earlier attempt has failed.
    var isOpening: Bool {
        if case .connecting = state { !backoff.isFailing } else { false }
    }

    /// Starts connecting, unless that is in progress or done.
    func open() {
        guard case .closed = state else { return }
        connect()
    }

    /// Closes the connection and opens no other.
    func close() {
        switch state {
        case .closed: break
        case .connecting(let attempt): attempt.cancel()
        case .waiting(let timer): timer.cancel()
        case .open(let connection): connection.close()
        }
        state = .closed
        isWanted = { false }
        onOpen = { _ in }
        onLoss = {}
    }

    private func connect() {
        state = .connecting(Connecting(settings, on: loop) { self.finish($0) })
    }

    private func finish(_ result: Result<OpaquePointer, PostgresError>) {
        do {
            let connection = try Connection(
                result.get(), on: loop, preparedLimit: preparedLimit)
            connection.onLoss = { self.lose($0) }
            connection.meters = meters
            meters?.connectionsOpened.add()
            if backoff.isFailing { log?.info("database connected") }
            backoff.opened(now: loop.now)
            state = .open(connection)
            onOpen(connection)
        } catch {
            meters?.connectionsFailed.add()
            if case PostgresError.unavailable(let reason) = error { trouble = reason }
            if !backoff.isFailing {
                log?.warning("database not reachable", ["reason": .text(trouble)])
            }
            backoff.failed()
            retry()
        }
    }

    private func lose(_ reason: String) {
        trouble = reason
        meters?.connectionsLost.add()
        log?.warning("database connection lost", ["reason": .text(reason)])
        backoff.lost(now: loop.now)
        onLoss()
        retry()
    }

    private func retry() {
        guard isWanted() else {
            state = .closed
            return
        }
        let timer = loop.schedule(afterMilliseconds: backoff.nextDelay()) { self.connect() }
        state = .waiting(timer)
    }
}
