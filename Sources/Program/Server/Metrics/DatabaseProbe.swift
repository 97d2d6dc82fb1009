import CLinux
import EventLoop
import Metrics
import Postgres
import Synchronization

/// Asks the database every few seconds whether it answers, and how long statements wait for locks.
///
/// It has its own connection and reads no table, so that a locked table or a busy pool does not look like a database
/// that is down. Confined to its loop, apart from `export`.
final class DatabaseProbe: @unchecked Sendable {
    private struct State {
        /// Whether the last question was answered; `nil` before the first.
        var isUp: Bool?
        /// When the question under way began, on the monotonic clock.
        var askingSince: Int64?
        /// The longest that a statement waits for a lock; `nil` as long as it is unknown.
        var lockWaitSeconds: Double?
    }

    private let pool: Pool
    private let everyMilliseconds: Int
    private var timer: LoopTimer?
    private var isStopped = false
    private let state = Mutex(State())

    /// - Parameter other: on whose loop, and to whose database, the connection is.
    init(beside other: Pool, everyMilliseconds: Int) {
        var settings = Pool.Settings.working(in: other.target, connections: 1)
        settings.exclusiveStatementTimeoutMilliseconds = everyMilliseconds / 2
        pool = Pool(settings, on: other.loop)
        self.everyMilliseconds = everyMilliseconds
    }

    /// Call on the loop.
    func start() {
        pool.start()
        run()
    }

    /// Call on the loop.
    func stop() {
        isStopped = true
        timer?.cancel()
        pool.close()
    }

    private func run() {
        guard !isStopped else { return }
        state.withLock { $0.askingSince = linux_monotonic_nanoseconds() }
        pool.loop.spawn {
            let seconds = await self.ask()
            self.state.withLock { state in
                state.askingSince = nil
                state.isUp = seconds != nil
                state.lockWaitSeconds = seconds
            }
            self.timer = self.pool.loop.schedule(afterMilliseconds: self.everyMilliseconds) {
                self.run()
            }
        }
    }

    /// The longest wait for a lock; `nil` if the database did not answer.
    private func ask() async -> Double? {
        try? await pool.withSession { session in
            try await session.query(.longestLockWait)[0].double("seconds")
        }
    }

    func export(to metrics: inout Exposition) {
        let state = state.withLock { $0 }
        let isHanging = state.askingSince.map {
            linux_monotonic_nanoseconds() - $0 > Int64(everyMilliseconds) * 1_000_000
        }
        if let isUp = isHanging == true ? false : state.isUp {
            metrics.gauge(
                "homeroom_database_up",
                "Whether the database answered when it was last asked, every ten seconds.",
                isUp ? 1 : 0)
        }
        if let seconds = state.lockWaitSeconds {
            metrics.gauge(
                "homeroom_database_lock_wait_seconds",
                "The longest that a statement waits for a lock in this database; 0 if none waits.",
                seconds)
        }
    }
}

extension Statement {
    /// Looks at every session of this database: `pg_locks` shows them all. It uses the real clock because the waits are
    /// real.
    fileprivate static var longestLockWait: Statement {
        """
        select coalesce(greatest(0, extract(epoch from max(clock_timestamp() - l.waitstart))), 0)::float8 as seconds
          from pg_locks as l
         where not l.granted
           and (l.database is null
                or l.database = (select d.oid from pg_database as d where d.datname = current_database()))
        """
    }
}
