import Foundation
import Glibc
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

@testable import ServerKit

/// A school loses its disk, or goes back to an earlier moment.
@Suite(.timeLimit(.minutes(15))) struct RestoreCommand {
    /// What the school did after a backup and after the moment it goes back to is known from two places.
    @Test(arguments: ["ledger", "exports"])
    func `a school comes back as it was, and what must not come back does not`(
        source: String
    ) async throws {
        try await withBackedUpSchool { school in
            let key = try school.writeKey("0123456789abcdef0123456789abcdef", as: "key")
            let ben = try school.addPerson("Ben")
            let first = try await school.homeroom(
                "backup", school.backup, "--key-file", key, "--days", "7", "--json")
            #expect(first.status == 0, "\(first.complaints)")
            #expect(first.json["isVerified"] == true && first.json["isEncrypted"] == true)
            #expect(first.json["days"] == 7)
            _ = try school.addPerson("Carl")
            let signIn = try school.signIn()
            let moment = try await school.quietMoment()
            try await school.eraseAndSeal(ben)
            let second = try await school.homeroom("backup", school.backup, "--json")
            #expect(second.status == 0, "\(second.complaints)")
            #expect(second.json["isEncrypted"] == true && second.json["days"] == 7)
            #expect(second.json["backups"]?.array?.count == 2)
            if source == "exports" {
                try FileManager.default.removeItem(
                    atPath: "\(school.backup)/homeroom-ledger.json")
            }

            school.stop()
            try FileManager.default.removeItem(atPath: school.data)
            try await school.restoreAndDie(key)

            let from = source == "exports" ? ["--from", "\(school.root)/exports"] : []
            let run = try await school.homeroom.run(
                ["restore", school.backup, "--key-file", key, "--to", moment, "--json"] + from)
            #expect(run.json["backup"]?["backup"] == first.json["backup"])
            expectRestored(run)
            if source == "ledger" {
                let again = try await school.homeroom(
                    "erasures", "apply", "--from", school.backup, "--json")
                #expect(again.json["alreadyGone"] == 1, "\(again.complaints)")
            }
            try await school.serve()
            #expect(try school.students() == ["Carl"])
            try school.expectSignedOut(signIn)
        }
    }

    private func expectRestored(_ run: Homeroom.Run) {
        #expect(run.status == 0, "\(run.output)\(run.complaints)")
        #expect(run.json["erasures"]?["erased"] == 1)
        #expect(run.json["auditTrail"]?["missing"]?.array?.count == 1)
        #expect(run.json["auditTrail"]?["different"]?.array?.isEmpty == true)
        #expect(run.json["endedSignIns"]?["sessions"] == 1)
        #expect(run.json["doctor"]?["isWell"] == true)
    }

    @Test func `without a moment nothing that was archived is lost, and backups go on`()
        async throws
    {
        try await withBackedUpSchool { school in
            try school.sql("select school.seal_audit_events(\(school.organization)::uuid)")
            #expect(try await school.homeroom("backup", school.backup).status == 0)
            _ = try school.addPerson("Ann")
            try school.sql(
                """
                insert into school.organization_deletion (organization_id, ordered_at, due_at)
                values (\(school.organization)::uuid, now() - interval '31 days', now() - interval '1 day')
                """)
            try await school.archive()
            school.stop()
            try FileManager.default.moveItem(atPath: school.data, toPath: "\(school.root)/lost")
            let run = try await school.homeroom("restore", school.backup)
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.output.contains("the last transaction ended at 20"))
            #expect(run.output.contains("The audit trails hold 1 of 1 seals"))
            #expect(run.output.contains("There is no backup of this database."))
            #expect(run.output.contains("Oak (\(school.organization)) is to be deleted, now on 20"))
            let kept = try await school.homeroom(
                "organization", "delete", school.organization, "--cancel")
            #expect(kept.status == 0, "\(kept.complaints)")
            try await school.serve()
            #expect(try school.students() == ["Ann"])

            // Its history is another one now, which the same folder takes.
            let next = try await school.homeroom("backup", school.backup, "--json")
            #expect(next.status == 0, "\(next.complaints)")
            #expect(next.json["backups"]?.array?.count == 2)
            try school.sql("update school.person set given_name = 'Anne' where given_name = 'Ann'")
            // What a server has yet to do does not let a restore fail.
            try school.sql(
                """
                insert into school.retention_rule (organization_id, kind, years, effective_at)
                values (\(school.organization)::uuid, 'activities', 2, now() - interval '3 days')
                """)
            for statement in ProvenClock.statements { try school.sql(statement) }
            let late = try school.sql("select school.late_removals()::text as id")
            #expect(try late.map { try $0.text("id") } == [school.organization])
            try await school.archive()
            school.stop()
            try FileManager.default.removeItem(atPath: school.data)
            let again = try await school.homeroom("restore", school.backup)
            #expect(again.status == 0, "\(again.complaints)")
            try await school.serve()
            #expect(try school.students() == ["Anne"])
        }
    }

    @Test func `what cannot be restored is refused, and nothing is touched`() async throws {
        try await withBackedUpSchool { school in
            let key = try school.writeKey("0123456789abcdef0123456789abcdef", as: "key")
            let before = Timestamp(milliseconds: Clock.system.now.milliseconds - 60_000).description
            #expect(
                try await school.homeroom("backup", school.backup, "--key-file", key).status == 0)
            let there = try await school.homeroom("restore", school.backup, "--key-file", key)
            #expect(there.status == 1)
            #expect(there.complaints.contains("There is a database in \(school.data)"))

            let elsewhere = "\(school.root)/elsewhere"
            func refusal(_ words: String...) async throws -> String {
                let run = try await school.homeroom.run(
                    ["restore", school.backup, "--data", elsewhere] + words)
                #expect(run.status == 1)
                return run.complaints
            }
            #expect(try await refusal().contains("is encrypted: add --key-file"))
            let wrong = try school.writeKey("fedcba9876543210fedcba9876543210", as: "wrong")
            #expect(
                try await refusal("--key-file", wrong).contains(
                    "The key does not open the backup in \(school.backup)."))
            #expect(
                try await refusal("--key-file", key, "--to", before).contains(
                    "There is no backup from before"))
            #expect(
                try await refusal("--key-file", key, "--sql", school.olderDefinitions()).contains(
                    "was taken by a newer version of Homeroom"))
            #expect(!FileManager.default.fileExists(atPath: "\(elsewhere)/postgresql"))
            let nothing = try await school.homeroom("restore", "\(school.root)/nothing")
            #expect(nothing.complaints.contains("There is no backup in \(school.root)/nothing."))
        }
    }

    @Test(arguments: [
        ("yesterday", "a moment with its offset"),
        ("2999-01-01T00:00:00Z", "should not lie in the future"),
    ])
    func `a moment that makes no sense is refused`(moment: String, text: String) async throws {
        let run = try await Homeroom(dataFolder: "/nonexistent")(
            "restore", "/nonexistent", "--to", moment)
        #expect(run.status == 64 && run.complaints.contains(text), "\(run.complaints)")
    }
}

extension BackedUpSchool {
    /// The folder of definitions that lack the newest migration.
    fileprivate func olderDefinitions() throws -> String {
        let sql = "\(root)/older"
        try FileManager.default.copyItem(atPath: TestDatabase.sqlFolder, toPath: sql)
        let migrations = try FileManager.default.contentsOfDirectory(atPath: "\(sql)/migrations")
        let newest = try #require(migrations.max())
        try FileManager.default.removeItem(atPath: "\(sql)/migrations/\(newest)")
        return sql
    }

    fileprivate func signIn() throws -> JSONValue {
        try call(
            "POST", "/v1/sign-in",
            ["managedId": "ada@oak.example", "password": .text(password)]
        ).json
    }

    /// Erases a person, creates another one, and writes down what has to be known of that after a restore.
    fileprivate func eraseAndSeal(_ person: String) async throws {
        #expect(try call("POST", "/v1/people/\(person)/erasure").status == 200)
        _ = try addPerson("Dora")
        try sql("select school.seal_audit_events(\(organization)::uuid)")
        let exported = try await homeroom("export", "--out", "\(root)/exports")
        #expect(exported.status == 0, "\(exported.complaints)")
    }

    /// Nothing that signed in before does now, but the password.
    fileprivate func expectSignedOut(_ before: JSONValue) throws {
        let access = try #require(before["accessToken"]?.text)
        #expect(try call("GET", "/v1/me", token: access).status == 401)
        #expect(try call("GET", "/v1/me").status == 401, "nor the command's token")
        let refreshed = try call(
            "POST", "/v1/sign-in/refresh", ["refreshToken": before["refreshToken"] ?? .null])
        #expect(refreshed.status == 401)
        #expect(try signIn()["accessToken"] != nil, "the password stays")
    }

    /// A moment after all that was done before and before all that will be.
    fileprivate func quietMoment() async throws -> String {
        try await Task.sleep(for: .milliseconds(1100))
        let moment = Clock.system.now.description
        try await Task.sleep(for: .milliseconds(1100))
        return moment
    }

    /// Begins a restore and kills it while it works. If it was faster than the test, its data goes and another begins.
    fileprivate func restoreAndDie(_ key: String) async throws {
        try await beginRestoreAndKill(key)
        while !FileManager.default.fileExists(atPath: "\(data)/restore.unfinished") {
            // Any command waits for a PostgreSQL that the killed one left, and stops it.
            #expect(try await homeroom("organization", "list").status == 0)
            try FileManager.default.removeItem(atPath: data)
            try await beginRestoreAndKill(key)
        }
        let unfinished = try await homeroom("organization", "list")
        #expect(unfinished.status == 1)
        #expect(unfinished.complaints.contains("was not finished. Run homeroom restore again"))
    }

    private func beginRestoreAndKill(_ key: String) async throws {
        let process = homeroom.process(["restore", backup, "--key-file", key])
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try await eventually {
            FileManager.default.fileExists(atPath: "\(data)/postgresql/base")
        }
        // The process itself, which runuser started.
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
            guard let pid = pid_t(name),
                let words = FileManager.default.contents(atPath: "/proc/\(name)/cmdline"),
                String(decoding: words, as: UTF8.self).hasPrefix(
                    "\(Homeroom.executable)\0restore\0\(backup)")
            else { continue }
            kill(pid, SIGKILL)
        }
        process.waitUntilExit()
    }
}
