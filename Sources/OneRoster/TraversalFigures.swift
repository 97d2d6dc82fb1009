import Metrics

/// How often pages came from earlier revisions of a roster, and how often they could not.
final class TraversalFigures: Sendable {
    /// Pages of earlier revisions.
    let earlierPages = Counter()
    /// Traversals that went on in the present, because their revision was gone.
    let lost = Counter()
    /// Pages whose revision could not be kept for the next ones.
    let failed = Counter()

    /// - Parameters:
    ///   - kept: how many snapshots this process keeps.
    ///   - made: how many indexes of collections it made.
    func export(to metrics: inout Exposition, kept: Int, made: Int) {
        metrics.gauge(
            "homeroom_roster_snapshots",
            "Snapshots of the database that this process keeps for readers of rosters.", kept)
        metrics.counter(
            "homeroom_roster_indexes_total",
            "How often a collection of a roster was counted, to find its pages.", made)
        metrics.begin(
            .counter, "homeroom_roster_traversals_total",
            "Pages of rosters that changed while a client read them, by what became of them.")
        metrics.sample(earlierPages.value, [("result", "earlier")])
        metrics.sample(lost.value, [("result", "lost")])
        metrics.sample(failed.value, [("result", "not_kept")])
    }
}
