import EventLoop
import Log
import Postgres
import School
import Values

/// Periodic work of a server beside its requests: it looks at the database's clock, seals secrets that an earlier
/// version stored as they are, seals audit events and creates the months to come, removes outdated rows and what the
/// rules of retention no longer keep, deletes organizations whose time has come, and lets features tidy up. Several
/// servers over one database may do it at the same time.
///
/// What it removes, it removes by what the clock said a day of running ago (`SQL/functions/operation/clock.sql`).
///
/// Confined to its loop. Must be stopped.
final class Upkeep: @unchecked Sendable {
    /// The most batches of a thousand rows of each kind, or of an organization's events; the rest waits for the next
    /// time.
    private static let batchesMax = 100

    private let loop: Loop
    private let database: Database
    private let features: [any Feature]
    private let secrets: SecretSealing
    private let log: Log?
    private let firstMilliseconds: Int
    private let pauseMilliseconds: Int
    private var timer: LoopTimer?
    /// When this server last looked at the database's clock, or started, by its own, which never jumps.
    private var lookedAt: Int64 = 0
    private var isStopped = false

    /// - Parameters:
    ///   - key: with which secrets are sealed.
    ///   - firstMilliseconds: from the start to the first run; a minute, after the load of starting up.
    ///   - pauseMilliseconds: from one run to the next.
    init(
        loop: Loop, database: Database, features: [any Feature], key: CredentialKey, log: Log?,
        firstMilliseconds: Int = 60_000, pauseMilliseconds: Int = 600_000
    ) {
        self.loop = loop
        self.database = database
        self.features = features
        secrets = SecretSealing(in: database, with: key)
        self.log = log
        self.firstMilliseconds = firstMilliseconds
        self.pauseMilliseconds = pauseMilliseconds
    }

    /// Seals secrets at once, and schedules the first run.
    func start() {
        lookedAt = loop.now
        loop.spawn { await self.sealSecrets() }
        schedule(afterMilliseconds: firstMilliseconds)
    }

    func stop() {
        isStopped = true
        timer?.cancel()
        timer = nil
    }

    private func schedule(afterMilliseconds delay: Int) {
        timer = loop.schedule(afterMilliseconds: delay) {
            self.loop.spawn { await self.run() }
            self.schedule(afterMilliseconds: self.pauseMilliseconds)
        }
    }

    private func sealSecrets() async {
        await report("secrets not sealed") { try await secrets.run() }
    }

    private func run() async {
        await report("clock not looked at") { try await lookAtClock() }
        await sealSecrets()
        await report("months of audit events not made") { try await makeMonths() }
        await report("audit events not sealed") { try await sealEvents() }
        await report("outdated rows not removed") { try await removeOutdated() }
        await report("old data not removed") { try await removeByRules() }
        await report("organization not deleted") { try await deleteEnding() }
        for feature in features { feature.tidy() }
    }

    /// Runs the work and logs an error if it fails. Work that a stopping server cuts short is not an error: the next
    /// server picks it up.
    private func report(
        _ failure: StaticString, of organization: OrganizationID? = nil,
        from work: () async throws -> Void
    ) async {
        do {
            try await work()
        } catch {
            if isStopped { return }
            var fields: LogFields = [:]
            if let organization {
                fields.append("organization", .text(organization.uuid.description))
            }
            fields.append("cause", .text(logText(of: error)))
            log?.error(failure, fields)
        }
    }

    /// Notes what the database's clock says, before anything goes by it. After a jump, what a wrong clock left in the
    /// future is taken back.
    private func lookAtClock() async throws {
        let now = loop.now
        let measured = (now - lookedAt) / 1_000_000
        let looks = try await database.transaction { session in
            try await session.query(.lookAtClock(measured: measured))
        }
        lookedAt = now
        let clock = try await database.query(.clockState).first.map(DatabaseClock.init)
        guard let clock, let jump = clock.jump else { return }
        if try looks[0].bool("has_jumped") {
            log?.error(
                "clock jumped, nothing is removed by time",
                [
                    "from": .text(jump.from.description), "to": .text(jump.to.description),
                    "needs_acceptance": .bool(clock.needsAcceptance),
                ])
        }
        _ = try await database.transaction { try await $0.query(.mendFuture) }
    }

    /// Creating a month takes a lock that every event waits for. If the lock is not free at once, the next run tries
    /// again: months are made long before they are needed.
    private func makeMonths() async throws {
        do {
            try await database.transaction { session in
                _ = try await session.query([
                    "set local lock_timeout = '200ms'", "select school.make_audit_months()",
                ])
            }
        } catch let error as PostgresError where error.sqlState == "55P03" {
            log?.info("months of audit events wait for a lock")
        }
    }

    private func sealEvents() async throws {
        let organizations = try await database.query(.unsealedOrganizations)
        try await takeSteps(
            in: organizations, atMost: organizations.count * Self.batchesMax,
            orReport: "audit events not sealed"
        ) { id in
            let rows = try await database.transaction { session in
                try await session.query(.sealEvents(of: id))
            }
            return try rows[0].bool("is_more")
        }
    }

    /// In separate transactions, so that other requests get their turn in between.
    private func removeOutdated() async throws {
        for _ in 0..<Self.batchesMax {
            let rows = try await database.transaction { session in
                try await session.query("select school.remove_outdated() as is_more")
            }
            guard try rows[0].bool("is_more") else { return }
        }
    }

    /// Removes what the retention rules of organizations no longer keep, once a night.
    private func removeByRules() async throws {
        let organizations = try await database.query(.dueRemovals)
        try await takeSteps(
            in: organizations, atMost: Self.batchesMax, orReport: "old data not removed"
        ) { id in
            let rows = try await database.transaction { session in
                try await session.query(.removeByRules(of: id))
            }
            return try rows[0].bool("is_more")
        }
    }

    /// Deletes organizations whose waiting time is over.
    private func deleteEnding() async throws {
        let organizations = try await database.query(.endingOrganizations)
        try await takeSteps(
            in: organizations, atMost: Self.batchesMax, orReport: "organization not deleted"
        ) { id in
            let rows = try await database.transaction { session in
                try await session.query(.deleteEnding(id))
            }
            if try rows[0].bool("is_gone") {
                log?.info("organization deleted", ["organization": .text(id.uuid.description)])
            }
            return try rows[0].bool("is_more")
        }
    }

    /// Takes a step for each organization in turn, each in its own transaction, until none has more to do or there
    /// were enough. Where a step fails, the organization waits for the next run, and the others go on.
    private func takeSteps(
        in organizations: Rows, atMost stepsMax: Int, orReport failure: StaticString,
        _ step: (OrganizationID) async throws -> Bool
    ) async throws {
        var waiting = try organizations.map { OrganizationID(try $0.uuid("organization_id")) }
        var steps = 0
        while !waiting.isEmpty, steps < stepsMax {
            steps += waiting.count
            var unfinished: [OrganizationID] = []
            for id in waiting {
                await report(failure, of: id) { if try await step(id) { unfinished.append(id) } }
            }
            waiting = unfinished
        }
    }
}

extension Statement {
    static var unsealedOrganizations: Statement {
        "select organization_id from school.unsealed_organizations()"
    }

    static func sealEvents(of organization: OrganizationID) -> Statement {
        "select school.seal_audit_events(\(organization)) as is_more"
    }

    fileprivate static var dueRemovals: Statement {
        "select organization_id from school.due_removals()"
    }

    fileprivate static func removeByRules(of organization: OrganizationID) -> Statement {
        "select school.remove_by_rules(\(organization)) as is_more"
    }

    fileprivate static var endingOrganizations: Statement {
        "select organization_id from school.ending_organizations() as e (organization_id)"
    }

    fileprivate static func deleteEnding(_ organization: OrganizationID) -> Statement {
        "select is_more, is_gone from school.delete_ending(\(organization))"
    }
}
