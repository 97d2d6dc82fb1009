import Postgres

/// What a server knows of the database's definitions, and how that compares with what was applied.
package struct SchemaVersion: Sendable {
    /// How the database stands to this server.
    enum Standing: Equatable {
        case same
        /// Of the same migrations, with other functions or policies.
        case redefined
        /// A newer one, which lets this server go on beside it.
        case besides
        /// It lacks what this server needs.
        case older
        /// A newer one that this server does not understand; with what it does not know of it.
        case newer(unknown: [String])
    }

    /// Of everything in `SQL/`.
    let digest: [UInt8]
    /// The files of `migrations/`.
    let migrations: Set<String>

    /// The number of the newest migration.
    private var number: Int { migrations.compactMap(SchemaVersion.number).max() ?? 0 }

    /// Those of the names that this version has no file for, in order.
    func unknown(of applied: [String]) -> [String] {
        applied.filter { !migrations.contains($0) }.sorted()
    }

    /// Asks the database in the server's name.
    func standing(_ connection: BlockingConnection) throws -> Standing {
        do {
            let digest = try connection.query(.schemaDigest)[0].optionalBytes("digest")
            if digest == self.digest { return .same }
            return try digest == nil ? .older : standing(connection.query(.appliedSchema)[0])
        } catch let error as PostgresError where error.isSchemaMissing {
            return .older
        }
    }

    /// How a database with another digest stands to this version.
    func standing(_ row: Row) throws -> Standing {
        let applied = try row.textArray("applied")
        guard migrations.isSubset(of: applied) else { return .older }
        guard number >= (try row.int("serves_from")) else {
            return .newer(unknown: unknown(of: applied))
        }
        return applied.count == migrations.count ? .redefined : .besides
    }

    /// 6 of `migrations/0006_activities.sql`.
    private static func number(_ name: String) -> Int? {
        Int((name.split(separator: "/").last ?? "").prefix { $0 != "_" })
    }
}

extension Statement {
    /// Of what was applied last.
    static var schemaDigest: Statement { "select school.schema_digest() as digest" }

    /// What was applied, and which servers may serve beside it.
    static var appliedSchema: Statement {
        """
        select coalesce(school.schema_serves_from(), 0) as serves_from,
               array(select name from school.applied_migrations()) as applied
        """
    }
}

extension PostgresError {
    /// No function, no schema, or no right to it: nothing was migrated, or an older version.
    var isSchemaMissing: Bool { ["42883", "3F000", "42501"].contains(sqlState) }
}
