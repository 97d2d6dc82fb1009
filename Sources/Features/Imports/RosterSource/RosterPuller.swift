import Crypto
import EventLoop
import HTTPClient
import Log
import Metrics
import Postgres
import School
import Synchronization
import Values

/// Pulls rosters when their hour has come or an administrator asked, beside the requests; each process has one.
///
/// Several processes share the work, each claiming what no other does. Each pull has a thread and a connection of its
/// own, and there are few at a time. Apart from what pulls do on their threads, it is confined to the loop that starts it.
final class RosterPuller: @unchecked Sendable {
    private static let pollMilliseconds = 5000
    /// Pulls at a time.
    private static let pullsMax = 4
    /// Pulls at a time from sources whose last pull failed: those may be slow, and leave room for the others.
    private static let failingMax = 2

    private let database: Database
    private let client: any BlockingCalls
    private let key: CredentialKey
    private let spool: String
    private let limits: RosterLimits
    private let log: Log?
    /// Called on any thread when an import waits in that database.
    private let imported: @Sendable (_ target: String) -> Void
    private let threads = BlockingThreads(count: 1, queueLimit: 8)
    private let isNudged = Atomic(false)
    private let isStopped = Atomic(false)
    private let succeeded = Atomic(0)
    private let failed = Atomic(0)

    private var timer: LoopTimer?
    private var isLooking = false
    private var pulls = 0
    /// Whether it was logged that nothing can be claimed.
    private var isLogged = false

    init(
        database: Database, client: any BlockingCalls, key: CredentialKey, spool: String,
        limits: RosterLimits = RosterLimits(), log: Log?,
        imported: @escaping @Sendable (_ target: String) -> Void
    ) {
        self.database = database
        self.client = client
        self.key = key
        self.spool = spool
        self.limits = limits
        self.log = log
        self.imported = imported
    }

    /// Remembers that a request ordered a pull, for a service that was not started; call from any thread.
    func nudge() { isNudged.store(true, ordering: .releasing) }

    func export(to metrics: inout Exposition) {
        metrics.begin(
            .counter, "homeroom_roster_pulls_total",
            "Pulls from roster sources that this process ended, by their result.")
        metrics.sample(succeeded.load(ordering: .relaxed), [("result", "imported")])
        metrics.sample(failed.load(ordering: .relaxed), [("result", "failed")])
    }

    // MARK: In a running service

    func start() {
        guard let loop = Loop.current, timer == nil else { return }
        isStopped.store(false, ordering: .releasing)
        poll(on: loop)
    }

    /// Pulls under way end before their next call; their claims end by themselves, and other processes begin anew.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        timer?.cancel()
        timer = nil
    }

    private func poll(on loop: Loop) {
        timer = loop.schedule(afterMilliseconds: Self.pollMilliseconds) {
            self.poll(on: loop)
            self.look(on: loop)
        }
    }

    private func look(on loop: Loop) {
        guard !isLooking, pulls < Self.pullsMax else { return }
        isLooking = true
        loop.spawn {
            let isDue = await self.isDue()
            self.isLooking = false
            if isDue { self.begin(on: loop) }
        }
    }

    private func isDue() async -> Bool {
        do {
            let key = key
            let keyID = try await threads.run { try key.find()?.id ?? "" }
            let rows = try await database.withSession { session in
                try await session.query(.hasDueRosterPull(keyID))
            }
            isLogged = false
            return try rows[0].bool("is_due")
        } catch {
            guard timer != nil, !isLogged else { return false }
            isLogged = true
            log?.error("roster pulls wait", ["cause": .text(logText(of: error))])
            return false
        }
    }

    private func begin(on loop: Loop) {
        pulls += 1
        let failing = max(0, Self.failingMax - pulls + 1)
        let target = database.target
        startThread {
            let hasPulled = self.pullNext(in: target, failing: failing)
            loop.execute {
                self.pulls -= 1
                if hasPulled { self.look(on: loop) }
            }
        }
    }

    // MARK: On a thread

    /// Does one pull that is due; false if there is none.
    private func pullNext(in target: String, failing: Int) -> Bool {
        do {
            let connection = try BlockingConnection(target)
            let known = try key.find()
            let rows = try connection.query(
                .claimRosterPull(known?.id ?? "", failing: failing))
            guard let row = rows.first else { return false }
            if try pull(try ClaimedRosterPull(row), connection, known) { imported(target) }
            return true
        } catch {
            // A claim that was made ends by itself.
            log?.error("roster pull broke", ["cause": .text(logText(of: error))])
            return false
        }
    }

    /// Whether there is an import now; where there is none, it is noted why.
    private func pull(
        _ claimed: ClaimedRosterPull, _ connection: BlockingConnection, _ key: SealingKey?
    ) throws -> Bool {
        guard let key else { return false }
        let organization = claimed.source.organizationID.uuid
        let failure: RosterFailure
        do {
            try claimed.run(
                connection, client: client, key: key, limits: limits, spool: spool,
                isEnding: { self.isStopped.load(ordering: .acquiring) })
            succeeded.add(1, ordering: .relaxed)
            log?.info("roster pulled", ["organization_id": .uuid(organization)])
            return true
        } catch is RosterPullEnded {
            return false
        } catch let named as RosterFailure {
            failure = named
        } catch PostgresError.connectionLost(let mayHaveCommitted) {
            throw PostgresError.connectionLost(mayHaveCommitted: mayHaveCommitted)
        } catch {
            log?.error(
                "roster pull broke",
                ["organization_id": .uuid(organization), "cause": .text(logText(of: error))])
            failure = RosterFailure(
                .internalError,
                "Something went wrong on our side. The log of the server has the cause.")
        }
        failed.add(1, ordering: .relaxed)
        log?.warning(
            "roster not pulled",
            ["organization_id": .uuid(organization), "failure": .text(failure.code.rawValue)])
        try connection.query(.fail(claimed, failure))
        return false
    }

    // MARK: Without a running service

    /// Does everything that is due if no running service does and a request asked for it.
    func settle() async throws {
        guard isNudged.exchange(false, ordering: .acquiringAndReleasing) else { return }
        let target = database.target
        try await threads.run {
            while self.pullNext(in: target, failing: Self.failingMax) {}
        }
    }
}
