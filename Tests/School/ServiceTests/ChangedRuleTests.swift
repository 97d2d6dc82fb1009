import Postgres
import Records
import TestKit
import Testing

@testable import Server
@testable import ServerKit

/// Whatever is changed in the catalogue by hand is found by name, and nothing else is.
@Suite struct ChangedRules {
    private static let planted =
        PlantedRule.policies + PlantedRule.rights + PlantedRule.functions + PlantedRule.tables
        + PlantedRule.constraints

    @Test(arguments: planted)
    func `a rule that was changed by hand is found by name`(rule: PlantedRule) async throws {
        try await withSchool { school in
            #expect(try school.differences() == [])
            let owner = try BlockingConnection(school.ownerURL)
            try owner.execute(rule.plant)
            let found = try school.differences()
            // What used a dropped table goes with it.
            let isAlone = rule.testDescription != "a table dropped"
            #expect(Set(rule.texts).isSubset(of: found), "\(found)")
            if isAlone { #expect(found.sorted() == rule.texts.sorted()) }
        }
    }

    @Test(arguments: planted.filter(\.isPutBack))
    func `migrate --whole puts back what it can, and a plain one says what it found`(
        rule: PlantedRule
    ) async throws {
        try await withSchool { school in
            let owner = try BlockingConnection(school.ownerURL)
            try owner.execute(rule.plant)
            #expect(try school.migrate().wasCurrent)
            #expect(try school.differences().sorted() == rule.texts.sorted())
            _ = try school.migrate(isWhole: true)
            #expect(try school.differences() == [])
        }
    }

    @Test func `all triggers of a table disabled are found, and put back`() async throws {
        try await withSchool { school in
            try school.sql("alter table school.handout disable trigger all")
            let found = try school.differences()
            #expect(
                found.contains(
                    "The foreign keys of the table handout are not enforced: its triggers are disabled."
                ))
            #expect(found.count { $0.hasPrefix("A trigger is not as its file says") } > 1)
            _ = try school.migrate(isWhole: true)
            #expect(try school.differences() == [])
        }
    }

    /// Roles are of all databases of a server, so each is changed in a transaction that nobody else sees.
    @Test(
        arguments: [
            (
                "alter role school_teacher bypassrls",
                "The role school_teacher may do what no file gives it: bypassrls."
            ),
            (
                "alter role school_server superuser",
                "The role school_server may do what no file gives it: superuser."
            ),
            (
                "alter role school_server inherit",
                "The role school_server may do what no file gives it: inherit."
            ),
            (
                "alter role school_student login",
                "The role school_student may do what no file gives it: login."
            ),
            (
                "alter role school_administrator noinherit",
                "The role school_administrator lacks what a file gives it: inherit."
            ),
            (
                "grant school_owner to school_app",
                "A membership that no file has: school_app may act as school_owner."
            ),
            (
                "grant school_administrator to school_teacher",
                "A membership that no file has: school_teacher may act as school_administrator."
            ),
            (
                "grant school_teacher to pg_monitor",
                "A membership that no file has: pg_monitor may act as school_teacher."
            ),
            (
                "grant pg_read_all_data to school_student",
                "A membership that no file has: school_student may act as pg_read_all_data."
            ),
            (
                "revoke school_standing from school_teacher",
                "A membership is missing: school_teacher may not act as school_standing."
            ),
            (
                "alter role school_server set session_replication_role = replica",
                "A setting that no file has, for school_server: session_replication_role=replica."
            ),
            (
                "alter role school_server set school.organization = 'x'",
                "A setting that no file has, for school_server: school.organization=x."
            ),
        ] as [(Command, String)])
    func `a role that may do more or less is found`(change: Command, text: String) async throws {
        try await withSchool { school in
            let connection = try BlockingConnection(school.ownerURL)
            try connection.execute("begin")
            defer { try? connection.execute("rollback") }
            try connection.execute(change)
            let comparison = try RuleComparison(
                Definitions(folder: TestDatabase.sqlFolder), connection)
            #expect(comparison.differences.map(\.text) == [text])
            #expect(comparison.errors.count == 1)
        }
    }

    @Test
    func `a missing index is a warning that says how to make it again, and a constraint an error`()
        async throws
    {
        try await withSchool { school in
            try school.sql("drop index school.access_token_expiry")
            try school.sql("alter table school.seat drop constraint seat_role")
            let comparison = try school.compared()
            #expect(comparison.errors.map(\.kind) == [.constraint])
            try school.sql(
                """
                create function pg_temp.run(command text) returns void language plpgsql
                    as $$ begin execute command; end $$
                """)
            for difference in comparison.differences {
                let command = try #require(difference.advice.split(separator: ": ").last)
                try school.sql("select pg_temp.run(\(String(command)))")
            }
            #expect(try school.differences() == [])
        }
    }

    @Test func `a database that was used is as a new one`() async throws {
        try await withSchool { school in
            try school.sql("select school.make_audit_months()")
            try school.sql(
                "create table school.audit_event_2031_04 partition of school.audit_event for values from ('2031-04-01') to ('2031-05-01')"
            )
            try school.sql("alter table school.audit_event_2031_04 owner to school_owner")
            try school.sql("alter table school.audit_event_2031_04 enable row level security")
            try school.sql("create statistics school.more on role, class_id from school.seat")
            try school.sql("create schema others")
            try school.sql("create table others.person (name text)")
            #expect(try school.differences() == [])
            try school.sql("alter table school.audit_event_2031_04 disable row level security")
            try school.sql("grant select on school.audit_event_2031_04 to school_teacher")
            #expect(
                try school.differences() == [
                    "A right that no file grants: school_teacher SELECT on audit_event_2031_04.",
                    "Row security is off, or forced, on the table audit_event_2031_04.",
                ])
        }
    }

    @Test func `a database of another version is not compared, and that is said`() async throws {
        try await withSchool { school in
            try school.sql("create policy everyone on school.seat using (true)")
            try school.sql("update school.applied_schema set sha256 = sha256('newer')")
            let comparison = try school.compared()
            #expect(comparison.differences.isEmpty && !comparison.isCompared)
            #expect(comparison.leftOut.map { $0.contains("of another version") } == [true])
        }
    }

    @Test func `after an upgrade of PostgreSQL a migration notes afresh how it prints things`()
        async throws
    {
        try await withSchool { school in
            try school.sql(
                "update school.applied_object set fingerprint = '14' where kind = 'server'")
            try school.sql(
                "update school.applied_object set fingerprint = 'x' where kind = 'policy'")
            let comparison = try school.compared()
            #expect(comparison.differences.isEmpty)
            #expect(comparison.leftOut.map { $0.contains("has not printed them") } == [true])
            #expect(try !school.migrate().wasCurrent)
            #expect(try school.compared().leftOut == [])
            #expect(try school.differences() == [])
        }
    }
}

extension TestSchool {
    /// As the server's login sees it.
    fileprivate func compared() throws -> RuleComparison {
        try RuleComparison(
            Definitions(folder: TestDatabase.sqlFolder),
            BlockingConnection(ownerURL + " user=school_server"))
    }

    fileprivate func differences() throws -> [String] { try compared().differences.map(\.text) }

    fileprivate func migrate(isWhole: Bool = false) throws -> Migrator.Outcome {
        try Migrator(definitions: Definitions(folder: TestDatabase.sqlFolder))
            .migrate(BlockingConnection(ownerURL), isWhole: isWhole)
    }
}
