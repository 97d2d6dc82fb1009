import Metrics

/// What becomes of pages of rosters.
final class RosterFigures: Sendable {
    /// Pages of which it could not be noted where they end.
    let notNoted = Counter()

    /// - Parameter made: how many indexes of collections this process made.
    func export(to metrics: inout Exposition, made: Int) {
        metrics.counter(
            "homeroom_roster_indexes_total",
            "How often a collection of a roster was counted, to find its pages.", made)
        metrics.counter(
            "homeroom_roster_places_lost_total",
            "Pages of rosters of which it could not be noted where the next one begins.",
            notNoted.value)
    }
}
