import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import Testing

/// Counts the pages of tables and indexes that the database reads for a call of the service.
package struct PageCounter {
    private let school: TestSchool
    /// As a superuser, to the same database.
    private let connection: BlockingConnection

    /// - Parameters:
    ///   - school: whose database is this test's alone: in a leased one, deleted rows of earlier tests are read, too.
    ///   - connection: as a superuser, to the same database.
    package init(_ school: TestSchool, _ connection: BlockingConnection) throws {
        self.school = school
        self.connection = connection
        try connection.execute(Self.resting)
    }

    /// How many pages the database reads for a call that was made before, so that its statements are prepared; `nil` if the
    /// persona may not make it. What others of the server read or report meanwhile only adds: above `enough`, the call is
    /// counted again, and the least of three counts is its own.
    package func pages(
        reading path: String, as persona: Persona, enough: Int
    ) async throws -> Int? {
        guard try await answer(path, persona) != nil else { return nil }
        var least = Int.max
        for _ in 1...3 where least > enough {
            let before = try await total()
            _ = try #require(try await answer(path, persona))
            least = min(least, try await total() - before)
        }
        return least
    }

    /// What is answered, which need not be as documented: the rows were not made by the service.
    package func answer(_ path: String, _ persona: Persona) async throws -> JSONValue? {
        let school = school
        let request = try HTTPRequest(
            method: .get, target: path,
            headers: [(name: "Authorization", value: "Bearer \(persona.token)")], body: [],
            clientAddress: "127.0.0.1")
        let answered = await school.pool.loop.run { () async -> Result<JSONValue?, any Error> in
            do {
                let response = await school.answer(request)
                guard response.status == 200 else { return .success(nil) }
                return .success(try JSONValue(parsing: await response.wholeBody()))
            } catch {
                return .failure(error)
            }
        }
        return try answered.get()
    }

    /// All pages that were read so far, of whatever connection of the service.
    private func total() async throws -> Int {
        let pool = school.pool
        let flushed = await pool.loop.run { () async -> Result<Void, any Error> in
            do {
                try await flush(pool)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try flushed.get()
        return try connection.query(Self.reading)[0].int("pages")
    }

    /// Lets every connection of the service report what it read: by itself, it does so once a second. The exclusive lane
    /// of a test has three.
    private func flush(_ pool: Pool) async throws {
        _ = try await pool.query(Self.flushing, as: nil)
        try await pool.withSession { first in
            try await pool.withSession { second in
                try await pool.withSession { third in
                    for session in [first, second, third] {
                        try await session.query(Self.flushing)
                    }
                }
            }
        }
    }

    private static let flushing: Statement = "select pg_stat_force_next_flush()"

    private static let reading: Statement = """
        select sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0)
                   + coalesce(toast_blks_hit + toast_blks_read, 0)
                   + coalesce(tidx_blks_hit + tidx_blks_read, 0))::bigint as pages
          from pg_statio_user_tables where schemaname = 'school'
        """

    /// What vacuum reads would be counted, too.
    private static let resting: Command = """
        do $$
        declare
            name regclass;
        begin
            for name in select oid from pg_class where relnamespace = 'school'::regnamespace and relkind = 'r' loop
                execute format('alter table %s set (autovacuum_enabled = false)', name);
            end loop;
        end $$
        """
}
