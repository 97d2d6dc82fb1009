import Metrics

/// The figures of one lane of a pool, readable from any thread. Gauges are as old as the last `measure`.
package final class LaneMeters: Sendable {
    /// Open connections.
    package let connections = Gauge()
    /// Exchanges in progress in the shared lane, connections lent in the exclusive one.
    package let busy = Gauge()
    /// Requests that wait.
    package let queued = Gauge()
    /// Refused at once because the queue was full.
    package let rejected = Counter()
    /// Refused because the wait took too long.
    package let late = Counter()
    /// How long requests waited that had to wait.
    package let waits = Histogram(.waits)
}

/// The figures of a pool, readable from any thread.
package final class PoolMeters: Sendable {
    package let shared = LaneMeters()
    package let exclusive = LaneMeters()
    /// Connections opened, including replacements for lost ones.
    package let connectionsOpened = Counter()
    /// Connections that broke.
    package let connectionsLost = Counter()
    /// Attempts to connect that failed.
    package let connectionsFailed = Counter()
    /// PostgreSQL's errors, by SQLSTATE.
    package let errors = CodeCounter()

    func count(_ failure: PostgresError?) {
        if let state = failure?.sqlState { errors.add(state) }
    }
}
