import Foundation
import Glibc
import HTTPServer
import JSONBytes
import Postgres
import TestKit
import Testing
import WaitKit
import WireKit

@testable import ServerKit

@Suite(.timeLimit(.minutes(15))) struct BackupCommand {
    @Test func `a backup goes on where it was set up, and says what is wrong`() async throws {
        try await withBackedUpSchool { school in
            let before = try await school.doctorFindings()
            #expect(before["backup"] == "There is no backup of this database.")
            let first = try await school.homeroom("backup", "\(school.root)//backup/")
            #expect(first.status == 0, "\(first.complaints)")
            #expect(first.output.contains("Backed up into \(school.backup) in "))
            #expect(first.output.contains("It is not encrypted."))
            #expect(first.output.contains("1 backup since "))
            #expect(first.output.contains("Each is kept for 30 days."))
            #expect(try await school.doctorFindings().isEmpty)

            let other = "\(school.root)/other"
            let elsewhere = try await school.homeroom("backup", other)
            #expect(
                elsewhere.complaints.contains("Backups of this database go to \(school.backup)."))
            let key = try school.writeKey("0123456789abcdef0123456789abcdef", as: "key")
            let encrypted = try await school.homeroom("backup", school.backup, "--key-file", key)
            #expect(encrypted.complaints.contains("is not encrypted. To encrypt, begin"))
            let moved = try await school.homeroom(
                "backup", other, "--new", "--key-file", key, "--days", "3", "--json")
            #expect(moved.json["isEncrypted"] == true && moved.json["days"] == 3)
            #expect(elsewhere.status == 1 && encrypted.status == 1 && moved.status == 0)
        }
    }

    @Test func `no backup is taken while the clock is years ahead, until that is accepted`()
        async throws
    {
        try await withBackedUpSchool { school in
            for statement in ProvenClock.statements { try school.sql(statement) }
            #expect(try await school.homeroom("backup", school.backup).status == 0)
            try school.sql("update school.clock set looked_at = looked_at - interval '1500 days'")
            let ahead = try await school.homeroom("backup", school.backup)
            #expect(ahead.status == 1)
            #expect(ahead.complaints.contains("No backup was taken, because the clock jumped"))
            #expect(try await school.doctorFindings()["clock_jumped"]?.contains("jumped") == true)
            #expect(try await school.homeroom("clock", "accept").status == 0)
            let again = try await school.homeroom("backup", school.backup, "--json")
            #expect(again.json["backups"]?.array?.count == 2, "\(again.complaints)")
        }
    }

    @Test func `the data folder holds no backup, whichever links lead there`() async throws {
        try await withBackedUpSchool { school in
            let link = "\(school.root)/link"
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: school.data)
            for folder in [school.data, "\(school.data)/", "\(school.data)/new", "\(link)/a/b"] {
                let run = try await school.homeroom("backup", folder)
                #expect(run.status == 64 && run.complaints.contains("is in the data folder"))
            }
        }
    }

    @Test func `a disk that is away does not stop the service, and the doctor says so`()
        async throws
    {
        try await withBackedUpSchool { school in
            #expect(try await school.homeroom("backup", school.backup).status == 0)
            let away = "\(school.root)/away"
            try FileManager.default.moveItem(atPath: school.backup, toPath: away)
            _ = try school.addPerson("Ann")
            try school.sql("select pg_switch_wal()")
            try await eventually { try school.hasFailedToArchive() }
            _ = try school.addPerson("Ben")
            #expect(try school.call("GET", "/readyz").status == 200)
            let findings = try await school.doctorFindings()
            #expect(findings["backup"]?.contains("cannot be read") == true)
            #expect(findings["backup_archiving"]?.contains("could not be archived since") == true)
            let run = try await school.homeroom("backup", school.backup)
            #expect(run.status == 1)
            #expect(
                run.complaints.contains("no longer holds the backup of this database. Is its disk"))
            #expect(!FileManager.default.fileExists(atPath: school.backup))

            try FileManager.default.moveItem(atPath: away, toPath: school.backup)
            try await school.archive()
            #expect(try await school.doctorFindings().isEmpty)
        }
    }

    @Test func `metrics say whether there is a backup, and of when`() async throws {
        try await withBackedUpSchool { school in
            let socket = try ListeningSocket.bind(address: "127.0.0.1", port: 0)
            let port = ListeningSocket.port(of: socket)
            close(socket)
            let observed = try await ServingProcess(
                school.homeroom.with("HOMEROOM_METRICS_LISTEN", "127.0.0.1:\(port)"))
            defer { observed.stop() }
            func page() -> String {
                (try? ask(port: port, "GET", "/metrics", token: nil).text) ?? ""
            }
            try await eventually { page().contains("homeroom_imports_unfinished") }
            #expect(page().contains("\nhomeroom_backup_set_up 0\n"))
            #expect(!page().contains("homeroom_backup_newest"))
            #expect(try await school.homeroom("backup", school.backup).status == 0)
            try await eventually {
                page().contains("homeroom_backup_newest_success_timestamp_seconds 1")
            }
            #expect(page().contains("\nhomeroom_backup_set_up 1\n"))
            #expect(page().contains("\nhomeroom_wal_archive_failing 0\n"))
        }
    }

    @Test func `damage is found by the next backup`() async throws {
        try await withBackedUpSchool { school in
            let first = try await school.homeroom("backup", school.backup, "--json")
            let label = try #require(first.json["backup"]?.text, "\(first.complaints)")
            let bundle = "\(school.backup)/backup/homeroom/\(label)/bundle/1"
            let file = try FileHandle(forUpdating: URL(filePath: bundle))
            try file.seek(toOffset: 20_000)
            try file.write(contentsOf: Data("damage".utf8))
            try file.close()
            let second = try await school.homeroom("backup", school.backup)
            #expect(second.status == 1)
            #expect(second.complaints.contains("could not verify the backup in \(school.backup)"))
        }
    }

    @Test func `damage of the database is named, and no sound backup goes`() async throws {
        try await withBackedUpSchool { school in
            let first = try await school.homeroom("backup", school.backup, "--json")
            let sound = try #require(first.json["backup"]?.text, "\(first.complaints)")
            let table = "school.managed_id_directory"
            let path = try school.sql("select pg_relation_filepath(\(table)::regclass) as path")[0]
                .text("path")
            school.stop()
            let file = try FileHandle(
                forUpdating: URL(filePath: "\(school.data)/postgresql/\(path)"))
            try file.seek(toOffset: 4000)
            try file.write(contentsOf: Data("damage".utf8))
            try file.close()
            for _ in 1...2 {
                let run = try await school.homeroom("backup", school.backup)
                #expect(run.status == 1)
                #expect(run.complaints.contains("\(table) (\(path))"), "\(run.complaints)")
                #expect(run.complaints.contains("sound ones are kept"))
                let kept = try FileManager.default.contentsOfDirectory(
                    atPath: "\(school.backup)/backup/homeroom"
                ).filter { $0.hasSuffix("F") }
                #expect(kept.count == 2 && kept.contains(sound), "\(kept)")
            }
            let findings = try await school.doctorFindings()
            #expect(findings["backup"]?.contains("holds damaged pages") == true, "\(findings)")
            let restored = try await school.homeroom(
                "restore", school.backup, "--data", "\(school.root)/restored")
            #expect(
                restored.output.contains("Restored the backup \(sound)"), "\(restored.complaints)")
        }
    }

    @Test func `arguments that make no sense are refused`() async throws {
        let homeroom = Homeroom(dataFolder: "/tmp/homeroom-nowhere")
        for (words, status, text) in [
            (["/tmp/x", "--days", "0"], 64, "--days should be a number from 1 to 3650."),
            (["/tmp/homeroom-nowhere/backup"], 64, "would be lost with it"),
            (["/tmp/x", "--key-file", "/nowhere"], 1, "The key could not be read"),
            (["/tmp/x", "--key-file", "/proc/version"], 1, "one line of at least 16 letters"),
            (["/tmp/x", "--database-url", "host=/nowhere"], 1, "is for the private PostgreSQL"),
        ] as [([String], Int32, String)] {
            let run = try await homeroom.run(["backup"] + words)
            #expect(run.status == status)
            #expect(run.complaints.contains(text), "\(run.complaints)")
        }
    }
}

extension BackedUpSchool {
    /// What the doctor finds wrong with the deployment, by code.
    func doctorFindings() async throws -> [String: String] {
        let json = try await homeroom("doctor", "--json").json
        let findings = try #require(json["deployment"]?["findings"]?.array)
        return Dictionary(
            findings.compactMap { finding in
                finding["code"]?.text.map { ($0, finding["text"]?.text ?? "") }
            }, uniquingKeysWith: { first, _ in first })
    }

    fileprivate func hasFailedToArchive() throws -> Bool {
        try sql("select last_failed_time is not null as has_failed from pg_stat_archiver")[0]
            .bool("has_failed")
    }
}
