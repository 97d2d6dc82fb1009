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
        /// Whether the last query was answered; `nil` before the first.
        var isDatabaseUp: Bool?
        /// Whether this server may serve over the database; `nil` as long as it is unknown.
        var isSchemaFitting: Bool?
        /// When the query under way began, on the monotonic clock.
        var askingSince: Int64?
        /// A failed query keeps the old ones.
        var figures: ServiceFigures?
    }

    private let pool: Pool
    private let schema: SchemaVersion?
    private var timer: LoopTimer?
    private var isStopped = false
    private let state = Mutex(State())

    /// - Parameter schema: the version the database should be at; `nil` accepts any.
    init(pool: Pool, schema: SchemaVersion?) {
        self.pool = pool
        self.schema = schema
    }

    /// Starts querying; call on the pool's loop.
    func start() {
        pool.loop.preconditionCurrent()
        guard !isStopped else { return }
        state.withLock { $0.askingSince = linux_monotonic_nanoseconds() }
        pool.loop.spawn {
            await self.ask()
            self.state.withLock { $0.askingSince = nil }
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

    private func ask() async {
        do {
            try await pool.withSession { session in
                let isFitting = try await self.isSchemaFitting(session)
                let figures =
                    isFitting
                    ? try ServiceFigures(await session.query(ServiceFigures.statement)[0]) : nil
                // All at once: a page never says that the schema fits and leaves out what it holds.
                self.state.withLock { state in
                    state.isDatabaseUp = true
                    state.isSchemaFitting = isFitting
                    state.figures = figures ?? state.figures
                }
            }
        } catch {
            state.withLock { $0.isDatabaseUp = false }
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
        let isHanging = state.askingSince.map {
            linux_monotonic_nanoseconds() - $0 > Int64(Self.everyMilliseconds) * 1_000_000
        }
        if let isUp = isHanging == true ? false : state.isDatabaseUp {
            metrics.gauge(
                "homeroom_database_up",
                "Whether the database answered when it was last asked, every ten seconds.",
                isUp ? 1 : 0)
        }
        if let isFitting = state.isSchemaFitting {
            metrics.gauge(
                "homeroom_schema_fits",
                "Whether the database has a schema over which this version may serve.",
                isFitting ? 1 : 0)
        }
        state.figures?.export(to: &metrics)
    }
}
