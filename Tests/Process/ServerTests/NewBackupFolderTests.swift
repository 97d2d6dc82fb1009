import Foundation
import Glibc
import JSONBytes
import Postgres
import TestKit
import Testing

@testable import ServerKit

/// Another folder takes over when it holds a backup, and not before.
@Suite(.timeLimit(.minutes(15))) struct NewBackupFolder {
    /// Lets WAL be archived, and a backup be taken into the folder that is in force; that of before is not lost.
    private func expectToGoOn(_ school: BackedUpSchool, backups: Int) async throws {
        _ = try school.addPerson("Ann")
        try await school.archive()
        #expect(try await school.doctorFindings().isEmpty)
        let command = try school.sql("select current_setting('archive_command') as command")[0]
        #expect(try !command.text("command").contains("begun"))
        let next = try await school.homeroom("backup", school.backup, "--json")
        #expect(next.json["backups"]?.array?.count == backups, "\(next.complaints)")
    }

    @Test func `a folder that takes no backup leaves the other one in force`() async throws {
        try await withBackedUpSchool { school in
            let other = "\(school.root)/other"
            for folder in [school.backup, other, school.backup] {
                let run = try await school.homeroom("backup", folder, "--new")
                #expect(run.status == 0, "\(run.complaints)")
            }
            let label = "\(other)/backup/homeroom"
            #expect(chmod(label, 0o500) == 0)
            defer { chmod(label, 0o700) }
            let refused = try await school.homeroom("backup", other, "--new")
            #expect(refused.status == 1)
            #expect(refused.complaints.contains("could not take a backup into \(other)"))
            #expect(
                refused.complaints.contains("Backups and WAL go to \(school.backup) as before."))
            try await expectToGoOn(school, backups: 3)
        }
    }

    @Test func `a first backup that fails sets nothing up`() async throws {
        try await withBackedUpSchool { school in
            let file = "\(school.root)/file"
            try Data("in the way".utf8).write(to: URL(filePath: file))
            let refused = try await school.homeroom("backup", "\(file)/backup")
            #expect(refused.status == 1)
            let findings = try await school.doctorFindings()
            #expect(findings["backup"] == "There is no backup of this database.")
            #expect(try await school.homeroom("backup", school.backup).status == 0)
        }
    }

    @Test(.enabled(if: getuid() == 0, "a small disk is mounted"))
    func `a full disk is named, and the other folder stays in force`() async throws {
        try await withBackedUpSchool { school in
            #expect(try await school.homeroom("backup", school.backup).status == 0)
            let small = "\(school.root)/small"
            try FileManager.default.createDirectory(
                atPath: small, withIntermediateDirectories: false)
            try #require(mount("tmpfs", small, "tmpfs", 0, "size=2m,mode=0777") == 0)
            defer { umount2(small, Int32(MNT_DETACH)) }
            let refused = try await school.homeroom("backup", small, "--new")
            #expect(refused.status == 1)
            #expect(
                refused.complaints.contains("MiB are free in \(small). A full disk may be why."))
            #expect(
                refused.complaints.contains("Backups and WAL go to \(school.backup) as before."))
            try await expectToGoOn(school, backups: 2)
        }
    }
}
