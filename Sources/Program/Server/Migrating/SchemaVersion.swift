import Postgres

/// The database definitions a server knows, and how they compare with what was applied.
package struct SchemaVersion: Sendable {
    /// How the database compares with this server.
    enum Standing: Equatable {
        case same
        /// The same migrations, with different functions or policies.
        case redefined
        /// A newer one, beside which this server may keep serving.
        case besides
        /// It lacks what this server needs.
        case older
        /// A newer one that this server does not support, with the migrations it does not know.
        case newer(unknown: [String])

        /// Whether this server may serve over such a database.
        var letsServe: Bool {
            switch self {
            case .same, .redefined, .besides: true
            case .older, .newer: false
            }
        }
    }

    /// The digest of everything in `SQL/`.
    let digest: [UInt8]
    /// The files of `migrations/`.
    let migrations: Set<String>

    /// The number of the newest migration.
    private var number: Int { migrations.compactMap(SchemaVersion.number).max() ?? 0 }

    /// The names for which this version has no file, in order.
    func unknown(of applied: [String]) -> [String] {
        applied.filter { !migrations.contains($0) }.sorted()
    }

    /// Queries the database as the server's login.
    func standing(_ connection: BlockingConnection) throws -> Standing {
        do {
            let digest = try connection.query(.schemaDigest)[0].optionalBytes("digest")
            if digest == self.digest { return .same }
            return try digest == nil ? .older : standing(connection.query(.appliedSchema)[0])
        } catch let error as PostgresError where error.isSchemaMissing {
            return .older
        }
    }

    /// How a database with a different digest compares with this version.
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
    /// The digest of what was applied last.
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
    /// Whether the function, the schema or the right to it is missing: nothing was migrated, or an older version.
    var isSchemaMissing: Bool { ["42883", "3F000", "42501"].contains(sqlState) }
}
