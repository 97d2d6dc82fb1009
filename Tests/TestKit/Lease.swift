import EventLoop
import Glibc
import Metrics
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
    func begin(in databases: TestDatabase) async throws -> LeasedDatabase {
        if let kept = database.withLock({ $0 }) { return kept }
        let made = try await LeasedDatabase(databases, on: loop)
        database.withLock { $0 = made }
        return made
    }

    /// Makes the database ready for the next test, or drops it.
    func end(in databases: TestDatabase) async {
        guard var used = database.withLock({ $0 }) else { return }
        let isReady = (try? await used.renew()) ?? false
        if !isReady { await used.drop(from: databases) }
        database.withLock { $0 = isReady ? used : nil }
    }
}

/// A copy of the template that can be emptied.
struct LeasedDatabase: Sendable {
    let name: String
    /// A superuser's connection, for the test.
    let owner: BlockingConnection
    /// The service's connections. They stay open, as PostgreSQL plans statements and compiles functions anew for each.
    let pool: Pool
    private let keeper: BlockingConnection
    /// What the catalogue was when the database was made.
    private let catalogue: String
    private var uses = 0

    init(_ databases: TestDatabase, on loop: Loop) async throws {
        name = try databases.clone()
        owner = try databases.connect(to: name)
        keeper = try databases.connect(to: name)
        catalogue = try Self.catalogue(keeper)
        pool = await TestSchool.pool(
            at: databases.url(name, user: "school_server") + " application_name=kept", on: loop)
    }

    /// Drops the database, which must not be used any more.
    func drop(from databases: TestDatabase) async {
        let pool = pool
        await pool.loop.run { pool.close() }
        databases.drop(name)
    }

    /// Ends what the test left running, empties the database and plants the cast.
    ///
    /// - Returns: whether all is as it was. Rows that tests deleted take space that only a new database does without.
    mutating func renew() async throws -> Bool {
        uses += 1
        guard uses < 50, await isPoolIdle() else { return false }
        try owner.execute("rollback")
        try owner.execute("discard all")
        guard try endOthers() else { return false }
        try keeper.query("select leased.plant()")
        return try Self.catalogue(keeper) == catalogue
    }

    /// Waits a moment for statements that a test left behind.
    private func isPoolIdle() async -> Bool {
        let pool = pool
        return await pool.loop.run {
            for _ in 1...200 {
                pool.measure()
                let meters = [pool.meters.shared, pool.meters.exclusive]
                if meters.allSatisfy({ $0.busy.value + $0.queued.value == 0 }) { return true }
                await pause(milliseconds: 5)
            }
            return false
        }
    }

    /// Ends all other connections to the database but the pool's, and waits until they are gone.
    private func endOthers() throws -> Bool {
        for _ in 1...5_000 {
            let others = try keeper.query(
                """
                select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and backend_type in ('client backend', 'walsender')
                   and application_name <> 'kept' and pid <> pg_backend_pid() and pid <> \(owner.announcedProcess)
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
