import AloneKit
import EventLoop
import Metrics
import Postgres
import Testing
import WaitKit

@Suite struct SharedLaneTests {
    @Test func `a statement runs as its identity, which is gone afterwards`() async throws {
        try await withPool { pool in
            let role = try await makeRole(pool)
            let identity = Identity(role: role, settings: [.init("test.person", "ada")])
            let question: Statement =
                "select current_user::text as u, current_setting('test.person', true) as p"
            let inside = try await pool.query(question, as: identity)
            #expect(try inside[0].text("u") == role)
            #expect(try inside[0].text("p") == "ada")
            let outside = try await pool.query(question, as: nil)
            #expect(try outside[0].text("u") != role)
            #expect(try outside[0].optionalText("p") ?? "" == "")
        }
    }

    @Test func `identities never mix on shared connections, with or without errors`()
        async throws
    {
        try await withPool(change: { $0.sharedQueueLimit = 500 }) { pool in
            let roles = [try await makeRole(pool), try await makeRole(pool)]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask(executorPreference: pool.loop) {
                        try await ask(pool, number: number, role: roles[number % 2])
                    }
                }
                try await group.waitForAll()
            }
            let left = try await pool.query(
                "select current_setting('test.person', true) as p", as: nil)
            #expect(try left[0].optionalText("p") ?? "" == "")
        }
    }

    @Test func `several statements are one transaction`() async throws {
        try await withPool { pool in
            let error = await failure {
                _ = try await pool.query(
                    ["select 1", "select 1 / 0", "select 1"], as: nil)
            }
            #expect(error?.sqlState == "22012")
            let both = try await pool.query(
                [
                    "select set_config('test.x', '2', true)",
                    "select current_setting('test.x') as x",
                ],
                as: nil)
            #expect(try both[1][0].text("x") == "2")
        }
    }

    @Test func `a statement that does not fit the queue is refused at once`() async throws {
        try await withPool(
            time: .manual(),
            change: {
                $0.sharedConnections = 1
                $0.sharedDepth = 1
                $0.sharedQueueLimit = 2
                $0.sharedStatementTimeoutMilliseconds = 60_000
            }
        ) { pool in
            try await eventually { pool.isConnected }
            let lock = try HeldLock()
            let wait = lock.wait
            try await withThrowingTaskGroup(of: PostgresError?.self) { group in
                for _ in 0..<10 {
                    group.addTask(executorPreference: pool.loop) {
                        await failure { _ = try await pool.query(wait, as: nil) }
                    }
                }
                // One runs and two wait, until the lock is free.
                for _ in 0..<7 {
                    #expect(try await group.next() == PostgresError.busy(retryAfterSeconds: 1))
                }
                try lock.release()
                for _ in 0..<3 { #expect(try await group.next() == .some(nil)) }
            }
        }
    }

    @Test func `a request that waits too long is asked to come back`() async throws {
        try await withPool(
            time: .manual(),
            change: {
                $0.sharedConnections = 1
                $0.sharedDepth = 1
                $0.sharedStatementTimeoutMilliseconds = 60_000
                $0.queueMilliseconds = 1000
            }
        ) { pool in
            try await eventually { pool.isConnected }
            let lock = try HeldLock()
            let wait = lock.wait
            async let slow = pool.query(wait, as: nil)
            try await eventually { pool.measured.shared.busy.value == 1 }
            async let error = failure { _ = try await pool.query("select 1", as: nil) }
            try await eventually { pool.measured.shared.queued.value == 1 }
            await pool.loop.advance(milliseconds: 999)
            #expect(pool.measured.shared.queued.value == 1)
            await pool.loop.advance(milliseconds: 1)
            #expect(pool.measured.shared.queued.value == 0)
            #expect(await error == .busy(retryAfterSeconds: 1))
            try lock.release()
            _ = try await slow
        }
    }

    @Test func `a statement still waiting when its task is cancelled is not done`()
        async throws
    {
        try await withPool(change: {
            $0.sharedConnections = 1
            $0.sharedDepth = 1
            $0.sharedStatementTimeoutMilliseconds = 60_000
            $0.queueMilliseconds = 60_000
        }) { pool in
            try await pool.waitUntilConnected(milliseconds: 5000)
            let key = Int.random(in: 1_000_000...2_000_000_000)
            let lock = try HeldLock()
            let wait = lock.wait
            async let slow = pool.query(wait, as: nil)
            try await eventually { pool.measured.shared.busy.value == 1 }
            let waiting = Task(executorPreference: pool.loop) {
                await failure {
                    _ = try await pool.query("select pg_advisory_lock(\(key))", as: nil)
                }
            }
            async let next = pool.query("select 2 as two", as: nil)
            try await eventually { pool.measured.shared.queued.value == 2 }
            waiting.cancel()
            #expect(await waiting.value == .cancelled)
            try lock.release()
            _ = try await slow
            #expect(try await next[0].int("two") == 2)
            let locks = try await pool.query(
                """
                select count(*) as count from pg_locks
                 where locktype = 'advisory' and objid::bigint = \(key)
                """, as: nil)
            #expect(try locks[0].int("count") == 0)
        }
    }

    @Test(.alone) func `a slow statement is stopped by its timeout`() async throws {
        try await withPool(change: { $0.sharedStatementTimeoutMilliseconds = 50 }) { pool in
            let error = await failure { _ = try await pool.query("select pg_sleep(5)", as: nil) }
            #expect(error?.sqlState == "57014")
        }
    }

    @Test(.alone) func `a statement that was too slow while being prepared is tried once more`()
        async throws
    {
        try await withPool(change: {
            $0.sharedConnections = 1
            $0.sharedStatementTimeoutMilliseconds = 1000
        }) { pool in
            let calls = uniqueName("calls")
            try BlockingConnection(databaseURL).execute("create sequence \(identifier: calls)")
            // A sequence counts what was rolled back, too. It sleeps at the first call, and at the fourth.
            let statement: Statement = """
                select nextval(\(calls)::regclass) as call,
                       case when lastval() in (1, 4) then pg_sleep(30) end
                """
            #expect(try await pool.query(statement, as: nil)[0].int("call") == 2)
            #expect(try await pool.query(statement, as: nil)[0].int("call") == 3)
            let error = await failure { _ = try await pool.query(statement, as: nil) }
            #expect(error?.sqlState == "57014")
            #expect(try await pool.query(statement, as: nil)[0].int("call") == 5)
        }
    }

    @Test func `without a database the wait has an end and a reason`() async throws {
        try await withPool(
            "host=/nonexistent dbname=x", change: { $0.queueMilliseconds = 50 }
        ) { pool in
            let error = await failure { _ = try await pool.query("select 1", as: nil) }
            guard case .unavailable(let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("/nonexistent"))
        }
    }
}

/// Sees its own identity, or fails at one of several points of the pipeline.
private func ask(_ pool: Pool, number: Int, role: String) async throws {
    let identity = Identity(role: role, settings: [.init("test.person", "p\(number)")])
    switch number % 10 {
    case 3:
        let error = await failure { _ = try await pool.query("select 1 / \(0)", as: identity) }
        #expect(error?.sqlState == "22012")
    case 6:
        let error = await failure { _ = try await pool.query("select nonsense", as: identity) }
        #expect(error?.sqlState == "42703")
    case 9:
        let nobody = Identity(role: "nobody_\(number)")
        let error = await failure { _ = try await pool.query("select 1", as: nobody) }
        #expect(error?.sqlState == "22023")
    default:
        let rows = try await pool.query(
            """
            select current_setting('test.person') as p, current_user::text as u,
                   \(number) as n
            """, as: identity)
        #expect(try rows[0].text("p") == "p\(number)")
        #expect(try rows[0].text("u") == role)
        #expect(try rows[0].int("n") == number)
    }
}

/// Creates a role that the login may become.
func makeRole(_ pool: Pool) async throws -> String {
    let role = uniqueName("r")
    let connection = try BlockingConnection(databaseURL)
    try connection.execute("create role \(identifier: role) nologin")
    return role
}
