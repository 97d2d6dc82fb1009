import EventLoop
import Postgres
import Testing

/// A statement is retried if a migration replaced what it uses while it ran and nothing had been done yet.
@Suite struct StalePlanTests {
    @Test func `a lone statement is retried`() async throws {
        try await withPool { pool in
            try makeStale("alone")
            let rows = try await pool.query("select stale_alone() as tries", as: nil)
            #expect(try rows[0].int("tries") == 2)
            try makeStale("session")
            let tries = try await pool.withSession { session in
                try await session.query("select stale_session() as tries")[0].int("tries")
            }
            #expect(tries == 2)
        }
    }

    @Test func `the first statement of a transaction is retried, a later one is not`()
        async throws
    {
        try await withPool { pool in
            try makeStale("first")
            let tries = try await pool.withSession { session in
                try await session.transaction(as: nil) { session in
                    let rows = try await session.query("select stale_first() as tries")
                    _ = try await session.query("select 1")
                    return try rows[0].int("tries")
                }
            }
            #expect(tries == 2)
            try makeStale("later")
            let error = await failure {
                try await pool.withSession { session in
                    try await session.transaction(as: nil) { session in
                        _ = try await session.query("select 1")
                        _ = try await session.query("select stale_later()")
                    }
                }
            }
            #expect(error?.isStalePlan == true)
        }
    }

    @Test func `a plan that stays stale is reported, and other internal errors at once`()
        async throws
    {
        try await withPool { pool in
            try makeStale("ever", times: 5)
            let error = await failure { _ = try await pool.query("select stale_ever()", as: nil) }
            #expect(error?.isStalePlan == true)
            try makeStale("other", message: "something else")
            let other = await failure { _ = try await pool.query("select stale_other()", as: nil) }
            #expect(other?.sqlState == "XX000" && other?.isStalePlan == false)
        }
    }

    /// A function `stale_NAME` that fails as often as a statement does whose function was dropped during the call, and
    /// then returns how often it was called.
    private func makeStale(
        _ name: String, times: Int = 1, message: String = "cache lookup failed for function 4711"
    ) throws {
        let connection = try BlockingConnection(databaseURL)
        let calls = "calls_of_\(name)"
        try connection.execute("create sequence \(identifier: calls)")
        try connection.execute(
            """
            create function \(identifier: "stale_\(name)")() returns bigint language plpgsql as $$
            declare
                tries bigint := nextval(\(literal: calls));
            begin
                if tries <= \(literal: String(times))::bigint then
                    raise exception using errcode = 'XX000', message = \(literal: message);
                end if;
                return tries;
            end $$
            """)
    }
}
