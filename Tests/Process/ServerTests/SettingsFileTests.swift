import Foundation
import Glibc
import TestKit
import Testing

@testable import Server
@testable import ServerKit

/// Commands read the settings of the service by themselves.
@Suite struct SettingsFiles {
    /// Gives the body the path of a file with this text.
    private func withFile<Value>(
        _ text: String, mode: mode_t = 0o640, _ body: (String) async throws -> Value
    ) async throws -> Value {
        let path = NSTemporaryDirectory() + "environment-\(UUID().uuidString)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, mode)
        defer { unlink(path) }
        return try await body(path)
    }

    private func settings(
        _ environment: [String: String], flags: [String: String] = [:], named: String? = nil,
        otherwise path: String?
    ) throws -> Settings {
        try SettingsFile.settings(environment, flags: flags, named: named, otherwise: path)
    }

    @Test func `without a variable, the file of the service says what a command is about`()
        async throws
    {
        try await withFile("HOMEROOM_DATABASE_URL=postgresql://x\nHOMEROOM_LOG=json\nTZ=x\n") {
            path in
            let read = try settings(["HOME": "/root"], otherwise: path)
            #expect(read.databaseURL == "postgresql://x" && read.log == .json)
            #expect(read.dataFolder == "/var/lib/homeroom", "as the unit of the service has it")
            let flagged = try settings([:], flags: ["log": "off"], otherwise: path)
            #expect(flagged.log == .off && flagged.databaseURL == "postgresql://x")
            let secret = try settings(["HOMEROOM_CLIENT_SECRET": "s"], otherwise: path)
            #expect(secret.databaseURL == "postgresql://x" && secret.clientSecret == "s")
        }
    }

    @Test func `a variable means another installation, and the file is left alone`() async throws {
        try await withFile("HOMEROOM_DATABASE_URL=postgresql://x\nwrong") { path in
            let read = try settings(["HOMEROOM_DATA": "/srv/other"], otherwise: path)
            #expect(read.databaseURL == nil && read.dataFolder == "/srv/other")
        }
        #expect(try settings(["HOME": "/h"], otherwise: "/nowhere/at/all").databaseURL == nil)
        #expect(try settings(["HOME": "/h"], otherwise: nil).databaseURL == nil)
    }

    @Test func `a file that is named is read in any case, and variables override it`() async throws
    {
        try await withFile("HOMEROOM_LOG=json\nHOMEROOM_LOOPS=3\nHOMEROOM_DATA=/srv/own") { path in
            let read = try settings(["HOMEROOM_LOOPS": "5"], named: path, otherwise: nil)
            #expect(read.log == .json && read.loops == 5 && read.dataFolder == "/srv/own")
        }
        #expect(throws: Settings.Unreadable.self) {
            try settings([:], named: "/nowhere/at/all", otherwise: nil)
        }
    }

    @Test(arguments: [
        (
            "HOMEROOM_LOG=json\n\nHOMEROOM_LISTN=x\n",
            ", line 3: HOMEROOM_LISTN is not a setting. Did you"
        ),
        ("# x\nHOMEROOM_LOG=loud", ", line 2: HOMEROOM_LOG should be text, json or off"),
        ("HOMEROOM_LOG json", ", line 1: this is not NAME=value"),
    ])
    func `a mistake in the file is named with its line`(text: String, said: String) async throws {
        try await withFile(text) { path in
            let error = #expect(throws: Settings.Unreadable.self) {
                try settings([:], otherwise: path)
            }
            #expect(
                error?.description.hasPrefix(path + said) == true, "\(error?.description ?? "")")
        }
    }

    @Test(arguments: [0o660, 0o646] as [mode_t])
    func `a file that others can change is not followed`(mode: mode_t) async throws {
        try await withFile("HOMEROOM_SQL=/tmp/mine", mode: mode) { path in
            let error = #expect(throws: Settings.Unreadable.self) {
                try settings([:], otherwise: path)
            }
            #expect(error?.description.contains("can be changed by others than root") == true)
        }
        guard geteuid() == 0 else { return }
        try await withFile("HOMEROOM_SQL=/tmp/mine") { path in
            chown(path, 65_534, 0)
            #expect(throws: Settings.Unreadable.self) { try settings([:], otherwise: path) }
        }
    }

    @Test func `the command itself reads it, and refuses what it may not read`() async throws {
        try await withSchool { school in
            let url = school.ownerURL + " user=school_server"
            try await withFile("HOMEROOM_DATABASE_URL=\"\(url)\"\n", mode: 0o644) { path in
                // As whom the tests reach their database.
                var homeroom = Homeroom(dataFolder: "/nowhere")
                let account = homeroom.account
                homeroom.account = nil
                let run = try await homeroom("organization", "list", "--settings", path)
                #expect(run.status == 0 && run.output.contains("Hillside"), "\(run.complaints)")
                guard geteuid() == 0 else { return }
                chmod(path, 0o600)
                homeroom.account = account
                let refused = try await homeroom("organization", "list", "--settings", path)
                #expect(refused.status == 64)
                #expect(refused.complaints.contains("run this as root"), "\(refused.complaints)")
            }
        }
    }
}
