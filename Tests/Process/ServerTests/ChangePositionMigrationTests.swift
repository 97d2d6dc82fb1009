import AloneKit
import Postgres
import Server
import TestKit
import Testing

@testable import ServerKit

/// Migration 0052: positions that clients and webhooks hold stay valid.
@Suite struct ChangePositionMigration {
    private static let name = "migrations/0052_change_positions.sql"
    private static let hillside = "0190f0c0-0000-7000-8000-000000000001"

    /// What the migration found: positions were numbers of transactions.
    private static let before: Command = """
        drop table school.change_transaction cascade;
        drop trigger mark_transaction on school.change;
        alter table school.webhook drop column sent_position cascade, add column sent_transaction xid8 not null;
        alter table school.change_feed
            alter column forgotten_through type xid8 using forgotten_through::text::xid8;
        delete from school.migration where name = 'migrations/0052_change_positions.sql';
        update school.applied_schema set sha256 = sha256('older');
        """

    /// The shape of the schema; columns that are gone are not part of it, nor is the order of the others, in which
    /// functions name them.
    private func definitions(of empty: EmptyDatabase) throws -> [String] {
        try empty.shape().split(separator: "\n").filter { !$0.contains("pg.dropped") }
            .map { $0.hasSuffix(",") ? String($0.dropLast()) : String($0) }.sorted()
    }

    @Test(.alone) func `what was noted keeps its number, and what follows gets higher ones`() throws
    {
        try withEmptyDatabase { empty in
            _ = try empty.migrate()
            let shape = try definitions(of: empty)
            let connection = try empty.connect()
            try connection.execute(Self.before)
            try connection.query(
                """
                insert into school.organization (organization_id, name)
                values (\(Self.hillside)::text::uuid, 'Hillside')
                """)
            try connection.query(
                """
                insert into school.change (organization_id, transaction, kind, subject_id, what)
                select \(Self.hillside)::text::uuid, t::xid8, 'person', gen_random_uuid(), 'changed'
                  from unnest(array['5', '5', '7']) as t
                """)
            try connection.query(
                """
                insert into school.change_feed (organization_id, forgotten_through)
                values (\(Self.hillside)::text::uuid, '4')
                """)
            let highest = try connection.query(
                "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as number")[0]
                .int("number")
            #expect(try empty.migrate().applied == [Self.name])
            #expect(try definitions(of: empty) == shape)

            try connection.query(
                """
                insert into school.change (organization_id, kind, subject_id, what)
                values (\(Self.hillside)::text::uuid, 'person', gen_random_uuid(), 'changed')
                """)
            let positions = try connection.query(
                """
                select t.position, count(*) as changes
                  from school.change_transaction as t join school.change as c using (organization_id, transaction)
                 group by t.position order by t.position
                """)
            #expect(try positions.map { try $0.int("changes") } == [2, 1, 1])
            #expect(try positions[0].int("position") == 5 && positions[1].int("position") == 7)
            #expect(try positions[2].int("position") > highest)
            #expect(
                try connection.query("select forgotten_through from school.change_feed")[0]
                    .int("forgotten_through") == 4)
        }
    }

    @Test func `a webhook goes on where it stopped`() throws {
        try withEmptyDatabase { empty in
            _ = try empty.migrate()
            let connection = try empty.connect()
            try connection.execute(Self.before)
            // Begun by hand: the trigger of the functions that are there now knows only the new column.
            try connection.execute(
                """
                alter table school.webhook disable trigger begin_webhook;
                insert into school.organization (organization_id, name)
                values ('0190f0c0-0000-7000-8000-000000000001', 'Hillside');
                insert into school.webhook (organization_id, webhook_id, name, url, kinds, secret, feed_id,
                                            sent_transaction, sent_kind)
                values ('0190f0c0-0000-7000-8000-000000000001', gen_random_uuid(), 'Library',
                        'https://library.example/', '{person}', sha256('secret'), gen_random_uuid(), '6', 'class');
                alter table school.webhook enable trigger begin_webhook;
                """)
            _ = try empty.migrate()
            let webhook = try connection.query(
                "select sent_position, sent_kind from school.webhook")[0]
            #expect(try webhook.int("sent_position") == 6 && webhook.text("sent_kind") == "class")
        }
    }
}
