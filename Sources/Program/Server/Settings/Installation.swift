import Cluster
import Glibc
import Log
import Postgres

/// The database of this installation, open for one command or for the service.
///
/// Either the server that the settings name, where only the schema's version is checked; or the private PostgreSQL of
/// the data folder, which is joined if it is running, otherwise started, and migrated.
package final class Installation: Sendable {
    /// The URL for connecting as the server's login, `school_server`.
    package let databaseURL: String
    /// The private PostgreSQL, if there is one.
    package let cluster: Cluster?

    private static let database = "homeroom"
    /// Who may connect to the private PostgreSQL besides its superuser, whose password the migrator knows.
    static let access = Cluster.Access(
        database: database, logins: ["school_server", "school_exporter_login"])

    /// Opens it. A schema of another version is migrated if the database is private, and refused otherwise.
    ///
    /// - Parameters:
    ///   - definitions: read before root privileges are dropped, if they are.
    ///   - isRestoring: this is the restore that everyone else has to wait for.
    package static func open(
        _ settings: Settings, definitions: Definitions? = nil, isRestoring: Bool = false, log: Log
    ) throws -> Installation {
        let definitions =
            try definitions ?? Definitions(folder: Definitions.folder(settings))
        if let url = settings.databaseURL {
            try Pooler.check(url, log: log)
            let installation = Installation(databaseURL: url, cluster: nil)
            try installation.checkSchema(definitions.version, log)
            return installation
        }
        let cluster = try joinedCluster(settings, isRestoring: isRestoring, log: log)
        let owner = try ownerConnection(to: cluster)
        _ = try Migrator(definitions: definitions).migrate(owner)
        try owner.execute(.closeOtherDatabases)
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

    /// Connects as a login that may act as the schema's owner, bypassing every policy.
    func connectAsOwner(_ settings: Settings) throws -> BlockingConnection {
        if let cluster { return try Installation.ownerConnection(to: cluster) }
        guard let url = settings.migrationURL else {
            throw CommandFailure("This needs HOMEROOM_MIGRATION_URL, the database as its owner.")
        }
        return try BlockingConnection(url)
    }

    /// Releases the private PostgreSQL; the last user stops it.
    package func close() {
        cluster?.leave()
    }

    /// Brings the database to the definitions on disk and compares it with them; this is all that `homeroom migrate`
    /// does.
    ///
    /// - Parameter isWhole: recreates everything, even what is up to date.
    static func migrate(
        _ settings: Settings, isWhole: Bool = false, log: Log
    ) throws -> Migration {
        let definitions = try Definitions(folder: Definitions.folder(settings))
        if let url = settings.migrationURL ?? settings.databaseURL {
            return try Migration(of: BlockingConnection(url), to: definitions, isWhole: isWhole)
        }
        let cluster = try joinedCluster(settings, log: log)
        defer { cluster.leave() }
        return try Migration(of: ownerConnection(to: cluster), to: definitions, isWhole: isWhole)
    }

    private static func joinedCluster(
        _ settings: Settings, isRestoring: Bool = false, log: Log
    ) throws -> Cluster {
        try Cluster(
            joining: settings.dataFolder, account: settings.clusterAccount(), access: access,
            isRestoring: isRestoring, log: log)
    }

    private static func ownerConnection(to cluster: Cluster) throws -> BlockingConnection {
        try ownerConnection {
            cluster.connectionString(database: $0, user: Cluster.superuser)
        }
    }

    /// Connects as the owner of the private database, and creates the database the first time.
    ///
    /// - Parameter target: the connection parameters of the superuser for a database.
    static func ownerConnection(
        _ target: (_ database: String) -> String
    ) throws -> BlockingConnection {
        let url = target(database)
        if let connection = try? BlockingConnection(url) { return connection }
        let administration = try BlockingConnection(target("postgres"))
        // This fails if another command creates the database at the same time; then it exists.
        try? administration.execute("create database \(identifier: database)")
        return try BlockingConnection(url)
    }

    private func checkSchema(_ version: SchemaVersion, _ log: Log) throws {
        switch try version.standing(connect()) {
        case .same: return
        case .besides:
            log.warning("the database was made by a newer version, which lets this one serve")
        case .older, .redefined:
            throw CommandFailure(
                "The database is not at the schema of this version; run homeroom migrate first.")
        case .newer(let unknown):
            throw CommandFailure(
                """
                This database was made by a newer version of Homeroom, beside which this one cannot serve. \
                This one does not know \(unknown.joined(separator: ", ")). Start the newer version.
                """)
        }
    }
}

extension Settings {
    /// Who runs the private PostgreSQL if this process is root; otherwise the process's own account does, and this is
    /// `nil`.
    func clusterAccount() throws -> Account? {
        guard geteuid() == 0 else { return nil }
        guard let found = Account(named: account) else {
            throw ClusterError.accountMissing(account)
        }
        return found
    }

    /// The log for what a command is doing, in the form and from the level on that the settings say.
    var commandLog: Log {
        func log(_ format: Log.Format) -> Log {
            Log(format: format, minimum: logLevel, hasPriorities: Log.goesToJournal)
        }
        return switch self.log {
        case .text: log(.text)
        case .json: log(.json)
        case .off: Log(sink: { _ in })
        }
    }

    /// Says what the service is doing, in a sentence for people, if the log level includes it.
    func say(_ text: String, _ level: Log.Level = .info) {
        if level >= logLevel { complain(text, level) }
    }
}

extension Command {
    /// Restricts the logins to our database; done once.
    fileprivate static var closeOtherDatabases: Command {
        """
        do $$ begin
            if has_database_privilege('public', 'homeroom', 'connect') then
                perform pg_advisory_xact_lock(7166420318233);
                revoke connect on database homeroom, postgres, template1 from public;
                grant connect on database homeroom to school_server, school_exporter_login;
            end if;
        end $$
        """
    }
}
