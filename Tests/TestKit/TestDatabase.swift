import Cluster
import Glibc
import Log
import Postgres
import Server
import Synchronization

/// Gives a test a PostgreSQL of its own that has none of our roles.
///
/// - Parameter body: gets what connects to a database as a login, or as the superuser for `nil`.
package func withFreshServer(
    _ body: (_ url: (_ database: String, _ user: String?) -> String) throws -> Void
) throws {
    let postgres = try ThrowawayCluster(log: Log(minimum: .error))
    defer { postgres.discard() }
    try body { database, user in
        postgres.cluster.connectionString(database: database, user: user ?? Cluster.superuser)
    }
}

/// The throw-away PostgreSQL of a test run, with a migrated template that holds the cast.
package final class TestDatabase: Sendable {
    /// Started by the first test that needs it; a failure fails every test with the same reason.
    package static func shared() throws -> TestDatabase { try started.get() }

    private static let started = Result { try TestDatabase() }
    private static let template = "homeroom_template"

    /// The same with a server that follows it, started by the first test that needs one.
    package static func replicated() throws -> TestDatabase { try replicatedStarted.get() }

    private static let replicatedStarted = Result { try TestDatabase(replicates: true) }

    /// Two servers, each of which can take single tables from the other: cells between which an organization moves.
    /// A move tells them apart by their system identifiers.
    package static func cells() throws -> (here: TestDatabase, there: TestDatabase) {
        (try cellsStarted.here.get(), try cellsStarted.there.get())
    }

    private static let cellsStarted = (
        here: Result { try TestDatabase(isCell: true) },
        there: Result { try TestDatabase(isCell: true, isDistinct: true) }
    )

    /// A server whose clock the tests set. Only one test at a time may use it.
    package static func clocked() throws -> (database: TestDatabase, clock: TestClock) {
        try clockedStarted.get()
    }

    private static let clockedStarted = Result {
        let clock = try TestClock()
        return (database: try TestDatabase(variables: clock.variables), clock: clock)
    }

    private let postgres: ThrowawayCluster
    /// The server that follows it, if the tests asked for one.
    private let replica: ThrowawayCluster?
    private let count = Atomic<Int>(0)

    private init(
        replicates: Bool = false, isCell: Bool = false, isDistinct: Bool = false,
        variables: [String] = []
    ) throws {
        let log = Log(minimum: .error)
        postgres = try ThrowawayCluster(
            log: log, replicates: replicates || isCell,
            copying: isDistinct ? nil : Self.prepared.get(), isDistinct: isDistinct,
            variables: variables)
        replica = replicates ? try ThrowawayCluster(log: log, following: postgres) : nil
        if isDistinct { try Self.makeTemplate(in: postgres) }
    }

    /// A server that rests, with the template: made once, and copied by all but the distinct one.
    private static let prepared = Result {
        let postgres = try ThrowawayCluster(log: Log(minimum: .error))
        try makeTemplate(in: postgres)
        try postgres.rest()
        return postgres
    }

    private static func makeTemplate(in postgres: ThrowawayCluster) throws {
        let connect = { (database: String) in
            try BlockingConnection(
                postgres.cluster.connectionString(database: database, user: Cluster.superuser))
        }
        try connect("postgres").execute("create database \(identifier: template)")
        let connection = try connect(template)
        _ = try Migrator(definitions: Definitions(folder: sqlFolder)).migrate(connection)
        try TestMoment.install(in: connection)
        try Seed(connection: connection).plant()
        try Self.keepRows(connection)
    }

    /// Creates a database for one test and returns its name. Copying its files takes a third of the time that PostgreSQL
    /// takes to copy them page by page, as it does unless it is told. Like a dump, a copy lacks the privileges of the
    /// database itself.
    ///
    /// - Parameter source: what is copied, to which nobody is connected; the template if it is `nil`.
    package func clone(of source: String? = nil) throws -> String {
        let name = "school_\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
        let administration = try connect(to: "postgres")
        try administration.execute(
            "create database \(identifier: name) template \(identifier: source ?? Self.template) strategy file_copy"
        )
        try administration.execute(
            """
            grant temporary on database \(identifier: name) to school_owner;
            revoke temporary on database \(identifier: name) from public
            """)
        return name
    }

    /// Creates an empty database, for tests of migrations, and returns its name.
    package func createEmpty() throws -> String {
        let name = "empty_\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
        try connect(to: "postgres").execute(
            "create database \(identifier: name) template template0")
        return name
    }

    package func drop(_ name: String) {
        try? connect(to: "postgres").execute(
            "drop database if exists \(identifier: name) with (force)")
    }

    /// A connection as the superuser, bypassing every policy.
    package func connect(to database: String) throws -> BlockingConnection {
        try BlockingConnection(url(database, user: nil))
    }

    /// What a client of that login needs to connect; the superuser's if there is none.
    package func url(_ database: String, user: String?) -> String {
        postgres.cluster.connectionString(database: database, user: user ?? Cluster.superuser)
    }

    /// The same for the server that follows it; `nil` if there is none.
    package func replicaURL(_ database: String, user: String?) -> String? {
        replica?.cluster.connectionString(database: database, user: user ?? Cluster.superuser)
    }

    /// Where the socket of the server that follows it is; `nil` if there is none.
    package var replicaSocketFolder: String? { replica?.cluster.socketFolder }

    /// The account that a service started by root becomes to reach the socket; `nil` if the tests are not root.
    package static var account: String? {
        geteuid() == 0 ? ThrowawayCluster.account?.name : nil
    }

    /// Where the socket of the server is, for proxies between it and its clients.
    package var socketFolder: String { postgres.cluster.socketFolder }

    /// A program of the PostgreSQL that it runs, such as `pg_dump`.
    package static func program(_ name: String) throws -> String {
        try ThrowawayCluster.program(name)
    }

    /// The kept database of a release.
    package static func release(_ version: String) -> String {
        "\(sqlFolder)/../Tests/Releases/\(version).dump.gz"
    }

    /// `SQL` at the top of the package, found from this file.
    package static let sqlFolder: String = {
        let path = #filePath.split(separator: "/").dropLast(3)
        return "/" + path.joined(separator: "/") + "/SQL"
    }()
}
