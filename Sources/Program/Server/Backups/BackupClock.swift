import Postgres
import Values

/// Whether the clock is good enough for backups: they are named by it, and expire by it. A private PostgreSQL asks the
/// same clock as pgBackRest.
struct BackupClock {
    private let clock: DatabaseClock?
    /// Why the database did not say.
    private let failure: String?

    /// Looks at the clock, as a server does.
    init(_ connection: BlockingConnection) {
        do {
            try connection.query(.lookAtClock())
            clock = try connection.query(.clockState).first.map(DatabaseClock.init)
            failure = nil
        } catch {
            clock = nil
            failure = "\(error)"
        }
    }

    /// Refuses a clock that is far ahead: pgBackRest takes no backup with an earlier name than the newest.
    func refuseFarAhead() throws {
        try clock?.refuseFarAhead("No backup was taken", naming: "a backup")
    }

    /// Refuses a folder with a backup of a time to come.
    func refuse(_ listing: BackupListing, in folder: String) throws {
        guard let clock, let newest = listing.newest,
            newest.began.milliseconds > clock.present.milliseconds + 300_000
        else { return }
        throw CommandFailure(
            """
            The newest backup in \(folder) was taken when the clock was ahead, on \(newest.began), and pgBackRest takes \
            none before that. Begin again in an empty folder with --new, and keep this one until backups there suffice.
            """)
    }

    /// Why backups that are too old stay; `nil` if they may go.
    var reasonToKeep: String? {
        if let failure {
            return "the database does not say whether the clock is right (\(failure))"
        }
        if clock?.jump != nil { return "the clock jumped. See: homeroom clock" }
        return clock?.removesBefore == nil
            ? "no server has run for a day yet, by which the clock proves right" : nil
    }
}
