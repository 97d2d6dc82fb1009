import EventLoop
import Metrics
import Postgres
import TestKit
import Testing
import WaitKit

@testable import Server
@testable import ServerKit

/// When the rules in the database are compared.
@Suite struct RulesWatchTests {
    @Test func `the rules are compared again when an hour is over, however many timers that took`()
        async throws
    {
        try await withSchool { school in
            let loop = try Loop(time: .manual())
            loop.start()
            defer { loop.stop() }
            let watch = RulesWatch(
                folder: TestDatabase.sqlFolder, database: school.ownerURL + " user=school_server",
                log: nil)
            defer { loop.execute { watch.stop() } }
            loop.execute { watch.start(on: loop) }
            try await eventually { try Self.changed(watch) == 0 }
            try school.sql(
                "create policy everyone on school.class for select to school_teacher using (true)")
            // The hour passes in one turn, as when a loop is held up, and only one timer is due in it.
            loop.execute { loop.time.pass(milliseconds: 3_600_000) }
            await loop.advance(milliseconds: 0)
            try await eventually { try Self.changed(watch) == 1 }
        }
    }

    /// How many changed rules the metrics count, once they are counted.
    private static func changed(_ watch: RulesWatch) throws -> Double? {
        var metrics = Exposition()
        watch.export(to: &metrics)
        guard !metrics.bytes.isEmpty else { return nil }
        return try MetricsPage(parsing: String(decoding: metrics.bytes, as: UTF8.self))
            .value("homeroom_rules_changed")
    }
}
