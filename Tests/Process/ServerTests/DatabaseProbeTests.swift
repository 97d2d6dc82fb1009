import EventLoop
import Metrics
import Postgres
import TestKit
import Testing
import WaitKit

@testable import Server
@testable import ServerKit

/// Whether the database is up is asked of the database, not of its tables.
@Suite struct DatabaseProbes {
    @Test func `a locked table is no database that is down`() async throws {
        var holder: BlockingConnection?
        try await withObservedSchool(
            before: { school in
                holder = try BlockingConnection(school.ownerURL)
                try holder?.execute("begin")
                try holder?.execute("lock table school.export_snapshot in access exclusive mode")
            }
        ) { _, _, metrics in
            // The figures of the deployment wait for the table all the while.
            let page = try await MetricsPage(of: metrics, when: "homeroom_database_up", is: 1)
            #expect(!page.families.contains { $0.name == "homeroom_imports_unfinished" })
            #expect(page.families.contains { $0.name == "homeroom_database_lock_wait_seconds" })
            try holder?.execute("rollback")
        }
    }

    @Test func `the longest wait for a lock is exported, whoever waits`() async throws {
        try await withSchool { school in
            let (holder, waiting) = (
                try BlockingConnection(school.ownerURL), try BlockingConnection(school.ownerURL)
            )
            try holder.execute("begin")
            try holder.execute("lock table school.person in access exclusive mode")
            #expect(try await wait(in: school) == 0, "nobody waits yet")
            let waits = Task.detached { try waiting.query("select from school.person limit 1") }
            try await eventually {
                try !school.sql("select from pg_locks where not granted and waitstart is not null")
                    .isEmpty
            }
            #expect(try await self.wait(in: school) > 0)
            try holder.execute("rollback")
            _ = try await waits.value
        }
    }

    /// What a probe says at its first look.
    private func wait(in school: TestSchool) async throws -> Double {
        let loop = try Loop()
        loop.start()
        defer { loop.stop() }
        let pool = Pool(Pool.Settings(school.ownerURL + " user=school_server"), on: loop)
        let probe = DatabaseProbe(beside: pool, everyMilliseconds: 10_000)
        loop.execute { probe.start() }
        let text = try await awaited(until: { $0.contains("homeroom_database_up 1\n") }) {
            var metrics = Exposition()
            probe.export(to: &metrics)
            return String(decoding: metrics.bytes, as: UTF8.self)
        }
        await withCheckedContinuation { done in
            loop.execute {
                probe.stop()
                done.resume()
            }
        }
        return try MetricsPage(parsing: text).value("homeroom_database_lock_wait_seconds")
    }
}
