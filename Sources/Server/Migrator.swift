import Postgres

/// Brings a database to the definitions on disk (`SQL/README.md`).
///
/// Everything happens in one transaction under a lock: whoever is killed at any step leaves the database as
/// it was, and two that start at once do it one after the other. Nobody ever sees a database without
/// policies.
package struct Migrator {
    /// What `migrate` did.
    package struct Outcome {
        /// The migrations that had not been run before.
        package let applied: [String]
        package let wasCurrent: Bool
    }

    let definitions: Definitions

    package init(definitions: Definitions) {
        self.definitions = definitions
    }

    /// - Parameter connection: of a login that may create roles and act as the owner of the schema.
    package func migrate(_ connection: BlockingConnection) throws -> Outcome {
        if try Migrator.digest(connection) == definitions.digest {
            return Outcome(applied: [], wasCurrent: true)
        }
        return try connection.transaction {
            _ = try connection.query("select pg_advisory_xact_lock(7166420318233)")
            _ = try connection.query("set local lock_timeout = '5s'")
            if try Migrator.digest(connection) == definitions.digest {
                return Outcome(applied: [], wasCurrent: true)
            }
            try run(definitions.roles, connection)
            let applied = try applyMigrations(connection)
            try dropPolicies(connection)
            for file in definitions.redefined { try run(file, connection) }
            try connection.execute("set local role school_owner")
            _ = try connection.query(
                """
                insert into school.applied_schema (sha256) values (\(definitions.digest))
                on conflict (is_only) do update
                   set sha256 = excluded.sha256, applied_at = date_trunc('milliseconds', now())
                """)
            return Outcome(applied: applied, wasCurrent: false)
        }
    }

    /// The digest of the definitions that the database was last brought to; `nil` before the first time.
    static func digest(_ connection: BlockingConnection) throws -> [UInt8]? {
        let exists = try connection.query(
            "select to_regclass('school.applied_schema') is not null as found")
        guard try exists[0].bool("found") else { return nil }
        let rows = try connection.query("select sha256 from school.applied_schema")
        return try rows.first?.bytes("sha256")
    }

    private func run(_ file: Definitions.File, _ connection: BlockingConnection) throws {
        do {
            try connection.execute(script: file.script)
            try connection.execute("reset role")
        } catch {
            throw CommandFailure("SQL/\(file.name): \(error)")
        }
    }

    private func applyMigrations(_ connection: BlockingConnection) throws -> [String] {
        var known: [String: [UInt8]] = [:]
        let rows = try connection.query("select name, sha256 from school.migration")
        for row in rows { known[try row.text("name")] = try row.bytes("sha256") }
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
            try run(file, connection)
            try connection.execute("set local role school_owner")
            _ = try connection.query(
                """
                insert into school.migration (name, sha256) values (\(file.name), \(file.digest))
                """)
            applied.append(file.name)
        }
        return applied
    }

    private func dropPolicies(_ connection: BlockingConnection) throws {
        let policies = try connection.query(
            "select policyname, tablename from pg_policies where schemaname = 'school'")
        for policy in policies {
            try connection.execute(
                """
                drop policy \(identifier: try policy.text("policyname"))
                    on school.\(identifier: try policy.text("tablename"))
                """)
        }
    }
}
