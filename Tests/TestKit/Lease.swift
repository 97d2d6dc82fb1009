import EventLoop
import Glibc
import Postgres
import Synchronization

/// A loop, and a database that tests use one after another.
///
/// Making and dropping a database takes PostgreSQL a hundred times as long as emptying one. So a database is emptied
/// after a test and planted again, and made anew only if the test changed more than rows, or after many tests.
final class Lease: Sendable {
    let loop = Loop.started()
    private let database = Mutex<LeasedDatabase?>(nil)

    /// A database that holds the cast and nothing else.
    func begin(in databases: TestDatabase) throws -> LeasedDatabase {
        try database.withLock { kept in
            if let kept { return kept }
            let made = try LeasedDatabase(databases)
            kept = made
            return made
        }
    }

    /// Makes the database ready for the next test, or drops it.
    func end(in databases: TestDatabase) {
        database.withLock { kept in
            guard var used = kept else { return }
            let isReady = (try? used.renew()) ?? false
            kept = isReady ? used : nil
            if !isReady { databases.drop(used.name) }
        }
    }
}

/// A copy of the template that can be emptied.
struct LeasedDatabase: Sendable {
    let name: String
    /// A superuser's connection, for the test.
    let owner: BlockingConnection
    private let keeper: BlockingConnection
    /// What the catalogue was when the database was made.
    private let catalogue: String
    private var uses = 0

    init(_ databases: TestDatabase) throws {
        name = try databases.clone()
        owner = try databases.connect(to: name)
        keeper = try databases.connect(to: name)
        catalogue = try Self.catalogue(keeper)
    }

    /// Ends what the test left running, empties the database and plants the cast.
    ///
    /// - Returns: whether all is as it was. Rows that tests deleted take space that only a new database does without.
    mutating func renew() throws -> Bool {
        uses += 1
        guard uses < 50 else { return false }
        try owner.execute("rollback")
        try owner.execute("discard all")
        guard try endOthers() else { return false }
        try keeper.query("select leased.plant()")
        return try Self.catalogue(keeper) == catalogue
    }

    /// Ends all other connections to the database, and waits until they are gone.
    private func endOthers() throws -> Bool {
        for _ in 1...5_000 {
            let others = try keeper.query(
                """
                select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and backend_type in ('client backend', 'walsender')
                   and pid <> pg_backend_pid() and pid <> \(owner.announcedProcess)
                """)
            if others.isEmpty { return true }
            usleep(1_000)
        }
        return false
    }

    private static func catalogue(_ connection: BlockingConnection) throws -> String {
        try connection.query("select leased.catalogue() as it").first?.text("it") ?? ""
    }
}
