import CLinux
import Glibc
import Postgres

/// Brings a database to the definitions on disk (`SQL/README.md`).
///
/// Everything happens in one transaction under a lock. If the process is killed at any step, the database stays as it
/// was, and two that start at once run one after the other. A database without policies is never visible. A table
/// lock that is not free at once is not waited for, since everyone else would queue behind it: the transaction is
/// rolled back and retried a little later.
package struct Migrator {
    /// What `migrate` did.
    package struct Outcome {
        /// The migrations that had not been run before.
        package let applied: [String]
        package let wasCurrent: Bool
    }

    /// A file that PostgreSQL refused.
    struct Failure: Error {
        let file: String
        let cause: any Error

        /// Whether PostgreSQL cannot change this function in place.
        var needsDropping: Bool { (cause as? PostgresError)?.sqlState == "42P13" }
    }

    let definitions: Definitions
    /// For how long to retry when others use the tables.
    private let patienceSeconds: Int
    /// Called once with who holds the tables, if that takes long.
    private let onWait: (String) -> Void

    package init(
        definitions: Definitions, patienceSeconds: Int = 60,
        onWait: @escaping (String) -> Void = { _ in }
    ) {
        self.definitions = definitions
        self.patienceSeconds = patienceSeconds
        self.onWait = onWait
    }

    /// - Parameters:
    ///   - connection: with a login that may create roles and act as the schema's owner.
    ///   - isWhole: recreates everything, even what is up to date.
    package func migrate(
        _ connection: BlockingConnection, isWhole: Bool = false
    ) throws -> Outcome {
        let deadline = linux_monotonic_nanoseconds() + Int64(patienceSeconds) * 1_000_000_000
        let sayAt = linux_monotonic_nanoseconds() + 2_000_000_000
        var (isWhole, hasSaid) = (isWhole, false)
        while true {
            do {
                return try attempt(connection, isWhole: isWhole)
            } catch let failure as Failure where !isWhole && failure.needsDropping {
                isWhole = true
            } catch let failure as Failure where !Migrator.isHeldUp(failure.cause) {
                throw CommandFailure("SQL/\(failure.file): \(failure.cause)")
            } catch  where Migrator.isHeldUp((error as? Failure)?.cause ?? error) {
                let holders = try Migrator.holders(connection)
                guard linux_monotonic_nanoseconds() < deadline else {
                    throw CommandFailure(
                        "Nothing was changed: for \(patienceSeconds) s a table was never free. \(holders)"
                    )
                }
                if !hasSaid, linux_monotonic_nanoseconds() > sayAt {
                    onWait("Waiting for a table that others use. \(holders)")
                    hasSaid = true
                }
                usleep(200_000)
            }
        }
    }

    private func attempt(_ connection: BlockingConnection, isWhole: Bool) throws -> Outcome {
        if !isWhole, try isCurrent(connection) {
            let wasOpen = try regainPrivileges(connection)
            let wasForeign = try connection.transaction { try renewForeignFeeds(connection) }
            return Outcome(applied: [], wasCurrent: !wasOpen && !wasForeign)
        }
        return try connection.transaction {
            _ = try connection.query("select pg_advisory_xact_lock(7166420318233)")
            if !isWhole, try isCurrent(connection) {
                return Outcome(applied: [], wasCurrent: true)
            }
            let known = try Migrator.knownMigrations(connection)
            try refuseNewer(known)
            _ = try connection.query("set local lock_timeout = '100ms'")
            try run(definitions.roles, connection)
            let applied = try applyMigrations(connection, known)
            try Redefinition(definitions.redefined, connection).apply(isWhole: isWhole)
            try restoreMoveGuards(connection)
            _ = try renewForeignFeeds(connection)
            _ = try connection.query(
                """
                insert into school.applied_schema (sha256, serves_from)
                values (\(definitions.digest), \(definitions.servesFrom))
                on conflict (is_only) do update
                   set sha256 = excluded.sha256, serves_from = excluded.serves_from,
                       applied_at = date_trunc('milliseconds', now())
                """)
            return Outcome(applied: applied, wasCurrent: false)
        }
    }

    /// Whether everything was applied as the files say it, and to this version of PostgreSQL.
    private func isCurrent(_ connection: BlockingConnection) throws -> Bool {
        guard try Migrator.digest(connection) == definitions.digest else { return false }
        return try Catalogue.isOfThisServer(connection)
    }

    /// The digest of the definitions last applied to the database; `nil` before the first time.
    static func digest(_ connection: BlockingConnection) throws -> [UInt8]? {
        guard try hasTable("applied_schema", connection) else { return nil }
        let rows = try connection.query("select sha256 from school.applied_schema")
        return try rows.first?.bytes("sha256")
    }

    /// Asks the catalogue itself. `to_regclass` may answer from before the lock was waited for: a session keeps in memory
    /// what it has not found, and need not hear of other transactions while its own goes on.
    private static func hasTable(
        _ name: String, _ connection: BlockingConnection
    ) throws -> Bool {
        let found = try connection.query(
            """
            select from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
             where n.nspname = 'school' and c.relname = \(name)
            """)
        return !found.isEmpty
    }

    /// Names and digests of the migrations that were run.
    private static func knownMigrations(
        _ connection: BlockingConnection
    ) throws -> [String: [UInt8]] {
        guard try hasTable("migration", connection) else { return [:] }
        var known: [String: [UInt8]] = [:]
        let rows = try connection.query("select name, sha256 from school.migration")
        for row in rows { known[try row.text("name")] = try row.bytes("sha256") }
        return known
    }

    /// Revokes public access again if the database was restored from a dump, which lacks the database's own privileges.
    /// Returns whether it did.
    private func regainPrivileges(_ connection: BlockingConnection) throws -> Bool {
        let rows = try connection.query(
            """
            select has_database_privilege('public', datname, 'temporary') and pg_has_role(datdba, 'usage') as is_open
              from pg_database where datname = current_database()
            """)
        guard try rows[0].bool("is_open") else { return false }
        try connection.transaction {
            _ = try connection.query("select pg_advisory_xact_lock(7166420318233)")
            try run(definitions.roles, connection)
        }
        return true
    }

    /// Begins anew how changes are followed if the database was restored from a dump of another server, in the open
    /// transaction. Returns whether it did.
    private func renewForeignFeeds(_ connection: BlockingConnection) throws -> Bool {
        try Migrator.becomeOwner(connection)
        return try connection.query("select school.renew_foreign_feeds() as was_foreign")[0]
            .bool("was_foreign")
    }

    /// Older definitions would undo functions and policies of newer ones.
    private func refuseNewer(_ known: [String: [UInt8]]) throws {
        let unknown = definitions.version.unknown(of: Array(known.keys))
        guard !unknown.isEmpty else { return }
        throw CommandFailure(
            """
            This database was made by a newer version of Homeroom. This one does not know \
            \(unknown.joined(separator: ", ")). Nothing was changed; use the newer version.
            """)
    }

    private func run(_ file: Definitions.File, _ connection: BlockingConnection) throws {
        do {
            try connection.execute(script: file.script)
            try connection.execute("reset role")
        } catch {
            throw Failure(file: file.name, cause: error)
        }
    }

    /// From here on, statements create and look up objects in the schema, as its owner.
    static func becomeOwner(_ connection: BlockingConnection) throws {
        try connection.execute("set local role school_owner")
        try connection.execute("set local search_path = school, pg_temp")
    }

    private func applyMigrations(
        _ connection: BlockingConnection, _ known: [String: [UInt8]]
    ) throws -> [String] {
        var applied: [String] = []
        for file in definitions.migrations {
            if let digest = known[file.name] {
                guard digest == file.digest else {
                    throw CommandFailure(
                        "SQL/\(file.name) was changed after it was run; add a new migration instead."
                    )
                }
                continue
            }
            try Migrator.becomeOwner(connection)
            if applied.isEmpty { try refuseWhileMoving(connection) }
            try run(file, connection)
            try Migrator.becomeOwner(connection)
            _ = try connection.query(
                """
                insert into school.migration (name, sha256) values (\(file.name), \(file.digest))
                """)
            applied.append(file.name)
        }
        return applied
    }

    // MARK: Organizations that move

    /// The other cell has the tables as they are, and replication brings no others.
    private func refuseWhileMoving(_ connection: BlockingConnection) throws {
        guard try Self.hasTable("organization_move", connection) else { return }
        let rows = try connection.query(
            "select organization_id::text as id from school.organization_move order by 1 limit 1")
        guard let id = try rows.first?.text("id") else { return }
        throw CommandFailure(
            """
            Nothing was changed: the organization \(id) moves between this cell and another one, and this version \
            changes tables. First end the move with homeroom organization move --finish, or take it back with --back.
            """)
    }

    /// Puts back what keeps organizations that move as they are, in the transaction that dropped it.
    private func restoreMoveGuards(_ connection: BlockingConnection) throws {
        try Migrator.becomeOwner(connection)
        let exists = try connection.query(
            "select to_regprocedure('school.restore_move_guards()') is not null as found")
        guard try exists[0].bool("found") else { return }
        try connection.query("select school.restore_move_guards()")
    }

    // MARK: Who holds the tables

    /// Whether others held the tables, so that another try may succeed.
    private static func isHeldUp(_ error: any Error) -> Bool {
        guard case PostgresError.server(let server)? = error as? PostgresError else { return false }
        return ["55P03", "40P01"].contains(server.sqlState)
            || server.message.contains("tuple concurrently updated")
    }

    /// Describes who holds the tables; never includes their queries, which may contain data.
    private static func holders(_ connection: BlockingConnection) throws -> String {
        let holders = try connection.query(.lockHolders).map { row in
            let words = [
                try row.optionalText("name").map { "user \($0)" } ?? row.optionalText("kind"),
                try row.optionalText("application").map { "application \($0)" },
                try row.optionalText("state"),
                try row.optionalText("doing").map { "last statement \($0)" },
                try row.optionalText("since").map { "in a transaction since \($0)" },
            ]
            return "process \(try row.int("pid")) ("
                + words.compactMap { $0 }.joined(separator: ", ") + ")"
        }
        return holders.isEmpty
            ? "No one holds one now."
            : "Tables are held by \(holders.joined(separator: "; "))."
    }
}
