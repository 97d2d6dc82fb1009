import AloneKit
import Foundation
import JSONBytes
import Postgres
import RandomKit
import School
import TestKit
import Testing
import Values
import WaitKit

@testable import ServerKit

/// Commands that the kernel kills in the middle of their work, and at moments drawn from a seed. A second one
/// finishes the work. The import and the migration stand for all whose work is one transaction; an export leaves files,
/// and the rebuilding of an index leaves parts of it.
@Suite(.timeLimit(.minutes(10))) struct KilledCommands {
    @Test(arguments: seeds(1..<2))
    func `an import that was killed is brought in by the next one, once`(seed: UInt64)
        async throws
    {
        try await withSchool { school in
            try await withArchive(staff: "T1,,Grace,,Hopper,,,L1") { path in
                var dice = SplitMix64(seed: seed)
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
                try await killer.killAtRandom(within: 200, &dice)
                let run = try await school.homeroom.run(words)
                #expect(run.status == 0, "\(run.output)\(run.complaints)")
                let people = try school.sql("select 1 from school.person where source_id = 'T1'")
                #expect(people.count == 1)
                #expect(try school.sql(waiting).isEmpty, "nothing waits for good")
            }
        }
    }

    @Test(arguments: seeds(1..<2))
    func `an export that was killed leaves nothing half written`(seed: UInt64) async throws {
        try await withSchool { school in
            var dice = SplitMix64(seed: seed)
            let root = temporaryPath("killed-export")
            defer { try? FileManager.default.removeItem(atPath: root) }
            let words = ["export", "--out", root, "--date", "2026-03-02"]
            let killer = school.killer(words)
            try await killer.killHeldUp(
                by: "lock table school.activity_assignment in access exclusive mode",
                writes: false,
                isBegun: { files(in: root).contains { $0.contains(".partial/handouts") } })
            #expect(files(in: root).allSatisfy { !$0.contains("/2026-03-02") })
            try await killer.killAtRandom(within: 200, &dice)
            let run = try await school.homeroom.run(words)
            #expect(run.status == 0, "\(run.complaints)")
            let verification = try await school.homeroom("export", "verify", root)
            #expect(verification.status == 0, "\(verification.complaints)")
            let folder = "\(root)/\(school.hillside.uuid)"
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["2026-03-02"])
        }
    }

    @Test(.alone, arguments: seeds(1..<2))
    func `a migration that was killed is made by the next one`(seed: UInt64) async throws {
        var dice = SplitMix64(seed: seed)
        let databases = try TestDatabase.shared()
        let name = try databases.createEmpty()
        defer { databases.drop(name) }
        let url = databases.url(name, user: nil)
        let homeroom = Homeroom(databaseURL: url)
        let killer = CommandKiller(homeroom: homeroom, words: ["migrate"], url: url)
        for _ in 0..<3 {
            try await killer.killWriting(within: 300, &dice)
            let schema = try BlockingConnection(url).query(
                "select from pg_namespace where nspname = 'school'")
            #expect(schema.isEmpty, "no database is half migrated")
        }
        let run = try await homeroom("migrate")
        #expect(run.status == 0, "\(run.complaints)")
        let organizations = try await homeroom("organization", "list", "--json")
        #expect(organizations.status == 0, "\(organizations.complaints)")
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
