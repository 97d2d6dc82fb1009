import Metrics
import Postgres

extension Observation {
    /// One lane, summed over all loops.
    private struct Lane {
        let name: String
        let meters: [LaneMeters]

        func sum(_ value: (LaneMeters) -> Int) -> Int { meters.reduce(0) { $0 + value($1) } }
        var label: Exposition.Label { ("lane", name) }
    }

    /// Exports the connections to PostgreSQL and the statements it refused.
    static func export(_ pools: [PoolMeters], to metrics: inout Exposition) {
        let lanes = [
            Lane(name: "shared", meters: pools.map(\.shared)),
            Lane(name: "exclusive", meters: pools.map(\.exclusive)),
        ]
        metrics.begin(.gauge, "homeroom_database_connections", "Open connections to PostgreSQL.")
        for lane in lanes { metrics.sample(lane.sum(\.connections.value), [lane.label]) }
        metrics.begin(
            .gauge, "homeroom_database_busy",
            "Statements under way in the shared lane, connections in use in the exclusive one.")
        for lane in lanes { metrics.sample(lane.sum(\.busy.value), [lane.label]) }
        metrics.begin(
            .gauge, "homeroom_database_queue_depth", "Requests that wait for a connection.")
        for lane in lanes { metrics.sample(lane.sum(\.queued.value), [lane.label]) }
        metrics.begin(
            .counter, "homeroom_database_rejections_total",
            "Requests that got no connection, by reason.")
        for lane in lanes {
            metrics.sample(lane.sum(\.rejected.value), [lane.label, ("reason", "full")])
            metrics.sample(lane.sum(\.late.value), [lane.label, ("reason", "late")])
        }
        metrics.begin(
            .histogram, "homeroom_database_queue_wait_seconds",
            "How long requests waited for a connection, of those that had to wait.")
        for lane in lanes {
            let tallies = lane.meters.map(\.waits.tally)
            metrics.sample(tallies.dropFirst().reduce(tallies[0], +), [lane.label])
        }
        exportConnections(of: pools, to: &metrics)
    }

    private static func exportConnections(
        of pools: [PoolMeters], to metrics: inout Exposition
    ) {
        metrics.counter(
            "homeroom_database_connections_opened_total",
            "Connections that were opened, again ones among them.",
            pools.reduce(0) { $0 + $1.connectionsOpened.value })
        metrics.counter(
            "homeroom_database_connections_lost_total", "Connections that broke.",
            pools.reduce(0) { $0 + $1.connectionsLost.value })
        metrics.counter(
            "homeroom_database_connections_failed_total", "Attempts to connect that failed.",
            pools.reduce(0) { $0 + $1.connectionsFailed.value })
        var errors: [String: Int] = [:]
        for (code, count) in pools.flatMap(\.errors.values) { errors[code, default: 0] += count }
        metrics.begin(
            .counter, "homeroom_database_errors_total",
            "What PostgreSQL refused, by SQLSTATE; many are mistakes of callers.")
        for (code, count) in errors.sorted(by: { $0.key < $1.key }) {
            metrics.sample(count, [("sqlstate", code)])
        }
    }
}
