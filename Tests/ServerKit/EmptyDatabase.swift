import Foundation
import Postgres
import Server
import TestKit
import Values

/// An empty database, and a copy of the definitions that a test may break.
struct EmptyDatabase: Sendable {
    let definitions: DefinitionsCopy
    let url: String
    private let databases: TestDatabase

    fileprivate init(_ databases: TestDatabase, _ name: String) throws {
        self.databases = databases
        url = databases.url(name, user: nil)
        definitions = try DefinitionsCopy()
    }

    func migrate(isWhole: Bool = false, patienceSeconds: Int = 60) throws -> Migrator.Outcome {
        try Migrator(
            definitions: Definitions(folder: definitions.folder), patienceSeconds: patienceSeconds
        ).migrate(BlockingConnection(url), isWhole: isWhole)
    }

    func connect() throws -> BlockingConnection { try BlockingConnection(url) }

    /// As a login that is a member of the owner and may do nothing else.
    func migrateAsOwnersLogin() throws -> Migrator.Outcome {
        let connection = try BlockingConnection(url)
        try connection.query(
            """
            do $$ begin
                create role migrations_login login in role school_owner;
            exception when duplicate_object then null;
            end $$
            """)
        try connection.query("set session authorization migrations_login")
        return try Migrator(definitions: Definitions(folder: definitions.folder))
            .migrate(connection)
    }

    func isEmpty() throws -> Bool {
        try BlockingConnection(url).query("select to_regnamespace('school') is null as empty")[0]
            .bool("empty")
    }

    func appliedAt() throws -> Timestamp {
        try BlockingConnection(url).query("select applied_at from school.applied_schema")[0]
            .timestamp("applied_at")
    }

    /// Whether administrators may read events.
    func isGranted() throws -> Bool {
        try BlockingConnection(url).query(
            """
            select has_table_privilege('school_administrator', 'school.audit_event', 'select') as granted
            """)[0].bool("granted")
    }

    /// Everything that the definitions create, as one text; equal texts mean an equal schema.
    func shape() throws -> String { try EmptyDatabase.shape(BlockingConnection(url)) }

    static func shape(_ connection: BlockingConnection) throws -> String {
        try connection.query(
            """
            select string_agg(entry, E'\\n' order by entry) as shape from (
                select format('column %s.%s %s %s', c.relname, a.attname,
                              format_type(a.atttypid, a.atttypmod), a.attnotnull)
                  from pg_attribute as a join pg_class as c on c.oid = a.attrelid
                 where c.relnamespace = 'school'::regnamespace and a.attnum > 0
                union all
                select format('constraint %s on %s %s', conname, conrelid::regclass,
                              pg_get_constraintdef(oid))
                  from pg_constraint where connamespace = 'school'::regnamespace
                union all
                select indexdef from pg_indexes where schemaname = 'school'
                union all
                select format('policy %s', to_jsonb(p)) from pg_policies as p where schemaname = 'school'
                union all
                select format('rights of %s %s %s', relname, relacl, relrowsecurity)
                  from pg_class where relnamespace = 'school'::regnamespace
                union all
                select format('function %s %s %s', oid::regprocedure, proacl, pg_get_functiondef(oid))
                  from pg_proc where pronamespace = 'school'::regnamespace
                union all
                select pg_get_triggerdef(t.oid)
                  from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
                 where c.relnamespace = 'school'::regnamespace and not t.tgisinternal
                union all
                select format('migration %s %s', name, sha256) from school.migration
                union all
                select format('applied %s %s %s', kind, name, sha256) from school.applied_object
                ) as entries (entry)
            """)[0].text("shape")
    }
}

/// Gives the test an empty database; it is gone when the body ends.
func withEmptyDatabase(_ body: (EmptyDatabase) throws -> Void) throws {
    let databases = try TestDatabase.shared()
    let name = try databases.createEmpty()
    defer { databases.drop(name) }
    let empty = try EmptyDatabase(databases, name)
    defer { empty.definitions.discard() }
    try body(empty)
}

/// The same for a test that waits.
func withEmptyDatabase(_ body: (EmptyDatabase) async throws -> Void) async throws {
    let databases = try TestDatabase.shared()
    let name = try databases.createEmpty()
    defer { databases.drop(name) }
    let empty = try EmptyDatabase(databases, name)
    defer { empty.definitions.discard() }
    try await body(empty)
}

/// A copy of the folder `SQL` that a test may change.
struct DefinitionsCopy: Sendable {
    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "homeroom-sql-" + Foundation.UUID().uuidString
        try FileManager.default.copyItem(atPath: TestDatabase.sqlFolder, toPath: folder)
    }

    func discard() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The files of a subfolder and its folders, as `migrations/0001_directory.sql`.
    func names(in subfolder: String) -> [String] {
        let names = try? FileManager.default.subpathsOfDirectory(atPath: "\(folder)/\(subfolder)")
        return (names ?? []).filter { $0.hasSuffix(".sql") }.sorted().map { "\(subfolder)/\($0)" }
    }

    func read(_ file: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
    }

    func write(_ script: String, to file: String) throws {
        try script.write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
    }

    func append(_ script: String, to file: String) throws {
        try write(read(file) + script, to: file)
    }

    func remove(_ file: String) throws {
        try FileManager.default.removeItem(atPath: "\(folder)/\(file)")
    }
}
