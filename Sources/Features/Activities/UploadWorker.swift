import EventLoop
import Log
import Postgres
import School
import Synchronization
import Values

/// Stores uploads while requests are served, on its own connections; each process has one worker.
///
/// It is nudged when an upload was accepted, and checks four times a second for uploads of other processes. Several
/// processes share the work. Apart from `nudge` and `figures`, it is confined to the loop that starts it.
final class UploadWorker: @unchecked Sendable {
    private static let pollMilliseconds = 250
    /// The number of polls for each measurement of the whole inbox.
    private static let pollsPerMeasurement = 4
    /// With a single one, a processor would be idle while others wait for what it stores.
    private static let connectionsMin = 2
    private static let connectionsMax = 4

    let figures = UploadFigures()
    private let database: Database
    private let store: UploadStore
    private let rests = UploadRests()
    private let log: Log?
    private let isNudged = Atomic(false)
    private let taken = Atomic(0)
    /// How many of the accepted uploads `settle` has seen stored.
    private let settled = Atomic(0)
    private let home = Mutex<Loop?>(nil)

    private var pool: Pool?
    private var timer: LoopTimer?
    private var polls = UploadWorker.pollsPerMeasurement
    /// How many tasks are storing now; each has a connection.
    private var tasks = 0
    private var isWanted = false
    private var hasRetriedFailed = false
    /// Whether it was logged that nothing can be stored.
    private var isLogged = false

    init(database: Database, log: Log?) {
        self.database = database
        self.log = log
        store = UploadStore(figures: figures, log: log)
    }

    /// Signals that there is something to store; call from any thread.
    func nudge() {
        taken.add(1, ordering: .acquiringAndReleasing)
        guard !isNudged.exchange(true, ordering: .acquiringAndReleasing) else { return }
        guard let loop = home.withLock({ $0 }) else { return }
        loop.execute { self.wake() }
    }

    // MARK: In a running service

    func start() {
        guard let loop = Loop.current, pool == nil else { return }
        let settings = Pool.Settings.working(in: database.target, connections: connectionCount)
        let pool = Pool(settings, on: loop, log: log)
        pool.start()
        self.pool = pool
        home.withLock { $0 = loop }
        wake()
        poll(on: loop)
    }

    func stop() {
        home.withLock { $0 = nil }
        timer?.cancel()
        timer = nil
        isWanted = false
        pool?.close()
        pool = nil
    }

    private var connectionCount: Int {
        max(Self.connectionsMin, min(Self.connectionsMax, database.loopCount))
    }

    private func poll(on loop: Loop) {
        timer = loop.schedule(afterMilliseconds: Self.pollMilliseconds) {
            self.poll(on: loop)
            self.polls += 1
            self.wake()
        }
    }

    /// Starts one more task, up to the number of connections.
    private func wake() {
        isWanted = true
        guard let pool, tasks < connectionCount else { return }
        tasks += 1
        pool.loop.spawn {
            let isFine = await self.work(pool)
            self.tasks -= 1
            // Work may have arrived while the last task ended.
            if isFine, self.isWanted { self.wake() }
        }
    }

    /// Stores what there is; returns `false` if something went wrong.
    private func work(_ pool: Pool) async -> Bool {
        do {
            try await pool.withSession { session in
                try await self.prepare(session)
                while self.isWanted {
                    self.isWanted = false
                    self.isNudged.store(false, ordering: .releasing)
                    while try await self.store.storeRound(in: session, rests: self.rests) > 0 {}
                }
            }
            isLogged = false
            return true
        } catch let interrupted as UploadStore.Interrupted {
            await note(interrupted, pool)
        } catch {
            guard self.pool != nil, !isLogged else { return false }
            isLogged = true
            log?.error("uploads wait", ["cause": .text(logText(of: error))])
        }
        return false
    }

    /// Work that is done once, and work that is done now and then.
    private func prepare(_ session: Session) async throws {
        if !hasRetriedFailed {
            try await session.query(.retryFailedUploads())
            hasRetriedFailed = true
        }
        if polls >= Self.pollsPerMeasurement {
            polls = 0
            try figures.take(await session.query(.uploadBacklog()), now: database.clock.now)
        }
    }

    /// Counts a lost connection against the uploads it was lost over, which are then stored one by one. If the
    /// database stays away, the next poll finds them unchanged.
    private func note(_ interrupted: UploadStore.Interrupted, _ pool: Pool) async {
        do {
            try await pool.withSession { session in
                for uploadID in interrupted.uploadIDs {
                    try await store.note(
                        interrupted.cause, of: uploadID, in: interrupted.turn, session)
                }
            }
        } catch {
            log?.warning(
                "uploads interrupted", ["count": .int(Int64(interrupted.uploadIDs.count))])
        }
    }

    // MARK: Without a running service

    /// How many times to check for uploads that others are about to store.
    private static let settlingMax = 1000

    /// Stores accepted uploads if no running service does; returns when all of them have been dealt with.
    func settle() async throws {
        let target = taken.load(ordering: .acquiring)
        guard settled.load(ordering: .acquiring) < target else { return }
        try await database.withSession { session in
            for _ in 0..<Self.settlingMax {
                while try await store.storeRound(in: session) > 0 {}
                let backlog = try await session.query(.uploadBacklog())
                guard try backlog.contains(where: { try $0.int("pending") > 0 }) else { break }
                await pause(milliseconds: 2)
            }
        }
        settled.max(target, ordering: .acquiringAndReleasing)
    }
}
