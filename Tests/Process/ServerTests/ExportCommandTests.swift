import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import ServerKit

@Suite struct ExportCommand {
    @Test func `every organization gets its folder, and verify agrees`() async throws {
        try await withSchool { school in
            let root = FileManager.default.temporaryDirectory.appending(
                path: "export-\(Foundation.UUID().uuidString)"
            ).path
            defer { try? FileManager.default.removeItem(atPath: root) }
            let run = try await school.homeroom(
                "export", "--out", root, "--date", "2026-03-02", "--json")
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.json.array?.compactMap { $0["status"]?.text } == ["exported", "exported"])
            #expect(run.complaints.contains("activity_reports"))
            let again = try await school.homeroom("export", "--out", root, "--date", "2026-03-02")
            #expect(again.status == 0)
            #expect(again.output.contains("exported already"))

            #expect(try await school.homeroom("export", "verify", root).status == 0)
            let folder = "\(root)/\(school.hillside.uuid)/2026-03-02"
            try FileManager.default.removeItem(atPath: "\(folder)/load.sql")
            let broken = try await school.homeroom("export", "verify", root)
            #expect(broken.status == 1)
            #expect(broken.complaints.contains("\(folder)/load.sql: is missing"))
        }
    }

    @Test func `a failing export does not keep others from their turn`() async throws {
        try await withSchool { school in
            let root = FileManager.default.temporaryDirectory.appending(
                path: "export-\(Foundation.UUID().uuidString)"
            ).path
            defer { try? FileManager.default.removeItem(atPath: root) }
            try FileManager.default.createDirectory(
                atPath: root, withIntermediateDirectories: true)
            // A file where the folder of the organization should be.
            let blocked = "\(root)/\(school.hillside.uuid)"
            try Data().write(to: URL(filePath: blocked))

            let run = try await school.homeroom("export", "--out", root, "--date", "2026-03-02")
            #expect(run.status == 1)
            #expect(run.complaints.contains("\(school.hillside.uuid): not exported."))
            #expect(run.output.contains("\(school.elsewhere.uuid)/2026-03-02"))
            let verification = try await school.homeroom(
                "export", "verify", "\(root)/\(school.elsewhere.uuid)")
            #expect(verification.status == 0)

            let one = try await school.homeroom(
                "export", "--out", root, "--organization", school.elsewhere.uuid.description)
            #expect(one.status == 0)
        }
    }

    @Test func `a connection that is lost while organizations are listed is made again`()
        async throws
    {
        try await withSchool { school in
            let root = FileManager.default.temporaryDirectory.appending(
                path: "export-\(Foundation.UUID().uuidString)"
            ).path
            defer { try? FileManager.default.removeItem(atPath: root) }
            let other = try BlockingConnection(school.ownerURL)
            try other.execute("begin")
            try other.execute("lock table school.organization in access exclusive mode")
            async let run = school.homeroom("export", "--out", root, "--date", "2026-03-02")
            try await school.untilSomethingWaits()
            try school.sql(
                """
                select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and wait_event_type = 'Lock'
                """)
            try other.execute("rollback")
            let ended = try await run
            #expect(ended.status == 0, "\(ended.complaints)")
            #expect(ended.complaints.contains("the organizations: the connection was lost"))
        }
    }

    @Test(arguments: [
        ["export"], ["export", "--out", "/tmp/x", "--date", "yesterday"],
        ["export", "--out", "/tmp/x", "--organization", "hillside"], ["export", "verify"],
    ])
    func `an inconsistent call is refused`(words: [String]) async throws {
        try await withSchool { school in
            let run = try await school.homeroom.run(words)
            #expect(run.status == 64)
        }
    }
}
