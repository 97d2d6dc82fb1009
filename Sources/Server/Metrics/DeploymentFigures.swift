import EventLoop
import Metrics
import Postgres
import Values

/// Figures of the whole deployment from the database: waiting imports, and the age of exports and backups. Queried every ten
/// seconds on a loop, whether or not anyone reads them; about no person and no organization.
final class DeploymentFigures: @unchecked Sendable {
    private static let everyMilliseconds = 10_000

    private let pool: Pool
    private var timer: LoopTimer?
    private var isStopped = false

    private let isKnown = Gauge()
    private let importsQueued = Gauge()
    private let importsRunning = Gauge()
    private let organizations = Gauge()
    private let organizationsExported = Gauge()
    /// Milliseconds since 1970; 0 if there is none.
    private let newestExport = Gauge()
    private let oldestExport = Gauge()
    private let backup: BackupFigures

    /// - Parameter folder: the data folder, for what a backup notes there.
    init(pool: Pool, folder: String) {
        self.pool = pool
        backup = BackupFigures(folder: folder)
    }

    /// Starts querying; call on the pool's loop.
    func start() {
        pool.loop.preconditionCurrent()
        guard !isStopped else { return }
        pool.loop.spawn {
            try? await self.ask()
            self.timer = self.pool.loop.schedule(afterMilliseconds: Self.everyMilliseconds) {
                self.start()
            }
        }
    }

    /// Stops querying; call on the pool's loop.
    func stop() {
        isStopped = true
        timer?.cancel()
    }

    /// A failed query keeps the old figures: other metrics show that the database is gone.
    private func ask() async throws {
        let rows = try await pool.withSession { session in
            try await session.query(
                """
                select imports_queued, imports_running, organizations, organizations_exported,
                       newest_export_at, oldest_export_at
                  from school.service_figures()
                """)
        }
        let row = rows[0]
        importsQueued.set(try row.int("imports_queued"))
        importsRunning.set(try row.int("imports_running"))
        organizations.set(try row.int("organizations"))
        organizationsExported.set(try row.int("organizations_exported"))
        newestExport.set(try milliseconds(row.optionalTimestamp("newest_export_at")))
        oldestExport.set(try milliseconds(row.optionalTimestamp("oldest_export_at")))
        isKnown.set(1)
        try await pool.withSession { session in try await self.backup.ask(session) }
    }

    private func milliseconds(_ moment: Timestamp?) -> Int {
        moment.map { Int($0.milliseconds) } ?? 0
    }

    /// Exports the last figures read; nothing until the first query succeeds.
    func export(to metrics: inout Exposition) {
        guard isKnown.value == 1 else { return }
        backup.export(to: &metrics)
        metrics.begin(
            .gauge, "homeroom_imports_unfinished", "Imports of all processes, by their state.")
        metrics.sample(importsQueued.value, [("state", "queued")])
        metrics.sample(importsRunning.value, [("state", "running")])
        metrics.begin(
            .gauge, "homeroom_export_organizations",
            "Organizations, by whether an export of theirs ever succeeded.")
        metrics.sample(organizationsExported.value, [("exported", "true")])
        metrics.sample(
            max(0, organizations.value - organizationsExported.value), [("exported", "false")])
        guard organizationsExported.value > 0 else { return }
        metrics.gauge(
            "homeroom_export_newest_success_timestamp_seconds",
            "When an export last succeeded.", Double(newestExport.value) / 1000)
        metrics.gauge(
            "homeroom_export_oldest_success_timestamp_seconds",
            "When the last export succeeded of the organization that waits longest for its next.",
            Double(oldestExport.value) / 1000)
    }
}
