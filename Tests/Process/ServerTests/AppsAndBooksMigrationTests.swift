import AloneKit
import Postgres
import Server
import TestKit
import Testing

@testable import ServerKit

/// Migration 0100: what device managers had goes, and licences stay.
@Suite(.alone, .serialized) struct AppsAndBooksMigration {
    private static let name = "migrations/0100_no_apps_and_books.sql"

    /// A device manager with everything that belonged to one, and a licence that it gave.
    private static let population: Command = """
        insert into school.organization (organization_id, name)
        values ('0190f0c0-0000-7000-8000-000000000001', 'Hillside');
        insert into school.location (organization_id, location_id, name)
        select organization_id, '0190f0c0-0000-7000-8000-000000000002', 'Main building' from school.organization;
        insert into school.service_account (organization_id, service_account_id, name, role, secret_digest)
        select organization_id, gen_random_uuid(), role, role, sha256(role::bytea)
          from school.organization, unnest(array['deviceManager', 'exporter']) as role;
        insert into school.access_token (organization_id, digest, standing, service_account_id, expires_at)
        select organization_id, sha256(role::bytea), role, service_account_id, now() + interval '1 day'
          from school.service_account;
        insert into school.content_library (organization_id, location_id, country)
        select organization_id, location_id, 'DE' from school.location;
        insert into school.content_token (organization_id, service_account_id, location_id)
        select a.organization_id, a.service_account_id, l.location_id
          from school.service_account as a join school.location as l using (organization_id)
         where a.role = 'deviceManager';
        insert into school.content_event (organization_id, event_id, location_id, kind, requested_count, completed_count)
        select organization_id, gen_random_uuid(), location_id, 'ASSOCIATE', 1, 1 from school.location;
        insert into school.app (organization_id, adam_id, bundle_id, name, product_type, is_device_assignable, is_revocable)
        select organization_id, '990011223', 'org.example.chess', 'Chess', 'App', true, true from school.organization;
        insert into school.pool (organization_id, adam_id, location_id, total_count)
        select organization_id, '990011223', location_id, 2 from school.location;
        insert into school.licence (organization_id, licence_id, adam_id, location_id, serial_number)
        select organization_id, gen_random_uuid(), '990011223', location_id, 'TABLET-1' from school.location;
        """

    /// As the version before left it: its migration is run again, with a policy that looks at one of its tables.
    private func goBack(_ empty: EmptyDatabase, _ connection: BlockingConnection) throws {
        try connection.execute("set role school_owner; set search_path = school, pg_temp")
        let folder = empty.definitions.folder
        try connection.execute(
            script: ScriptText(file: "\(folder)/migrations/0045_apps_and_books.sql"))
        try connection.execute("reset role; reset search_path")
        try connection.execute(
            """
            create policy "device managers assign licences" on school.licence
                for insert to school_administrator
                with check (exists (select from school.content_user));
            delete from school.migration where name = 'migrations/0100_no_apps_and_books.sql';
            update school.applied_schema set sha256 = sha256('older');
            """)
    }

    @Test func `accounts of device managers go, and licences stay`() throws {
        try withEmptyDatabase { empty in
            _ = try empty.migrate()
            let shape = try empty.shape()
            let connection = try empty.connect()
            try goBack(empty, connection)
            try connection.execute(Self.population)
            #expect(try empty.migrate().applied == [Self.name])
            #expect(try empty.shape() == shape)
            let accounts = try connection.query(
                """
                select a.name, (select count(*) from school.access_token) as tokens
                  from school.service_account as a join school.access_token as t using (service_account_id)
                """)
            #expect(try accounts.map { try $0.text("name") } == ["exporter"])
            #expect(try accounts[0].int("tokens") == 1)
            #expect(try connection.query("select from school.service_account").count == 1)
            let pool = try connection.query("select assigned_count from school.pool")[0]
            #expect(try pool.int("assigned_count") == 1)
            #expect(try connection.query("select from school.licence").count == 1)
        }
    }

    @Test func `nobody may act any more as a device manager`() throws {
        try withEmptyDatabase { empty in
            let connection = try empty.connect()
            let members: Statement = """
                select from pg_auth_members
                 where 'school_device_manager'::regrole in (roleid, member) and member::regrole::text like 'school%'
                """
            _ = try empty.migrate()
            try connection.execute(
                """
                create role school_device_manager nologin;
                grant school_standing to school_device_manager;
                grant school_device_manager to school_server;
                update school.applied_schema set sha256 = sha256('older');
                """)
            defer { try? connection.execute("drop role school_device_manager") }
            #expect(try connection.query(members).count == 2)
            _ = try empty.migrate()
            #expect(try connection.query(members).count == 0)
        }
    }
}
