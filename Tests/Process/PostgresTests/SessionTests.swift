import AloneKit
import EventLoop
import Metrics
import Postgres
import Testing
import WaitKit

@Suite struct SessionTests {
    @Test func `a transaction commits as its identity, or leaves nothing behind`() async throws {
        try await withPool { pool in
            let (table, role) = try await makeTable(pool)
            let identity = Identity(role: role, settings: [.init("test.table", table)])
            try await pool.withSession { session in
                try await session.transaction(as: identity) { session in
                    try await session.query("select insert_into_test_table(1)")
                    try await session.query("select insert_into_test_table(2)")
                }
                struct Change: Error {}
                await #expect(throws: Change.self) {
                    try await session.transaction(as: identity) { session in
                        try await session.query("select insert_into_test_table(3)")
                        throw Change()
                    }
                }
                let rows = try await session.query(
                    "select current_setting('test.table', true) as t, current_user::text as u")
                #expect(try rows[0].optionalText("t") ?? "" == "")
                #expect(try rows[0].text("u") != role)
            }
            #expect(try values(in: table) == [1, 2])
        }
    }

    @Test func `a failure that the body swallows still fails the transaction`()
        async throws
    {
        try await withPool { pool in
            let (table, role) = try await makeTable(pool)
            let identity = Identity(role: role, settings: [.init("test.table", table)])
            let error = await failure {
                try await pool.withSession { session in
                    try await session.transaction(as: identity) { session in
                        try await session.query("select insert_into_test_table(1)")
                        _ = try? await session.query("select 1 / 0")
                    }
                }
            }
            #expect(error?.sqlState == "22012")
            #expect(try values(in: table) == [])
            let one = try await pool.withSession { try await $0.query("select 1 as v")[0].int("v") }
            #expect(one == 1)
        }
    }

    @Test func `a transaction without statements costs nothing and harms nothing`()
        async throws
    {
        try await withPool { pool in
            try await pool.withSession { session in
                try await session.transaction(as: Identity(role: "no such role")) { _ in }
                let rows = try await session.query("select 1 as v")
                #expect(rows.count == 1)
            }
        }
    }

    @Test func `a transaction begun manually does not reach the next user`() async throws {
        try await withPool(change: { $0.exclusiveConnections = 1 }) { pool in
            let first = try await pool.withSession { session in
                try await session.query("begin")
                try await session.query("set local search_path = nowhere")
                return try await session.query("select pg_backend_pid() as v")[0].int("v")
            }
            try await pool.withSession { session in
                let rows = try await session.query(
                    "select pg_backend_pid() as v, current_setting('search_path') as s")
                #expect(try rows[0].int("v") == first)
                #expect(try rows[0].text("s") != "nowhere")
            }
        }
    }

    @Test func `a cancelled task stops its statement and leaves a usable connection`()
        async throws
    {
        try await withPool(change: { $0.exclusiveConnections = 1 }) { pool in
            let pid = try await pool.withSession { session in
                try await session.query("select pg_backend_pid() as v")[0].int("v")
            }
            let task = Task(executorPreference: pool.loop) {
                await failure {
                    try await pool.withSession { session in
                        try await session.transaction(as: nil) { session in
                            try await session.query("select pg_sleep(60)")
                        }
                    }
                }
            }
            try await eventually { try sleepers(pid) == 1 }
            task.cancel()
            let error = await task.value
            #expect(error == .cancelled)
            for number in 0..<20 {
                let rows = try await pool.withSession { session in
                    try await session.query("select \(number) as n, pg_backend_pid() as v")
                }
                #expect(try rows[0].int("n") == number)
                #expect(try rows[0].int("v") == pid)
            }
        }
    }

    @Test(.alone) func `cancellations at any moment never affect the next user`() async throws {
        try await withPool(change: {
            $0.exclusiveConnections = 2
            $0.queueMilliseconds = 20_000
        }) { pool in
            for round in 0..<60 {
                let task = Task(executorPreference: pool.loop) {
                    try await pool.withSession { session in
                        _ = try await session.query("select pg_sleep(0.003)")
                    }
                }
                let other = Task(executorPreference: pool.loop) {
                    try await pool.withSession { session in
                        for _ in 0..<3 { _ = try await session.query("select pg_sleep(0.001)") }
                    }
                }
                await pause(milliseconds: round % 6)
                task.cancel()
                try await other.value
                let error = await failure { try await task.value }
                #expect(error == nil || error == .cancelled)
            }
        }
    }

    @Test func `a request waiting for a session can be cancelled, refused, or come too late`()
        async throws
    {
        try await withPool(
            time: .manual(),
            change: {
                $0.exclusiveConnections = 1
                $0.queueLimit = 2
                $0.queueMilliseconds = 1000
                $0.exclusiveQueueMilliseconds = 1000
            }
        ) { pool in
            try await pool.withSession { session in
                _ = try await session.query("select 1")
                #expect(await failure { try pool.checkQueue() } == nil)
                let waiting = (0..<2).map { _ in
                    Task(executorPreference: pool.loop) {
                        await failure { try await pool.withSession { _ in } }
                    }
                }
                try await eventually { pool.measured.exclusive.queued.value == 2 }
                let refused = await failure { try await pool.withSession { _ in } }
                #expect(refused == .busy(retryAfterSeconds: 1))
                #expect(await failure { try pool.checkQueue() } == refused)
                waiting[0].cancel()
                let cancelled = await waiting[0].value
                #expect(cancelled == .cancelled)
                await pool.loop.advance(milliseconds: 999)
                #expect(pool.measured.exclusive.queued.value == 1)
                await pool.loop.advance(milliseconds: 1)
                let late = await waiting[1].value
                #expect(late == .busy(retryAfterSeconds: 1))
                #expect(await failure { try pool.checkQueue() } == nil)
            }
        }
    }
}

/// Creates a table, a role, and a function with which the role inserts into the table that its settings name.
func makeTable(_ pool: Pool) async throws -> (table: String, role: String) {
    let role = try await makeRole(pool)
    let table = uniqueName("t")
    let connection = try BlockingConnection(databaseURL)
    try connection.execute("create table \(identifier: table) (v int)")
    try connection.execute("grant insert on \(identifier: table) to \(identifier: role)")
    try connection.transaction {
        try connection.query("select pg_advisory_xact_lock(4711)")
        try connection.execute(
            """
            create or replace function insert_into_test_table(v int) returns void
            language plpgsql as $$
            begin
                execute format('insert into %I values ($1)', current_setting('test.table')) using v;
            end $$
            """)
    }
    return (table, role)
}

func values(in table: String) throws -> [Int] {
    let connection = try BlockingConnection(databaseURL)
    try connection.execute("create temp view chosen as select v from \(identifier: table)")
    return try connection.query("select v from chosen order by v").map { try $0.int("v") }
}

/// How many backends with this process number are sleeping.
func sleepers(_ pid: Int) throws -> Int {
    try BlockingConnection(databaseURL).query(
        """
        select count(*) as n from pg_stat_activity
         where pid = \(pid) and state = 'active' and query like '%pg_sleep%'
        """)[0].int("n")
}
