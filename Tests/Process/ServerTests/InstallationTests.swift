import Foundation
import Glibc
import JSONBytes
import Postgres
import TestKit
import Testing

@testable import ServerKit

@Suite struct MigrateAndOpen {
    @Test func `an external database is migrated by its owner and used as it is`() async throws {
        let databases = try TestDatabase.shared()
        try databases.connect(to: "postgres").execute("create database external")
        defer { databases.drop("external") }
        let homeroom = Homeroom(
            databaseURL: databases.url("external", user: "school_server"),
            migrationURL: databases.url("external", user: nil))
        let words = [
            "organization", "create", "--name", "Oak", "--domain", "oak.example",
            "--administrator", "ada@oak.example",
        ]
        let early = try await homeroom.run(words)
        #expect(early.status == 1)
        #expect(early.complaints.contains("homeroom migrate"))

        let first = try await homeroom("migrate", "--json")
        #expect(first.json["wasCurrent"]?.bool == false)
        #expect(first.json["applied"]?.array?.isEmpty == false)
        let second = try await homeroom("migrate", "--json")
        #expect(second.json["wasCurrent"]?.bool == true)
        #expect(second.json["applied"]?.array == [])
        #expect(try await homeroom.run(words).status == 0)

        let connection = try databases.connect(to: "external")
        try connection.query("update school.applied_schema set sha256 = sha256('other')")
        let other = try await homeroom.run(words)
        #expect(other.status == 1)
        #expect(other.complaints.contains("homeroom migrate"))
    }

    @Test func `an unreachable database is reported without its URL`() async throws {
        let homeroom = Homeroom(
            databaseURL: "host=/nowhere dbname=none user=someone password=secret-word")
        let failed = try await homeroom("migrate")
        #expect(failed.status == 1)
        #expect(!failed.complaints.isEmpty)
        #expect(!failed.complaints.contains("secret-word"))
    }

    @Test func `commands start the private database for the call, and share it`() async throws {
        let folder = "/tmp/homeroom-commands-\(getpid())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let homeroom = Homeroom(dataFolder: folder)
        if let account = homeroom.account, let entry = getpwnam(account) {
            chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid)
        }
        @Sendable func create(_ name: String) async throws -> Homeroom.Run {
            try await homeroom(
                "organization", "create", "--name", name, "--domain", "\(name).example",
                "--administrator", "ada@\(name).example", "--json")
        }
        async let oak = create("oak")
        async let elm = create("elm")
        let runs = try await [oak, elm]
        for run in runs { #expect(run.status == 0, "\(run.complaints)") }
        #expect(!isRunning(folder), "the last one to leave stops it")

        let again = try await create("oak")
        #expect(again.status == 1)
        #expect(again.complaints.contains("oak.example"))
        #expect(!isRunning(folder))
    }

    @Test func `root learns which account is missing`() async throws {
        guard geteuid() == 0, getpwnam("homeroom") == nil else { return }
        var homeroom = Homeroom(dataFolder: "/tmp/homeroom-root-\(getpid())")
        homeroom.account = nil
        let refused = try await homeroom("migrate")
        #expect(refused.status == 1)
        #expect(refused.complaints.contains("useradd"))
    }

    @Test func `a service that root starts drops root, whoever runs the database`()
        async throws
    {
        guard geteuid() == 0 else { return }
        try await withServer { _, server in
            let status = try String(
                contentsOfFile: "/proc/\(server.processID)/status", encoding: .utf8)
            let lines = status.split(separator: "\n").filter {
                $0.hasPrefix("Uid:") || $0.hasPrefix("Gid:") || $0.hasPrefix("CapEff:")
            }
            #expect(lines.count == 3)
            for line in lines {
                let numbers = line.split(separator: "\t").dropFirst()
                let isCapability = line.hasPrefix("CapEff:")
                #expect(
                    numbers.allSatisfy { isCapability == ($0.allSatisfy { $0 == "0" }) }, "\(line)")
            }
        }
    }

    @Test func `root learns which account is missing, even over an external database`()
        async throws
    {
        guard geteuid() == 0 else { return }
        let homeroom = Homeroom(databaseURL: "host=/nowhere").with(
            "HOMEROOM_ACCOUNT", "no-such-account")
        let refused = try await homeroom("serve", "--listen", "127.0.0.1:0")
        #expect(refused.status == 1)
        #expect(refused.complaints.contains("no account no-such-account"))
    }

    private func isRunning(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(folder)/postgresql/postmaster.pid")
    }
}

@Suite struct Words {
    @Test func `no command and an unknown one end with 64, help with 0`() async throws {
        let homeroom = Homeroom(databaseURL: "host=/nowhere")
        let nothing = try await homeroom.run([])
        #expect(nothing.status == 64)
        let unknown = try await homeroom("organization", "destroy")
        #expect(unknown.status == 64)
        #expect(unknown.complaints.contains("organization create"))
        let help = try await homeroom("token", "create", "--help")
        #expect(help.status == 0)
        #expect(help.output.contains("--expires TIME"))
    }
}
