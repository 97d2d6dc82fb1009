import Foundation
import Glibc
import JSONBytes
import Postgres
import TestKit
import Testing
import WaitKit

@testable import ServerKit

/// `homeroom upgrade-database` on a private database. `deploy/drill upgrade-database` does the same with two versions of
/// PostgreSQL; here it copies the data to the version that it has.
@Suite struct UpgradeDatabaseCommand {
    @Test func `a school is copied, checked, used, and its old data deleted`() async throws {
        try await withPrivateSchool { homeroom, folder, major in
            let check = try await homeroom("upgrade-database", "--to", major, "--check", "--json")
            #expect(check.status == 0, "\(check.complaints)")
            #expect(check.json["kept"] == .null)
            #expect(try await findings(homeroom).isEmpty)

            let run = try await homeroom("upgrade-database", "--to", major, "--json")
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.json["version"]?.int64 == Int64(major))
            #expect(run.json["kept"]?.text == "\(folder)/postgresql.\(major)")
            #expect(run.complaints.contains("--finish"))
            #expect(try await findings(homeroom) == ["upgrade_unfinished"])

            let back = try await homeroom("upgrade-database", "--undo")
            #expect(back.status == 1)
            #expect(back.complaints.contains("add --discard-changes"), "\(back.complaints)")
            let finished = try await homeroom("upgrade-database", "--finish")
            #expect(finished.status == 0, "\(finished.complaints)")
            #expect(try await findings(homeroom).isEmpty)
        }
    }

    @Test func `it waits for nobody and refuses while the service runs`() async throws {
        try await withPrivateSchool { homeroom, _, major in
            try await whileServing(homeroom) {
                let run = try await homeroom("upgrade-database", "--to", major)
                #expect(run.status == 1)
                #expect(run.complaints.contains("homeroom-maintenance.target"), "\(run.complaints)")
            }
            let later = try await homeroom("upgrade-database", "--to", major)
            #expect(later.status == 0, "\(later.complaints)")
        }
    }

    /// Of the collations that PostgreSQL brings along, `pg_upgrade` keeps neither order nor version.
    @Test func `indexes are made afresh in the order of the new programs`() async throws {
        try await withPrivateSchool { homeroom, folder, major in
            let target =
                "host='\(folder)/run' dbname=homeroom user=homeroom passfile='\(folder)/superuser.pgpass'"
            try await whileServing(homeroom) {
                // As if the old programs had another ICU.
                try BlockingConnection(target).execute(
                    """
                    create extension amcheck;
                    update pg_collation set colliculocale = 'sv' where collname = 'und-x-icu';
                    """)
                let connection = try BlockingConnection(target)
                try connection.execute("alter collation \"und-x-icu\" refresh version")
                try connection.query(
                    """
                    with people as (
                        select o.organization_id, gen_random_uuid() as person_id, n.name, n.given
                          from school.organization as o
                         cross join (values ('Åberg', 'Kim'), ('Zeta', 'Lee')) as n (name, given)),
                    listed as (
                        insert into school.managed_id_directory (managed_id, organization_id, person_id)
                        select lower(given) || '@hillside.example', organization_id, person_id from people)
                    insert into school.person (organization_id, person_id, given_name, family_name, managed_id)
                    select organization_id, person_id, given, name, lower(given) || '@hillside.example'
                      from people
                    """)
                try connection.query(.orderOfNames)
            }
            let run = try await homeroom("upgrade-database", "--to", major)
            #expect(run.status == 0, "\(run.complaints)")
            try await whileServing(homeroom) {
                let connection = try BlockingConnection(target)
                let first = try connection.query(
                    "select 'Åberg' < 'Zeta' collate \"und-x-icu\" as is_other")
                #expect(try first[0].bool("is_other"))
                try connection.query(.orderOfNames)
            }
        }
    }

    @Test func `killed at any moment, it leaves a school that serves, and can be repeated`()
        async throws
    {
        try await withPrivateSchool { homeroom, _, major in
            for milliseconds in [400, 1200, 2500, 4500, 7000] {
                let process = homeroom.process(["upgrade-database", "--to", major])
                process.standardError = FileHandle.nullDevice
                process.standardOutput = FileHandle.nullDevice
                try process.run()
                await letRun(for: .milliseconds(milliseconds))
                killTree(process.processIdentifier)
                process.waitUntilExit()
                let list = try await homeroom("organization", "list")
                #expect(list.output.contains("Hillside"), "\(milliseconds): \(list.complaints)")
                // A machine that is fast enough has completed it.
                _ = try await homeroom("upgrade-database", "--finish")
            }
            let run = try await homeroom("upgrade-database", "--to", major)
            #expect(run.status == 0, "\(run.complaints)")
            let list = try await homeroom("organization", "list")
            #expect(list.output.contains("Hillside"), "\(list.complaints)")
        }
    }

    @Test(arguments: [
        ["--undo", "--finish"], ["--check", "--undo"], ["--finish", "--to", "17"],
        ["--discard-changes"], ["--to", "newest"],
    ])
    func `what does not fit together is refused`(words: [String]) async throws {
        try await withFolderForData { folder in
            let homeroom = Homeroom(dataFolder: folder)
            let run = try await homeroom.run(["upgrade-database"] + words)
            #expect(run.status == 64, "\(run.complaints)")
            #expect(run.complaints.contains("--to"), "\(run.complaints)")
        }
    }

    @Test func `a database of one's own is none of its business`() async throws {
        let run = try await Homeroom(databaseURL: "host=/nowhere")("upgrade-database")
        #expect(run.status == 1)
        #expect(run.complaints.contains("HOMEROOM_DATABASE_URL"))
    }

    @Test func `a folder without a database is named`() async throws {
        try await withFolderForData { folder in
            let run = try await Homeroom(dataFolder: folder)("upgrade-database")
            #expect(run.status == 1)
            #expect(run.complaints.contains("There is no database in \(folder)"))
        }
    }

    /// Runs the service meanwhile.
    private func whileServing(_ homeroom: Homeroom, _ body: () async throws -> Void) async throws {
        let server = homeroom.process(["serve", "--listen", "127.0.0.1:0", "--log", "off"])
        let said = Pipe()
        server.standardError = said
        try server.run()
        defer {
            server.terminate()
            server.waitUntilExit()
        }
        let line = String(decoding: said.fileHandleForReading.availableData, as: UTF8.self)
        try #require(line.contains("serves on"), "\(line)")
        try await body()
    }

    /// The codes of what the doctor finds in the deployment.
    private func findings(_ homeroom: Homeroom) async throws -> [String] {
        let run = try await homeroom("doctor", "--json")
        let findings = try #require(run.json["deployment"]?["findings"]?.array, "\(run.complaints)")
        // Nothing here is backed up.
        return findings.compactMap { $0["code"]?.text }.filter { $0 != "backup" }
    }

    /// Ends a command that another account may run as a child of this process.
    private func killTree(_ pid: Int32) {
        let children = try? String(
            contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        for child in (children ?? "").split(separator: " ").compactMap({ Int32($0) }) {
            kill(child, SIGKILL)
        }
        kill(pid, SIGKILL)
    }

    private func withPrivateSchool(
        _ body: (_ homeroom: Homeroom, _ folder: String, _ major: String) async throws -> Void
    ) async throws {
        try await withFolderForData { folder in
            let homeroom = Homeroom(dataFolder: folder)
            let made = try await homeroom(
                "organization", "create", "--name", "Hillside", "--domain", "hillside.example",
                "--administrator", "ada@hillside.example")
            try #require(made.status == 0, "\(made.complaints)")
            let version = try String(
                contentsOfFile: "\(folder)/postgresql/PG_VERSION", encoding: .utf8)
            try await body(homeroom, folder, version.trimmingCharacters(in: .newlines))
        }
    }

    /// A folder of the account that runs the private database.
    private func withFolderForData(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "upgrade-\(Foundation.UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        if let account = Homeroom(dataFolder: folder).account, let entry = getpwnam(account) {
            chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid)
        }
        try await body(folder)
    }
}
