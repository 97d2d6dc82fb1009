import Foundation
import Postgres
import Synchronization
import TestKit
import Testing
import WaitKit

@testable import Server
@testable import ServerKit

/// `SQL/README.md`: one transaction under a lock, so that a kill at any step leaves the previous state.
@Suite struct Migrations {
    @Test func `an empty database gets everything, and a second time nothing`() throws {
        try withEmptyDatabase { empty in
            let first = try empty.migrate()
            #expect(!first.wasCurrent)
            #expect(first.applied == empty.definitions.names(in: "migrations"))
            let before = try empty.shape()
            let appliedAt = try empty.appliedAt()

            let second = try empty.migrate()
            #expect(second.wasCurrent && second.applied.isEmpty)
            #expect(try empty.shape() == before)
            #expect(try empty.appliedAt() == appliedAt)
        }
    }

    @Test func `applying everything afresh changes nothing`() throws {
        try withEmptyDatabase { empty in
            _ = try empty.migrate()
            let before = try empty.shape()
            try empty.definitions.append("-- said more clearly\n", to: "policies/audit.sql")
            let again = try empty.migrate()
            #expect(!again.wasCurrent && again.applied.isEmpty)
            #expect(try empty.shape() == before)
        }
    }

    @Test(arguments: [
        "roles.sql", "migrations/0001_directory.sql", "migrations/0010_audit.sql",
        "functions/audit/events.sql",
        "policies/access.sql", "policies/imports.sql",
    ])
    func `a failure at any step leaves an empty database empty`(file: String) throws {
        try withEmptyDatabase { empty in
            let script = try empty.definitions.read(file)
            try empty.definitions.append("\nselect 1 / 0;\n", to: file)
            let failure = #expect(throws: (any Error).self) { try empty.migrate() }
            #expect("\(String(describing: failure))".contains("SQL/\(file)"))
            #expect(try empty.isEmpty())

            try empty.definitions.write(script, to: file)
            #expect(try !empty.migrate().wasCurrent)
            #expect(try empty.migrate().wasCurrent)
        }
    }

    @Test(arguments: [
        "migrations/9000_more.sql", "functions/zz_more.sql", "policies/zz_more.sql",
    ])
    func `a failure leaves the previous version, and migration continues once it is fixed`(
        file: String
    ) throws {
        try withEmptyDatabase { empty in
            _ = try empty.migrate()
            let before = try empty.shape()
            let begin = "set local role school_owner;\ncreate table school.half (id uuid);\n"
            try empty.definitions.write(begin + "select 1 / 0;\n", to: file)
            let failure = #expect(throws: (any Error).self) { try empty.migrate() }
            #expect("\(String(describing: failure))".contains("SQL/\(file)"))
            #expect(try empty.shape() == before)

            try empty.definitions.write(begin, to: file)
            let mended = try empty.migrate()
            #expect(mended.applied == (file.hasPrefix("migrations/") ? [file] : []))
            #expect(try empty.shape().contains("column half.id uuid"))
        }
    }

    @Test func `a connection that breaks leaves the previous version`() throws {
        try withEmptyDatabase { empty in
            _ = try empty.migrate()
            let before = try empty.shape()
            try empty.definitions.write(
                """
                set local role school_owner;
                create table school.half (id uuid);
                reset role;
                select pg_terminate_backend(pg_backend_pid());
                """, to: "migrations/9000_more.sql")
            #expect(throws: (any Error).self) { try empty.migrate() }
            #expect(try empty.shape() == before)
        }
    }

    @Test func `a changed old migration is refused by its name`() throws {
        try withEmptyDatabase { empty in
            _ = try empty.migrate()
            let before = try empty.shape()
            try empty.definitions.append("-- and more\n", to: "migrations/0005_handouts.sql")
            let failure = #expect(throws: (any Error).self) { try empty.migrate() }
            #expect(
                "\(String(describing: failure))".contains("SQL/migrations/0005_handouts.sql"))
            #expect(try empty.shape() == before)
        }
    }

    @Test func `policies, rights and functions that left their files are gone`() throws {
        try withEmptyDatabase { empty in
            try empty.definitions.write(
                """
                set local role school_owner;
                create or replace function school.brief() returns integer language sql return 1;
                """, to: "functions/zz_more.sql")
            _ = try empty.migrate()
            let before = try empty.shape()
            #expect(before.contains("directory people read the events of their organization"))
            #expect(before.contains("school.brief()"))
            #expect(try empty.isGranted())

            try empty.definitions.write("set local role school_owner;\n", to: "policies/audit.sql")
            try empty.definitions.remove("functions/zz_more.sql")
            _ = try empty.migrate()
            let after = try empty.shape()
            #expect(!after.contains("directory people read the events of their organization"))
            #expect(!after.contains("school.brief()"))
            #expect(try !empty.isGranted())
        }
    }

    @Test func `two migrations at once run one after the other`() throws {
        try withEmptyDatabase { empty in
            let outcomes = Mutex<[Result<Migrator.Outcome, any Error>]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                let outcome = Result { try empty.migrate() }
                outcomes.withLock { $0.append(outcome) }
            }
            let both = try outcomes.withLock { $0 }.map { try $0.get() }
            #expect(both.count == 2)
            #expect(both.count { !$0.applied.isEmpty } == 1, "the other finds it done")
            #expect(try empty.migrate().wasCurrent)
        }
    }

    /// A session that looked before keeps in memory that there was nothing.
    @Test func `one that waited sees what was applied meanwhile`() async throws {
        try await withEmptyDatabase { empty in
            let first = try empty.connect()
            let digest = try Definitions(folder: empty.definitions.folder).version.digest
            try first.execute("begin")
            try first.query("select pg_advisory_xact_lock(7166420318233)")
            async let second = onThread { try empty.migrate() }
            try await eventually {
                let waiting = try empty.connect().query(
                    """
                    select from pg_locks as l join pg_database as d on d.oid = l.database
                     where d.datname = current_database() and l.locktype = 'advisory' and not l.granted
                    """)
                return !waiting.isEmpty
            }
            try first.execute("create schema school")
            try first.execute("create table school.applied_schema (sha256 bytea not null)")
            try first.query("insert into school.applied_schema values (\(digest))")
            try first.execute("create table school.applied_object (kind text, fingerprint text)")
            try first.query(
                """
                insert into school.applied_object
                values ('server', concat_ws('/', current_setting('server_version_num')::integer / 10000,
                                           (select system_identifier from pg_control_system())))
                """)
            try first.execute("commit")
            #expect(try await second.wasCurrent)
        }
    }

    @Test func `the owner of a database who may create roles needs no superuser`() throws {
        try withFreshServer { url in
            let administration = try BlockingConnection(url("postgres", nil))
            try administration.execute("create role keeper login createrole")
            try administration.execute("create database kept owner keeper")
            let definitions = try DefinitionsCopy()
            defer { definitions.discard() }
            func migrate(isWhole: Bool = false) throws -> Migrator.Outcome {
                try Migrator(definitions: Definitions(folder: definitions.folder))
                    .migrate(BlockingConnection(url("kept", "keeper")), isWhole: isWhole)
            }
            #expect(try migrate().applied == definitions.names(in: "migrations"))
            try definitions.append("-- said more clearly\n", to: "policies/audit.sql")
            #expect(try !migrate().wasCurrent)
            #expect(try !migrate(isWhole: true).wasCurrent)

            let server = try BlockingConnection(url("kept", "school_server"))
            let digest = try server.query("select school.schema_digest() is not null as is_set")
            #expect(try digest[0].bool("is_set"))
            let keeper = try BlockingConnection(url("kept", "keeper")).query(
                "select rolsuper from pg_roles where rolname = current_user")
            #expect(try !keeper[0].bool("rolsuper"))
        }
    }

    @Test func `a login that creates no roles applies a newer version`() throws {
        try withEmptyDatabase { empty in
            _ = try empty.migrate()
            try empty.definitions.write(
                "set local role school_owner;\ncreate table school.later (id uuid);\n",
                to: "migrations/9000_later.sql")
            let outcome = try empty.migrateAsOwnersLogin()
            #expect(outcome.applied == ["migrations/9000_later.sql"])
            #expect(try empty.migrate().wasCurrent)
        }
    }
}
