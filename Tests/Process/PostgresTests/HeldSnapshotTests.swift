import AloneKit
import Cluster
import EventLoop
import Postgres
import Testing
import WaitKit

/// A snapshot that one connection keeps and others read in.
@Suite(.serialized) struct HeldSnapshotTests {
    private static let identity = Identity(
        role: Cluster.superuser, settings: [.init("test.who", "me")])

    private func table() throws -> String {
        let name = uniqueName("held")
        let owner = try BlockingConnection(databaseURL)
        try owner.execute("create table \(identifier: name) (n integer)")
        try owner.execute("insert into \(identifier: name) values (1)")
        return name
    }

    /// How many rows the table has, as the statement sees it.
    private func count(of table: String) -> Statement {
        """
        select (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I', \(table)),
                false, true, '')))[1]::text::integer as n, current_setting('test.who') as who,
               current_setting('transaction_isolation') as isolation
        """
    }

    @Test func `others see what was there when it was taken, each under its identity`() async throws
    {
        let table = try table()
        try await withPool { pool in
            let held = try await HeldSnapshot.take(
                from: databaseURL, forAtMostSeconds: 60, on: pool.loop)
            try BlockingConnection(databaseURL).execute(
                "insert into \(identifier: table) values (2)")
            for _ in 1...2 {
                let past = try await pool.withSession {
                    try await $0.query(
                        count(of: table), as: Self.identity, in: held.name)
                }
                #expect(try past[0].int("n") == 1)
                #expect(try past[0].text("who") == "me")
                #expect(try past[0].text("isolation") == "repeatable read")
                let present = try await pool.withSession {
                    try await $0.query(count(of: table), as: Self.identity)
                }
                #expect(try present[0].int("n") == 2)
                #expect(try present[0].text("isolation") == "read committed")
            }
            let now = try await pool.query("select clock_timestamp() as now", as: nil)
            #expect(try held.takenAt <= now[0].timestamp("now"))
            held.end()
            held.end()
            #expect(!held.isAlive)
        }
    }

    @Test func `nothing is written in it`() async throws {
        let table = try table()
        try await withPool { pool in
            let held = try await HeldSnapshot.take(
                from: databaseURL, forAtMostSeconds: 60, on: pool.loop)
            let refused = await failure {
                _ = try await pool.withSession {
                    try await $0.query(
                        "create table held_by_nobody (n integer)", as: Self.identity, in: held.name)
                }
            }
            #expect(refused?.sqlState == "25006")
            let after = try await pool.withSession {
                try await $0.query(count(of: table), as: Self.identity, in: held.name)
            }
            #expect(try after[0].int("n") == 1, "the session is usable, and so is the snapshot")
            held.end()
        }
    }

    @Test func `one that ended is lost, and the session goes on`() async throws {
        let table = try table()
        try await withPool(change: { $0.exclusiveConnections = 1 }) { pool in
            let held = try await HeldSnapshot.take(
                from: databaseURL, forAtMostSeconds: 60, on: pool.loop)
            held.end()
            try await eventually {
                let lost = await failure {
                    _ = try await pool.withSession {
                        try await $0.query(count(of: table), as: Self.identity, in: held.name)
                    }
                }
                return lost?.isLostSnapshot ?? false
            }
            let unknown = try #require(SnapshotName("00000001-0000FFFF-1"))
            let lost = await failure {
                _ = try await pool.withSession {
                    try await $0.query(count(of: table), as: Self.identity, in: unknown)
                }
            }
            #expect(lost?.isLostSnapshot == true)
            let present = try await pool.withSession {
                try await $0.query(count(of: table), as: Self.identity)
            }
            #expect(try present[0].int("n") == 1)
        }
    }

    @Test(.alone) func `it notices that its connection is lost, and PostgreSQL ends it in time`()
        async throws
    {
        try await withPool { pool in
            let held = try await HeldSnapshot.take(
                from: databaseURL, forAtMostSeconds: 60, on: pool.loop)
            try BlockingConnection(databaseURL).query(
                """
                select pg_terminate_backend(pid) from pg_stat_activity
                 where query like '%pg_export_snapshot%' and pid <> pg_backend_pid()
                """)
            try await eventually { !held.isAlive }
            let short = try await HeldSnapshot.take(
                from: databaseURL, forAtMostSeconds: 1, on: pool.loop)
            try await eventually { !short.isAlive }
        }
    }

    @Test func `a database that is away is an error`() async throws {
        try await withPool { pool in
            let error = await failure {
                _ = try await HeldSnapshot.take(
                    from: "host=/nowhere", forAtMostSeconds: 60, on: pool.loop)
            }
            guard case .unavailable? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test(arguments: ["", "x", "00000003-0000001b-1", "1'; drop table a --", "0 1"])
    func `only what PostgreSQL makes is a name`(text: String) {
        #expect(SnapshotName(text) == nil)
        #expect(SnapshotName("00000003-0000001B-1")?.text == "00000003-0000001B-1")
    }
}
