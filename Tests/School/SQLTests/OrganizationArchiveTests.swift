import Files
import Foundation
import Postgres
import School
import TestKit
import Testing

@testable import Server

/// Everything of one school leaves as files, and another Homeroom takes it in.
@Suite struct OrganizationArchives {
    /// A folder of its own that is gone when the body ends.
    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "archive-\(Foundation.UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    /// A Homeroom without any organization.
    private func withOtherHomeroom(_ body: (BlockingConnection) throws -> Void) throws {
        let databases = try TestDatabase.shared()
        let name = try databases.createEmpty()
        defer { databases.drop(name) }
        let url = databases.url(name, user: nil)
        _ = try Migrator(definitions: Definitions(folder: TestDatabase.sqlFolder)).migrate(
            BlockingConnection(url))
        try body(owner(url))
    }

    private func owner(_ url: String) throws -> BlockingConnection {
        let connection = try BlockingConnection(url)
        try connection.execute("set role school_owner")
        return connection
    }

    private func archive(
        _ connection: BlockingConnection, _ id: OrganizationID, to folder: String,
        keepsSessions: Bool = false
    ) throws -> ArchiveManifest {
        try OrganizationArchive(connection, id, keepsSessions: keepsSessions).write(to: folder)
    }

    /// The digest of each table.
    private func digests(_ manifest: ArchiveManifest) -> [String: String] {
        Dictionary(uniqueKeysWithValues: manifest.tables.map { ($0.name, $0.sha256) })
    }

    @Test func `a school comes back with every table as it was, and no other is touched`()
        async throws
    {
        try await withPopulatedSchool { populated in
            try await withFolder { folder in
                let school = populated.school
                let here = try owner(school.ownerURL)
                let made = try archive(
                    here, school.hillside, to: "\(folder)/hillside", keepsSessions: true)
                #expect(made.rows > 100)
                try withOtherHomeroom { other in
                    let read = try ArchiveManifest(of: "\(folder)/hillside")
                    #expect(digests(read) == digests(made) && read.digest == made.digest)
                    try OrganizationRestore(
                        other, read, "\(folder)/hillside", keepsSessions: true
                    ).run()
                    let again = try archive(
                        other, school.hillside, to: "\(folder)/again", keepsSessions: true)
                    let different = digests(again).filter { digests(made)[$0.key] != $0.value }
                    // The event that says that it was restored, and that of the second archive.
                    #expect(Set(different.keys) == ["audit_event", "audit_unsealed"])
                    let organizations = try other.query("select from school.organization")
                    #expect(organizations.count == 1)
                    let paused = try other.query("select from pg_trigger where tgenabled = 'D'")
                    #expect(paused.count == 0)
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `nobody goes on without signing in, whatever an archive brings`(
        isBrought: Bool
    ) async throws {
        try await withPopulatedSchool { populated in
            try await withFolder { folder in
                let school = populated.school
                let tokens: Statement = "select from school.access_token"
                #expect(try school.sql(tokens).count > 0, "there are some to bring")
                let path = "\(folder)/hillside"
                let made = try archive(
                    try owner(school.ownerURL), school.hillside, to: path, keepsSessions: isBrought)
                let files = Set(made.tables.map(\.name))
                let sessions = ArchiveManifest.sessionTables
                #expect(files.intersection(sessions) == (isBrought ? sessions : []))
                try withOtherHomeroom { other in
                    try OrganizationRestore(other, try ArchiveManifest(of: path), path).run()
                    #expect(try other.query("select from school.person").count > 5)
                    let found = try other.query(
                        """
                        select t.table_name from school.archived_tables() as t
                         cross join lateral school.archived_rows(\(school.hillside), t.table_name, t.columns)
                         where t.table_name = any (\(sessions.sorted()))
                        """)
                    #expect(found.count == 0)
                }
            }
        }
    }

    /// The archive as a version made it whose tables lacked those columns.
    private func leaveOut(
        _ left: Set<String>, of table: String, from made: ArchiveManifest, in folder: String,
        _ connection: BlockingConnection
    ) throws -> ArchiveManifest {
        let tables = try made.tables.map { entry in
            guard entry.name == table else { return entry }
            let columns = entry.columns.filter { !left.contains($0) }
            var lines: [UInt8] = []
            let older = try ArchivedRows(of: made.organizationID, table, columns)
                .read(connection) { lines.append(contentsOf: $0) }
            try File.overwriting("\(folder)/\(entry.file)", mode: 0o600).append(lines)
            return older
        }
        return ArchiveManifest(
            organizationID: made.organizationID, organizationName: made.organizationName,
            takenAt: made.takenAt, tables: tables)
    }

    @Test func `secrets of an older archive arrive as they are, for a server to seal`()
        async throws
    {
        try await withPopulatedSchool { populated in
            try await withFolder { folder in
                let school = populated.school
                let here = try owner(school.ownerURL)
                try school.sql(
                    """
                    update school.sign_in_provider set client_secret = 'a word', sealed_secret = null, key_id = null
                    """)
                let path = "\(folder)/hillside"
                let made = try archive(here, school.hillside, to: path)
                let older = try leaveOut(
                    ["sealed_secret", "key_id"], of: "sign_in_provider", from: made, in: path, here)
                try withOtherHomeroom { other in
                    try OrganizationRestore(other, older, path).run()
                    let found = try other.query(
                        """
                        select convert_from(secret, 'UTF8') as word from school.unsealed_secrets()
                         where kind = 'signInProvider'
                        """)
                    #expect(try found.map { try $0.text("word") } == ["a word"])
                }
            }
        }
    }

    @Test func `no table with an organization is forgotten`() async throws {
        try await withPopulatedSchool { populated in
            let school = populated.school
            let missing: Statement = """
                select c.relname::text as label from pg_class as c
                  join pg_attribute as a on a.attrelid = c.oid and a.attname = 'organization_id'
                 where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
                   and c.relname not in (select t.table_name from school.archived_tables() as t)
                """
            #expect(
                try populated.labels(missing) == [
                    "change", "change_feed", "change_transaction", "development_directory",
                    "organization_deletion", "organization_move", "roster_place",
                ])
            try school.sql(
                """
                create table school.locker (organization_id uuid references school.organization, number integer)
                """)
            try school.sql(
                "insert into school.locker values (\(school.hillside), 7), (\(school.elsewhere), 8)"
            )
            let rows = try school.sql(
                """
                select t.table_name, r.line from school.archived_tables() as t
                 cross join lateral school.archived_rows(\(school.hillside), t.table_name, t.columns) as r (line)
                 where t.table_name = 'locker'
                """)
            #expect(rows.count == 1)
            #expect(try rows.first?.text("line").contains("\"number\":7") == true)
        }
    }

    @Test func `what is here already or was changed is refused, and nothing is written`()
        async throws
    {
        try await withPopulatedSchool { populated in
            try await withFolder { folder in
                let school = populated.school
                let here = try owner(school.ownerURL)
                let path = "\(folder)/hillside"
                let manifest = try archive(here, school.hillside, to: path)
                #expect(throws: CommandFailure.self) {
                    try OrganizationRestore(here, manifest, path).run()
                }
                #expect(throws: CommandFailure.self) {
                    try archive(here, school.hillside, to: path)
                }
                let bytes = try File.contents(of: "\(path)/person.ndjson", limit: 1 << 24)
                let text = String(decoding: bytes, as: UTF8.self)
                let forged = text.replacingOccurrences(of: "Sam", with: "Pam")
                #expect(forged != text)
                try File.overwriting("\(path)/person.ndjson", mode: 0o600).append(
                    Array(forged.utf8))
                try withOtherHomeroom { other in
                    #expect(throws: CommandFailure.self) {
                        try OrganizationRestore(other, manifest, path).run()
                    }
                    let organizations = try other.query("select from school.organization")
                    #expect(organizations.count == 0)
                }
            }
        }
    }

    @Test func `a deleted school leaves no row, and the others are as they were`() async throws {
        try await withPopulatedSchool { populated in
            try await withFolder { folder in
                let school = populated.school
                let here = try owner(school.ownerURL)
                let before = try archive(here, school.elsewhere, to: "\(folder)/before")
                try school.sql("delete from school.retention_hold")
                try school.sql("delete from school.organization_deletion")
                let ordered = try school.sql(
                    "select outcome from school.order_deletion(\(school.hillside), 30)")
                #expect(try ordered[0].text("outcome") == "ordered")
                #expect(try steps(school) == 0, "it waits")
                try school.sql(
                    """
                    update school.organization_deletion
                       set ordered_at = ordered_at - interval '31 days', due_at = due_at - interval '31 days'
                    """)
                #expect(try steps(school) > 20)
                let left = try school.sql(
                    """
                    select t.table_name from school.archived_tables() as t
                     cross join lateral school.archived_rows(\(school.hillside), t.table_name, t.columns)
                    """)
                #expect(left.count == 0)
                let after = try archive(here, school.elsewhere, to: "\(folder)/after")
                let different = digests(after).filter { digests(before)[$0.key] != $0.value }
                #expect(
                    Set(different.keys).isSubset(of: [
                        "audit_event", "audit_unsealed", "retention_hold",
                    ]))
            }
        }
    }

    /// Lets the upkeep work until there is nothing to do; returns in how many steps.
    private func steps(_ school: TestSchool) throws -> Int {
        try school.letClockProveRight()
        let connection = try BlockingConnection(school.ownerURL)
        var steps = 0
        while try connection.query(
            "select is_more from school.delete_ending(\(school.hillside), 5)",
            as: Identity(role: "school_server"))[0].bool("is_more")
        {
            steps += 1
        }
        return steps
    }
}
