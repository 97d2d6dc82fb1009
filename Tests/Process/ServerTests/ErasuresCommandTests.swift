import Archive
import Exports
import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import ServerKit

@Suite struct ErasuresCommand {
    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "erasures-\(Foundation.UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    /// Exports Hillside after Sam was erased there.
    private func exportErasure(to folder: String) async throws {
        try await withSchool { school in
            let erased = try await school.post(
                "/v1/people/\(school.id(.sam).uuid)/erasure", as: .ada)
            #expect(erased.status == 200)
            let run = try await school.homeroom("export", "--out", folder, "--date", "2026-03-02")
            #expect(run.status == 0, "\(run.complaints)")
        }
    }

    private func owner(_ school: TestSchool) -> Homeroom {
        Homeroom(
            databaseURL: school.ownerURL + " user=school_server", migrationURL: school.ownerURL)
    }

    private func hasSam(_ school: TestSchool) throws -> Bool {
        try school.sql("select from school.person where person_id = \(school.id(.sam))").count == 1
    }

    @Test(arguments: ["ndjson.gz", "csv.gz"])
    func `people erased after the backup are erased again, once`(form: String) async throws {
        try await withFolder { folder in
            try await exportErasure(to: folder)
            if form == "csv.gz" {
                try FileManager.default.removeItem(
                    atPath: "\(folder)/\(TestIDs.hillside.uuid)/2026-03-02/deletions.ndjson.gz")
            }
            // A school where nobody has been erased yet: what a backup brings back.
            try await withSchool { school in
                let command = ["erasures", "apply", "--from", folder, "--json"]
                let dry = try await owner(school).run(command + ["--dry-run"])
                #expect(dry.status == 0, "\(dry.complaints)")
                #expect(dry.json["wouldErase"] == 1)
                #expect(try hasSam(school))
                let elsewhere = try await owner(school).run(
                    command + ["--organization", school.elsewhere.uuid.description])
                #expect(elsewhere.json["erased"] == 0)
                #expect(try hasSam(school))

                let first = try await owner(school).run(command)
                #expect(first.status == 0, "\(first.complaints)")
                #expect(first.json["erased"] == 1)
                #expect(first.json["folders"] == 2)
                #expect(try !hasSam(school))
                let again = try await owner(school).run(command)
                #expect(again.status == 0)
                #expect(again.json["erased"] == 0)
                #expect(again.json["alreadyGone"] == 1)
                let events = try school.sql(
                    "select standing, subject_id from school.audit_event where kind = 'erasure'")
                #expect(events.count == 1)
                #expect(try events[0].text("standing") == "server")
            }
        }
    }

    @Test func `people who cannot be erased are named, and the others are erased`() async throws {
        try await withFolder { folder in
            try await exportErasure(to: folder)
            try await withSchool { school in
                try school.sql(
                    """
                    insert into school.person_role (organization_id, person_id, location_id, role)
                    values (\(school.hillside), \(school.id(.sam)), \(school.mainLocation), 'administrator')
                    """)
                try school.sql(
                    "delete from school.person_role where person_id = \(school.id(.ada))")
                let run = try await owner(school)("erasures", "apply", "--from", folder)
                #expect(run.status == 1)
                #expect(run.complaints.contains(school.id(.sam).uuid.description))
                #expect(run.complaints.contains("This is the only administrator"))
                #expect(try hasSam(school))
            }
        }
    }

    @Test func `unreadable lines are named with file and line, and nobody is erased`()
        async throws
    {
        try await withFolder { folder in
            try await exportErasure(to: folder)
            let bad = "\(folder)/\(TestIDs.hillside.uuid)/2026-03-03"
            try FileManager.default.createDirectory(atPath: bad, withIntermediateDirectories: true)
            let path = "\(bad)/deletions.ndjson.gz"
            try await withSchool { school in
                try pack(
                    "{\"kind\":\"task\",\"organization_id\":\"\(TestIDs.hillside.uuid)\","
                        + "\"subject_id\":\"\(TestIDs.biology.uuid)\"}\n{\"kind\":\"person\"}\n",
                    to: path)
                let broken = try await owner(school)("erasures", "apply", "--from", folder)
                #expect(broken.status == 1)
                #expect(broken.complaints.contains("\(path), line 2: it needs kind"))
                try Data("no gzip".utf8).write(to: URL(filePath: path))
                let torn = try await owner(school)("erasures", "apply", "--from", folder)
                #expect(torn.complaints.contains("\(path) is not a whole gzip file"))
                #expect(try hasSam(school))
                let nothing = try await owner(school)("erasures", "apply", "--from", "/tmp/nowhere")
                #expect(nothing.status == 1)
                #expect(nothing.complaints.contains("no exported folder in /tmp/nowhere"))
                #expect(try await owner(school)("erasures", "apply").status == 64)
            }
        }
    }

    private func pack(_ text: String, to path: String) throws {
        try? FileManager.default.removeItem(atPath: path)
        let gzip = Process()
        gzip.executableURL = URL(filePath: "/bin/sh")
        gzip.arguments = ["-c", "printf '%s' \"$1\" | gzip > \"$2\"", "sh", text, path]
        try gzip.run()
        gzip.waitUntilExit()
        try #require(gzip.terminationStatus == 0)
    }
}
