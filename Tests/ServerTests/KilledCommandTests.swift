import AloneKit
import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

/// Commands that the kernel kills in the middle of their work, and at random moments. A second one finishes the work.
@Suite(.timeLimit(.minutes(10))) struct KilledCommands {
    @Test func `an import that was killed is brought in by the next one, once`() async throws {
        try await withSchool { school in
            try await withArchive(staff: "T1,,Grace,,Hopper,,,L1") { path in
                let words = ["import", path, "--organization", "\(school.hillside.uuid)"]
                let killer = school.killer(words)
                try await killer.killHeldUp(by: "lock table school.person in share mode")
                let waiting: Statement =
                    "select from school.import where status in ('queued', 'running')"
                #expect(try school.sql(waiting).count == 1, "it is ordered and not done")
                let next = try await school.homeroom.run(words)
                #expect(next.status == 0, "\(next.output)\(next.complaints)")
                let done: Statement = "select from school.import where status = 'succeeded'"
                #expect(try school.sql(done).count == 2, "the killed one, too")

                // One that ends its process more than three times is given up.
                try await killer.killAtRandom(within: 200)
                let run = try await school.homeroom.run(words)
                #expect(run.status == 0, "\(run.output)\(run.complaints)")
                let people = try school.sql("select 1 from school.person where source_id = 'T1'")
                #expect(people.count == 1)
                #expect(try school.sql(waiting).isEmpty, "nothing waits for good")
            }
        }
    }

    @Test func `an undoing that was killed has changed nothing, and can be repeated`() async throws
    {
        try await withSchool { school in
            try await withArchive(staff: "T1,,Grace,,Hopper,,,L1") { path in
                let organization = ["--organization", "\(school.hillside.uuid)"]
                let made = try await school.homeroom.run(
                    ["import", path, "--json"] + organization)
                let id = try #require(made.json["id"]?.text, "\(made.complaints)")
                let words = ["import", "undo", id] + organization
                let killer = school.killer(words)
                try await killer.killHeldUp(by: "lock table school.person in share mode")
                let imported: Statement =
                    """
                    select from school.person as p
                      join school.person_role as r on r.person_id = p.person_id
                     where p.source_id = 'T1'
                    """
                #expect(try school.sql(imported).count == 1, "the role is there, too")
                try await killer.killAtRandom(within: 100)
                let run = try await school.homeroom.run(words)
                #expect(run.status == 0 || run.complaints.contains("was undone before"))
                #expect(try school.sql("select from school.person where source_id = 'T1'").isEmpty)
                let again = try await school.homeroom.run(words)
                #expect(again.complaints.contains("was undone before"))
            }
        }
    }

    @Test func `an export that was killed leaves nothing half written`() async throws {
        try await withSchool { school in
            let root = temporaryPath("killed-export")
            defer { try? FileManager.default.removeItem(atPath: root) }
            let words = ["export", "--out", root, "--date", "2026-03-02"]
            let killer = school.killer(words)
            try await killer.killHeldUp(
                by: "lock table school.activity_assignment in access exclusive mode",
                writes: false,
                isBegun: { files(in: root).contains { $0.contains(".partial/handouts") } })
            #expect(files(in: root).allSatisfy { !$0.contains("/2026-03-02") })
            try await killer.killAtRandom(within: 200)
            let run = try await school.homeroom.run(words)
            #expect(run.status == 0, "\(run.complaints)")
            let verification = try await school.homeroom("export", "verify", root)
            #expect(verification.status == 0, "\(verification.complaints)")
            let folder = "\(root)/\(school.hillside.uuid)"
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["2026-03-02"])
        }
    }

    @Test(.alone) func `a migration that was killed is made by the next one`() async throws {
        let databases = try TestDatabase.shared()
        let name = try databases.createEmpty()
        defer { databases.drop(name) }
        let url = databases.url(name, user: nil)
        let homeroom = Homeroom(databaseURL: url)
        let killer = CommandKiller(homeroom: homeroom, words: ["migrate"], url: url)
        for _ in 0..<3 {
            try await killer.killWriting(within: 300)
            let schema = try BlockingConnection(url).query(
                "select from pg_namespace where nspname = 'school'")
            #expect(schema.isEmpty, "no database is half migrated")
        }
        let run = try await homeroom("migrate")
        #expect(run.status == 0, "\(run.complaints)")
        let organizations = try await homeroom("organization", "list", "--json")
        #expect(organizations.status == 0, "\(organizations.complaints)")
    }

    @Test func `an organization whose creation was killed is there wholly or not at all`()
        async throws
    {
        try await withSchool { school in
            let killer = school.killer(Self.creation)
            try await killer.killHeldUp(by: "lock table school.person in share mode")
            let oaks: Statement = "select from school.organization where name = 'Oak'"
            #expect(try school.sql(oaks).isEmpty)
            try await killer.killAtRandom(within: 100)
            _ = try await school.homeroom.run(Self.creation)
            let made = try school.sql(
                """
                select count(distinct o.organization_id) as organizations, count(distinct d.domain) as domains,
                       count(distinct p.person_id) as administrators
                  from school.organization as o
                  join school.domain_directory as d on d.organization_id = o.organization_id
                  join school.person as p on p.organization_id = o.organization_id
                 where o.name = 'Oak' and d.domain = 'oak.example' and p.managed_id = 'ada@oak.example'
                """)[0]
            #expect(try made.int("organizations") == 1)
            #expect(try made.int("domains") == 1 && made.int("administrators") == 1)
        }
    }

    @Test func `a rollover that was killed has changed nothing, and is carried out by the next`()
        async throws
    {
        try await withSchool { school in
            try school.addYears()
            let words = [
                "term", "rollover", "source:y26", "--next", "source:y27", "--copy", "withStudents",
                "--grade", "3=4", "--grade", "10=", "--organization", "\(school.hillside.uuid)",
            ]
            let preview = try await school.homeroom.run(words + ["--json"])
            let revision = try #require(preview.json["revision"]?.text, "\(preview.complaints)")
            let killer = school.killer(words + ["--revision", revision])
            try await killer.killHeldUp(by: "lock table school.person in share mode")
            let classes: Statement = "select from school.class where name = 'Biology'"
            let before = try school.sql(classes).count
            #expect(try school.grades() == ["Sam 3", "Sue 10"])
            try await killer.killAtRandom(within: 100)
            let run = try await school.homeroom.run(words + ["--revision", revision])
            #expect(run.status == 0 || run.complaints.contains("The term is closed."))
            #expect(try school.grades() == ["Sam 4", "Sue 10 deactivated"])
            #expect(try school.sql(classes).count == before + 1)
        }
    }

    @Test func `an archive and a restore that were killed leave nothing, and can be repeated`()
        async throws
    {
        let databases = try TestDatabase.shared()
        let name = try databases.clone()
        defer { databases.drop(name) }
        try await withSchool { school in
            let oak = try await school.homeroom.run(Self.creation + ["--json"]).json
            let id = try #require(oak["organizationId"]?.text)
            let folder = temporaryPath("killed-archive")
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let archive = school.owningKiller(["organization", "archive", id, "--out", folder])
            try await archive.killHeldUp(
                by: "lock table school.activity in access exclusive mode",
                isBegun: { files(in: "\(folder).partial").contains("organization.ndjson") })
            #expect(!FileManager.default.fileExists(atPath: folder))
            let archived = try await archive.homeroom.run(archive.words)
            #expect(archived.status == 0, "\(archived.complaints)")
            #expect(!FileManager.default.fileExists(atPath: "\(folder).partial"))

            let url = databases.url(name, user: nil)
            let there = CommandKiller(
                homeroom: Homeroom(
                    databaseURL: databases.url(name, user: "school_server"), migrationURL: url),
                words: ["organization", "restore", folder], url: url)
            try await there.killHeldUp(
                by: "lock table school.retention_rule in access exclusive mode")
            let connection = try BlockingConnection(url)
            let oaks: Statement = "select from school.organization where name = 'Oak'"
            #expect(try connection.query(oaks).isEmpty)
            let restored = try await there.homeroom.run(there.words)
            #expect(restored.status == 0, "\(restored.complaints)")
            #expect(try connection.query(oaks).count == 1)
        }
    }

    @Test func `an index whose rebuilding was killed is rebuilt by the next one`() async throws {
        try await withSchool { school in
            try school.sql(
                "update pg_collation set collversion = '1.2' where collname = 'und-x-icu'")
            let remains: Statement =
                "select from pg_class where relname like '%\\_ccnew' and relkind = 'i'"
            let killer = school.owningKiller(["reindex"])
            try await killer.killHeldUp(
                by: "lock table school.person in row exclusive mode", writes: false,
                isBegun: { try !school.sql(remains).isEmpty },
                meanwhile: { session in
                    // PostgreSQL goes on by itself, and says so.
                    let second = try await killer.homeroom.run(killer.words)
                    #expect(second.complaints.contains("Another homeroom reindex is at work."))
                    try school.sql("select pg_terminate_backend(\(Int32(session)))")
                })
            #expect(try !school.sql(remains).isEmpty)
            let run = try await killer.homeroom.run(killer.words)
            #expect(run.status == 0 && run.output.contains("rebuilt "), "\(run.complaints)")
            #expect(try school.sql(remains).isEmpty)
            let again = try await killer.homeroom.run(killer.words)
            #expect(again.output.contains("nothing was changed"), "\(again.output)")
        }
    }

    private static let creation = [
        "organization", "create", "--name", "Oak", "--domain", "oak.example", "--administrator",
        "ada@oak.example",
    ]
}

/// The files below a folder; none if it is absent.
private func files(in folder: String) -> [String] {
    (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
}

private func temporaryPath(_ name: String) -> String {
    FileManager.default.temporaryDirectory
        .appending(path: "\(name)-\(Foundation.UUID().uuidString)").path
}

extension TestSchool {
    /// Kills a command over the database of this school, as the server's login.
    fileprivate func killer(_ words: [String]) -> CommandKiller {
        CommandKiller(homeroom: homeroom, words: words, url: ownerURL)
    }

    /// The same for a command of the schema's owner.
    fileprivate func owningKiller(_ words: [String]) -> CommandKiller {
        CommandKiller(
            homeroom: homeroom.with("HOMEROOM_MIGRATION_URL", ownerURL), words: words,
            url: ownerURL)
    }
}
