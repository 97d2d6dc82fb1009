import CLinux
import EventLoop
import Metrics
import Postgres
import Synchronization

/// Figures of the whole deployment from the database: waiting imports, the age of exports and seals, and whether the
/// schema fits. Queried every ten seconds on a loop, whether or not anyone reads them; about no person and no
/// organization.
final class DeploymentFigures: @unchecked Sendable {
    private static let everyMilliseconds = 10_000

    private struct State {
        /// Whether this server may serve over the database; `nil` as long as it is unknown.
        var isSchemaFitting: Bool?
        /// A failed query keeps the old ones.
        var figures: ServiceFigures?
    }

    private let pool: Pool
    private let schema: SchemaVersion?
    private let probe: DatabaseProbe
    private var timer: LoopTimer?
    private var isStopped = false
    private let state = Mutex(State())

    /// - Parameter schema: the version the database should be at; `nil` accepts any.
    init(pool: Pool, schema: SchemaVersion?) {
        self.pool = pool
        self.schema = schema
        probe = DatabaseProbe(beside: pool, everyMilliseconds: Self.everyMilliseconds)
    }

    /// Starts querying; call on the pool's loop.
    func start() {
        pool.loop.preconditionCurrent()
        guard !isStopped else { return }
        probe.start()
        measure()
    }

    /// Stops querying; call on the pool's loop.
    func stop() {
        isStopped = true
        timer?.cancel()
        probe.stop()
    }

    private func measure() {
        guard !isStopped else { return }
        pool.loop.spawn {
            await self.ask()
            self.timer = self.pool.loop.schedule(afterMilliseconds: Self.everyMilliseconds) {
                self.measure()
            }
        }
    }

    /// A failure says nothing about the database that the probe does not say better: a table may be locked.
    private func ask() async {
        try? await pool.withSession { session in
            let isFitting = try await self.isSchemaFitting(session)
            let figures =
                isFitting
                ? try ServiceFigures(await session.query(ServiceFigures.statement)[0]) : nil
            // All at once: a page never says that the schema fits and leaves out what it holds.
            self.state.withLock { state in
                state.isSchemaFitting = isFitting
                state.figures = figures ?? state.figures
            }
        }
    }

    private func isSchemaFitting(_ session: Session) async throws -> Bool {
        do {
            let digest = try await session.query(.schemaDigest)[0].optionalBytes("digest")
            guard let digest else { return false }
            guard let schema, digest != schema.digest else { return true }
            return try schema.standing(try await session.query(.appliedSchema)[0]).letsServe
        } catch let error as PostgresError where error.isSchemaMissing {
            return false
        }
    }

    /// Exports what is known; figures of the database only once the first query has succeeded.
    func export(to metrics: inout Exposition) {
        let state = state.withLock { $0 }
        metrics.begin(.gauge, "homeroom_build_info", "Always 1, with the versions as labels.")
        let postgresql = state.figures.map { [("postgresql", $0.postgresql)] as [Exposition.Label] }
        metrics.sample(1, [("version", Program.version)] + (postgresql ?? []))
        probe.export(to: &metrics)
        if let isFitting = state.isSchemaFitting {
            metrics.gauge(
                "homeroom_schema_fits",
                "Whether the database has a schema over which this version may serve.",
                isFitting ? 1 : 0)
        }
        state.figures?.export(to: &metrics)
    }
}
