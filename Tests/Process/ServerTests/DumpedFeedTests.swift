import AloneKit
import HTTPWire
import JSONBytes
import Postgres
import School
import Server
import TestKit
import Testing
import Values

@testable import ServerKit

/// Following changes after a dump was restored into a new server, where numbers of transactions begin again.
@Suite(.alone) struct DumpedFeeds {
    /// What a dump holds of transactions whose numbers are still to come here.
    private static let dump: Statement = """
        do $$
        declare
            next constant bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
        begin
            perform set_config('session_replication_role', 'replica', true);
            insert into school.change (organization_id, transaction, kind, subject_id, what)
            select organization_id, (next + n)::text::xid8, 'term', gen_random_uuid(), 'changed'
              from school.organization cross join generate_series(0, 20000) as n;
            insert into school.change_transaction (organization_id, transaction, position)
            select organization_id, (next + n)::text::xid8, n + 1
              from school.organization cross join generate_series(0, 20000) as n;
        end $$
        """

    private func position(_ school: TestSchool) async throws -> String {
        let answer = try await school.get("/v1/changes", as: .ada)
        return try #require(answer.json["position"]?.text)
    }

    /// Changes a class, and returns what a client learns of it.
    private func learned(from position: String, _ school: TestSchool) async throws -> [String] {
        try school.sql(
            """
            update school.class set room = coalesce(room, '') || '1' where class_id = \(school.biology)
            """)
        let answer = try await school.get("/v1/changes?after=\(position)", as: .ada)
        #expect(answer.status == 200, "\(answer.text)")
        return (answer.json["items"]?.array ?? []).compactMap { $0["kind"]?.text }
    }

    @Test func `a migration lets clients follow anew, and nothing is missed`() async throws {
        try await withSchool { school in
            let migrator = try Migrator(definitions: Definitions(folder: TestDatabase.sqlFolder))
            func migrate() throws -> Bool {
                try migrator.migrate(BlockingConnection(school.ownerURL)).wasCurrent
            }
            _ = try migrate()
            #expect(try await learned(from: position(school), school) == ["class"])
            #expect(try migrate(), "numbers of this server stay")
            try school.sql(Self.dump)
            let before = try await position(school)
            #expect(try await learned(from: before, school) == [], "the number was given before")
            #expect(try !migrate())
            let refused = try await school.get("/v1/changes?after=\(before)", as: .ada)
            #expect(refused.status == 400 || refused.status == 410)
            #expect(try await learned(from: position(school), school) == ["class"])
            #expect(try migrate())
        }
    }

    @Test func `after a restore webhooks send what they had yet to send, and then the next`()
        async throws
    {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.webhook (organization_id, webhook_id, name, url, kinds, secret)
                values (\(school.hillside), gen_random_uuid(), 'Library', 'https://library.example/', '{class}',
                        sha256('secret'))
                """)
            func sent() throws -> [Int] {
                try school.sql("select school.hand_over_changes(\(school.hillside))")
                return try school.sql(
                    "select change_count from school.webhook_delivery order by created_at, delivery_id"
                ).map { try $0.int("change_count") }
            }
            try school.sql("update school.class set room = '12' where class_id = \(school.biology)")
            try school.sql("select from school.end_all_sign_ins()")
            #expect(try school.sql("select from school.change_transaction").isEmpty)
            #expect(try sent() == [1])
            try school.sql("update school.class set room = '13' where class_id = \(school.biology)")
            #expect(try sent() == [1, 1])
        }
    }
}
