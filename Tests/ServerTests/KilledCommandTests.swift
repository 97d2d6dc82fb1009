import Foundation
import Glibc
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

/// Commands that the kernel kills at some moment, as it does when memory is short. A second one finishes the work.
@Suite(.timeLimit(.minutes(10))) struct KilledCommands {
    @Test func `an import that was killed is brought in by the next one, once`() async throws {
        try await withSchool { school in
            try await withArchive(staff: "T1,,Grace,,Hopper,,,L1") { path in
                let words = ["import", path, "--organization", "\(school.hillside.uuid)"]
                try await kill(school.homeroom, words, within: 400)
                let run = try await school.homeroom.run(words)
                #expect(run.status == 0, "\(run.output)\(run.complaints)")
                let people = try school.sql("select 1 from school.person where source_id = 'T1'")
                #expect(people.count == 1)
                let running = try school.sql(
                    "select 1 from school.import where status in ('queued', 'running')")
                #expect(running.isEmpty, "nothing waits for good")
            }
        }
    }

    @Test func `an export that was killed leaves nothing half written`() async throws {
        try await withSchool { school in
            let root = FileManager.default.temporaryDirectory.appending(
                path: "killed-export-\(Foundation.UUID().uuidString)"
            ).path
            defer { try? FileManager.default.removeItem(atPath: root) }
            let words = ["export", "--out", root, "--date", "2026-03-02"]
            try await kill(school.homeroom, words, within: 400)
            let run = try await school.homeroom.run(words)
            #expect(run.status == 0, "\(run.complaints)")
            let verification = try await school.homeroom("export", "verify", root)
            #expect(verification.status == 0, "\(verification.complaints)")
            let folder = "\(root)/\(school.hillside.uuid)"
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["2026-03-02"])
        }
    }

    @Test func `a migration that was killed is made by the next one`() async throws {
        let databases = try TestDatabase.shared()
        let name = try databases.createEmpty()
        defer { databases.drop(name) }
        let homeroom = Homeroom(databaseURL: databases.url(name, user: nil))
        try await kill(homeroom, ["migrate"], within: 1_500)
        let run = try await homeroom("migrate")
        #expect(run.status == 0, "\(run.complaints)")
        let organizations = try await homeroom("organization", "list", "--json")
        #expect(organizations.status == 0, "\(organizations.complaints)")
    }

    @Test func `an organization whose creation was killed is there wholly or not at all`()
        async throws
    {
        try await withSchool { school in
            let words = [
                "organization", "create", "--name", "Oak", "--domain", "oak.example",
                "--administrator", "ada@oak.example",
            ]
            try await kill(school.homeroom, words, within: 400)
            _ = try await school.homeroom.run(words)
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

    /// Runs a command several times, and kills it each time after a while that nobody chose.
    private func kill(
        _ homeroom: Homeroom, _ words: [String], within milliseconds: Int
    ) async throws {
        for _ in 0..<8 {
            let process = homeroom.process(words)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...milliseconds)))
            Glibc.kill(process.processIdentifier, SIGKILL)
            try await onThread { process.waitUntilExit() }
        }
    }
}
