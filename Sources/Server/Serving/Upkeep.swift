import EventLoop
import Log
import Postgres
import School
import Values

/// Periodic work of a server beside its requests: it seals audit events and creates the months to come, removes
/// outdated rows and what the rules of retention no longer keep, deletes organizations
/// whose time has come, and lets features tidy up. Several servers over one database may do it at the same time.
///
/// Confined to its loop. Must be stopped.
final class Upkeep: @unchecked Sendable {
    /// The most batches of a thousand rows of each kind, or of an organization's events; the rest waits for the next
    /// time.
    private static let batchesMax = 100

    private let loop: Loop
    private let database: Database
    private let features: [any Feature]
    private let log: Log?
    private let firstMilliseconds: Int
    private let pauseMilliseconds: Int
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - firstMilliseconds: from the start to the first run; a minute, after the load of starting up.
    ///   - pauseMilliseconds: from one run to the next.
    init(
        loop: Loop, database: Database, features: [any Feature], log: Log?,
        firstMilliseconds: Int = 60_000, pauseMilliseconds: Int = 600_000
    ) {
        self.loop = loop
        self.database = database
        self.features = features
        self.log = log
        self.firstMilliseconds = firstMilliseconds
        self.pauseMilliseconds = pauseMilliseconds
    }

    /// Schedules the first run.
    func start() {
        schedule(afterMilliseconds: firstMilliseconds)
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }

    private func schedule(afterMilliseconds delay: Int) {
        timer = loop.schedule(afterMilliseconds: delay) {
            self.loop.spawn { await self.run() }
            self.schedule(afterMilliseconds: self.pauseMilliseconds)
        }
    }

    private func run() async {
        do {
            try await database.transaction { session in
                // Creating a month takes a lock that every event waits for: skip it if the lock is not free.
                _ = try await session.query([
                    "set local lock_timeout = '200ms'", "select school.make_audit_months()",
                ])
            }
        } catch {
            log?.error("months of audit events not made", ["cause": .text(logText(of: error))])
        }
        do {
            try await sealEvents()
        } catch {
            log?.error("audit events not sealed", ["cause": .text(logText(of: error))])
        }
        do {
            try await removeOutdated()
        } catch {
            log?.error("outdated rows not removed", ["cause": .text(logText(of: error))])
        }
        do {
            try await removeByRules()
        } catch {
            log?.error("old data not removed", ["cause": .text(logText(of: error))])
        }
        do {
            try await deleteEnding()
        } catch {
            log?.error("organization not deleted", ["cause": .text(logText(of: error))])
        }
        for feature in features { feature.tidy() }
    }

    /// One organization after the other, each batch in its own transaction.
    private func sealEvents() async throws {
        let organizations = try await database.query(.unsealedOrganizations)
        for row in organizations {
            let id = OrganizationID(try row.uuid("organization_id"))
            for _ in 0..<Self.batchesMax {
                let rows = try await database.transaction { session in
                    try await session.query(.sealEvents(of: id))
                }
                guard try rows[0].bool("is_more") else { break }
            }
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

    /// Removes what the retention rules of organizations no longer keep, once a night, in steps like the others.
    private func removeByRules() async throws {
        for _ in 0..<Self.batchesMax {
            let rows = try await database.transaction { session in
                try await session.query("select school.remove_by_rules() as is_more")
            }
            guard try rows[0].bool("is_more") else { return }
        }
    }

    /// Deletes organizations whose waiting time is over.
    private func deleteEnding() async throws {
        for _ in 0..<Self.batchesMax {
            let rows = try await database.transaction { session in
                try await session.query("select is_more, gone from school.delete_ending()")
            }
            if let gone = try rows[0].optionalUUID("gone") {
                log?.info("organization deleted", ["organization": .text(gone.description)])
            }
            guard try rows[0].bool("is_more") else { return }
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
}
