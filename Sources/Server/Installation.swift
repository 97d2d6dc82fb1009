import Cluster
import Glibc
import Log
import Postgres

/// The database of this installation, open for one command or for the service.
///
/// Either the server that the settings name, of which nothing but the schema's digest is checked; or the
/// private PostgreSQL of the data folder, joined where somebody runs it and else started, and migrated.
package final class Installation: Sendable {
    /// What connects as the server's login, `school_server`.
    package let databaseURL: String
    /// The private PostgreSQL, where there is one.
    package let cluster: Cluster?

    /// The account that runs the private PostgreSQL when the process is root.
    static let account = "homeroom"
    private static let database = "homeroom"

    /// Opens it; a schema that is not the program's is migrated if it is private, and else refused.
    ///
    /// - Parameter definitions: read before root's rights were given up, where that happens.
    package static func open(
        _ settings: Settings, definitions: Definitions? = nil, log: Log
    ) throws -> Installation {
        let definitions =
            try definitions ?? Definitions(folder: Definitions.folder(settings))
        if let url = settings.databaseURL {
            let installation = Installation(databaseURL: url, cluster: nil)
            try installation.checkSchema(definitions)
            return installation
        }
        let cluster = try joinedCluster(settings, log: log)
        _ = try Migrator(definitions: definitions).migrate(ownerConnection(to: cluster))
        let url = cluster.connectionString(database: database, user: "school_server")
        return Installation(databaseURL: url, cluster: cluster)
    }

    private init(databaseURL: String, cluster: Cluster?) {
        self.databaseURL = databaseURL
        self.cluster = cluster
    }

    /// Connects as the server's login.
    package func connect() throws -> BlockingConnection {
        try BlockingConnection(databaseURL)
    }

    /// Connects as a login that may act as the owner of the schema, past every policy.
    func connectAsOwner(_ settings: Settings) throws -> BlockingConnection {
        if let cluster { return try Installation.ownerConnection(to: cluster) }
        guard let url = settings.migrationURL else {
            throw CommandFailure("This needs HOMEROOM_MIGRATION_URL, the database as its owner.")
        }
        return try BlockingConnection(url)
    }

    /// Lets the private PostgreSQL go; the last user stops it.
    package func close() {
        cluster?.leave()
    }

    /// Brings the database to the definitions on disk, which is all that `homeroom migrate` does.
    static func migrate(_ settings: Settings, log: Log) throws -> Migrator.Outcome {
        let migrator = Migrator(
            definitions: try Definitions(folder: Definitions.folder(settings)))
        if let url = settings.migrationURL ?? settings.databaseURL {
            return try migrator.migrate(BlockingConnection(url))
        }
        let cluster = try joinedCluster(settings, log: log)
        defer { cluster.leave() }
        return try migrator.migrate(ownerConnection(to: cluster))
    }

    private static func joinedCluster(_ settings: Settings, log: Log) throws -> Cluster {
        guard geteuid() == 0 else { return try Cluster(joining: settings.dataFolder, log: log) }
        guard let account = Account(named: account) else {
            throw ClusterError.accountMissing(account)
        }
        return try Cluster(joining: settings.dataFolder, account: account, log: log)
    }

    /// Connects as the owner of the private database, and makes the database the first time.
    private static func ownerConnection(to cluster: Cluster) throws -> BlockingConnection {
        let url = cluster.connectionString(database: database, user: Cluster.superuser)
        if let connection = try? BlockingConnection(url) { return connection }
        let administration = try BlockingConnection(
            cluster.connectionString(database: "postgres", user: Cluster.superuser))
        // It fails where another command makes the database at the same time, and then it is there.
        try? administration.execute("create database \(identifier: database)")
        return try BlockingConnection(url)
    }

    private func checkSchema(_ definitions: Definitions) throws {
        let failure = CommandFailure(
            "The database is not at the schema of this version; run homeroom migrate first.")
        let connection = try connect()
        do {
            let rows = try connection.query("select school.schema_digest() as digest")
            guard try rows[0].optionalBytes("digest") == definitions.digest else { throw failure }
        } catch let error as PostgresError {
            // No function, no schema, or no right to it.
            guard ["42883", "3F000", "42501"].contains(error.sqlState) else { throw error }
            throw failure
        }
    }
}

extension Settings {
    /// Where a command says what it is doing: warnings and errors only, unless `HOMEROOM_LOG` was set.
    var commandLog: Log {
        switch log {
        case .text: Log(format: .text, hasPriorities: Log.goesToJournal)
        case .json: Log(format: .json, hasPriorities: Log.goesToJournal)
        case .off: Log(sink: { _ in })
        }
    }
}
