import Metrics
import Postgres

extension Observation {
    /// Exports which reads the replica took over; nothing without a replica.
    static func export(_ replicas: [ReplicaMeters], to metrics: inout Exposition) {
        if replicas.isEmpty { return }
        func sum(_ value: (ReplicaMeters) -> Int) -> Int { replicas.reduce(0) { $0 + value($1) } }
        metrics.gauge(
            "homeroom_replica_loops_reading",
            "Event loops that read from the replica now; fewer than homeroom_loops: it is behind or away.",
            sum(\.isUsed.value))
        metrics.gauge(
            "homeroom_replica_lag_bytes",
            "How much of the log the replica had not replayed when it was last asked.",
            replicas.reduce(0) { max($0, $1.lag.value) })
        metrics.begin(
            .counter, "homeroom_replica_reads_total",
            "Reads that a replica may answer: answered there, or on the primary since it was behind, busy, away or failed."
        )
        metrics.sample(sum(\.answered.value), [("outcome", "answered")])
        metrics.sample(sum(\.behind.value), [("outcome", "behind")])
        metrics.sample(sum(\.busy.value), [("outcome", "busy")])
        metrics.sample(sum(\.away.value), [("outcome", "away")])
        metrics.sample(sum(\.failed.value), [("outcome", "failed")])
    }
}
