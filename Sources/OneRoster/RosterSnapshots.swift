import EventLoop
import Log
import Postgres
import School
import Synchronization

/// The snapshots of the database in which this process keeps earlier revisions of rosters.
///
/// One shows the rosters of all organizations, so those whose roster has not changed since share a young one. While one is
/// kept, PostgreSQL cleans up nothing that is changed or removed. So there are few, and each ends when nobody has read in
/// it for some minutes, or after an hour. What reads in one that is gone goes on in the present.
final class RosterSnapshots: Sendable {
    /// How many, and for how long.
    struct Limits: Sendable {
        /// In this process; the oldest ends for another.
        var most = 4
        /// Of those, how many are taken on behalf of one organization.
        var mostOfOne = 2
        /// Others share one that is not older.
        var sharedSeconds = 60
        /// Kept for so long after the last page, on whichever server it was read.
        var idleSeconds = 600
        var lifetimeSeconds = 3600
        /// How often to look whether it is still used.
        var watchMilliseconds = 30_000
        /// After one could not be taken, none is tried for so long.
        var pauseSeconds = 10
    }

    private struct Kept: Sendable {
        let snapshot: HeldSnapshot
        let organization: OrganizationID
        /// Before it was taken: it shows what was committed by then.
        let begun: ContinuousClock.Instant
        /// In monotonic nanoseconds.
        let since: Int64
    }

    private struct State: Sendable {
        var kept: [Kept] = []
        /// The last that ended, so that nobody takes them for those of another process.
        var ended: [SnapshotName] = []
        var isTaking = false
        var isStopped = false
        /// In monotonic nanoseconds.
        var triesFrom: Int64 = 0
    }

    private static let second: Int64 = 1_000_000_000
    /// How long a request waits for the snapshot that another one takes.
    private static let waits = 200
    private static let waitMilliseconds = 5
    private static let endedMax = 100

    private let database: Database
    private let statements: TraversalStatements
    private let limits: Limits
    private let log: Log?
    private let state = Mutex(State())

    init(database: Database, limits: Limits = Limits(), log: Log? = nil) {
        self.database = database
        self.limits = limits
        self.log = log
        statements = TraversalStatements(database: database)
    }

    /// How many are kept now.
    var count: Int { state.withLock { $0.kept.count { $0.snapshot.isAlive } } }

    /// Whether this process keeps a snapshot; `nil` if it is not one of this process.
    func isKept(_ name: SnapshotName) -> Bool? {
        state.withLock { state in
            if state.ended.contains(name) { return false }
            return state.kept.first { $0.snapshot.name == name }?.snapshot.isAlive
        }
    }

    /// Keeps the roster of the caller's organization as it is now, and returns its revision; `nil` if that cannot be done.
    ///
    /// - Parameters:
    ///   - revision: what a young snapshot must show to do; `nil` if none will.
    ///   - arrival: when the request came. One that was taken since will do whatever it shows: so all who wait while one
    ///     is taken share it, however fast the roster changes.
    func keep(
        _ revision: String?, since arrival: ContinuousClock.Instant?, for caller: Caller
    ) async throws -> KeptRoster? {
        guard let loop = Loop.current else { return nil }
        for _ in 0..<Self.waits {
            if let young = youngest(at: loop.now) {
                let isNew = arrival.map { young.begun >= $0 } ?? false
                // Not where somebody was erased since.
                if isNew || revision != nil,
                    let kept = try await statements.keep(
                        isNew ? nil : revision, in: young.snapshot.name,
                        takenAt: young.snapshot.takenAt, caller),
                    try await statements.isKept(kept, caller)
                {
                    return kept
                }
            }
            switch beginTaking(at: loop.now) {
            case .refused: return nil
            case .taking: break
            case .othersTake:
                await pause(milliseconds: Self.waitMilliseconds)
                continue
            }
            guard let taken = await take(for: caller.organizationID, on: loop) else { return nil }
            return try await statements.keep(
                nil, in: taken.name, takenAt: taken.takenAt, caller)
        }
        return nil
    }

    /// Ends all, and keeps none any more.
    func stop() {
        let all = state.withLock { state in
            state.isStopped = true
            defer { state.kept = [] }
            return state.kept
        }
        for kept in all { kept.snapshot.end() }
    }

    // MARK: Taking

    private enum Turn { case taking, othersTake, refused }

    private func youngest(at now: Int64) -> Kept? {
        let oldest = now - Int64(limits.sharedSeconds) * Self.second
        return state.withLock { state in
            state.kept.last { $0.since >= oldest && $0.snapshot.isAlive }
        }
    }

    /// One at a time: many requests that come at once need no more.
    private func beginTaking(at now: Int64) -> Turn {
        state.withLock { state in
            guard !state.isStopped, now >= state.triesFrom else { return .refused }
            guard !state.isTaking else { return .othersTake }
            state.isTaking = true
            return .taking
        }
    }

    private func take(for organization: OrganizationID, on loop: Loop) async -> HeldSnapshot? {
        do {
            let begun = ContinuousClock.now
            let held = try await HeldSnapshot.take(
                from: database.target, forAtMostSeconds: limits.lifetimeSeconds + 60,
                clock: "school.latest_moment()", on: loop)
            let kept = Kept(
                snapshot: held, organization: organization, begun: begun, since: loop.now)
            guard add(kept) else {
                held.end()
                return nil
            }
            watch(held, on: loop)
            return held
        } catch {
            log?.warning("no snapshot of the rosters", ["cause": .text(logText(of: error))])
            state.withLock { state in
                state.isTaking = false
                state.triesFrom = loop.now + Int64(limits.pauseSeconds) * Self.second
            }
            return nil
        }
    }

    /// Makes room for it: the organization's own oldest one goes first if it has its share, otherwise the oldest of all.
    private func add(_ new: Kept) -> Bool {
        let (isAdded, ended) = state.withLock { state -> (Bool, [Kept]) in
            state.isTaking = false
            guard !state.isStopped else { return (false, []) }
            var ended = state.kept.filter { !$0.snapshot.isAlive }
            state.kept.removeAll { !$0.snapshot.isAlive }
            let own = state.kept.indices.filter {
                state.kept[$0].organization == new.organization
            }
            if own.count >= limits.mostOfOne, let oldest = own.first {
                ended.append(state.kept.remove(at: oldest))
            } else if state.kept.count >= limits.most {
                ended.append(state.kept.removeFirst())
            }
            state.kept.append(new)
            return (true, ended)
        }
        for kept in ended { finish(kept.snapshot) }
        return isAdded
    }

    // MARK: Letting go

    private func watch(_ held: HeldSnapshot, on loop: Loop) {
        loop.schedule(afterMilliseconds: limits.watchMilliseconds) {
            loop.spawn {
                if await self.isWanted(held, at: loop.now) {
                    self.watch(held, on: loop)
                } else {
                    self.letGo(held)
                }
            }
        }
    }

    private func isWanted(_ held: HeldSnapshot, at now: Int64) async -> Bool {
        let since = state.withLock { $0.kept.first { $0.snapshot === held } }?.since
        guard let since, held.isAlive, now - since < Int64(limits.lifetimeSeconds) * Self.second
        else { return false }
        do {
            let rows = try await database.query(
                """
                select school.roster_snapshot_is_used(\(held.name.text), \(limits.idleSeconds)::integer) as is_used
                """)
            return try rows[0].bool("is_used")
        } catch {
            // The database is busy or away: its lifetime bounds it in any case.
            return true
        }
    }

    private func letGo(_ held: HeldSnapshot) {
        state.withLock { state in state.kept.removeAll { $0.snapshot === held } }
        finish(held)
    }

    /// Ends it; if it cannot be noted that it is gone, whoever wants to read in it finds out.
    private func finish(_ held: HeldSnapshot) {
        held.end()
        state.withLock { state in
            state.ended = state.ended.suffix(Self.endedMax - 1) + [held.name]
        }
        Loop.current?.spawn {
            _ = try? await self.database.query(
                "select school.end_roster_snapshot(\(held.name.text))")
        }
    }
}
