import Metrics

/// The figures of a replica as one loop sees it, readable from any thread.
package final class ReplicaMeters: Sendable {
    /// Reads that the replica answered.
    package let answered = Counter()
    /// Reads that the primary answered because the replica had not replayed enough.
    package let behind = Counter()
    /// Reads that the primary answered because the replica was not reachable, or followed another primary.
    package let away = Counter()
    /// Reads that the primary answered because the replica's connections were all in use.
    package let busy = Counter()
    /// Reads that the primary answered because they failed on the replica.
    package let failed = Counter()
    /// 1 if reads are sent to the replica, otherwise 0.
    package let isUsed = Gauge()
    /// By how many bytes of the log it was behind the primary when both were last asked.
    package let lag = Gauge()
}
