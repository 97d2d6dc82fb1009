import Foundation
import JSONBytes
import TestKit
import Testing

@testable import Server
@testable import ServerKit

/// How the command answers incorrect use.
@Suite struct Usage {
    private let homeroom = Homeroom(dataFolder: "/nowhere")

    @Test(arguments: [
        (["sevre"], "sevre is not a command. Did you mean homeroom serve?"),
        (["organisation", "list"], "Did you mean homeroom organization list?"),
        (
            ["token", "lsit"],
            """
            token lsit is not a command. Known: homeroom token create, homeroom token list, \
            homeroom token revoke.
            """
        ),
        (["frobnicate"], "frobnicate is not a command. Known: serve, migrate, "),
        (["serve", "--lissten", "x"], "Did you mean --listen? See: homeroom serve --help"),
        (["migrate", "now"], "migrate takes no arguments without a name. See: homeroom migrate"),
        (["token", "create"], "--organization is needed. See: homeroom token create --help"),
    ])
    func `a mistake gets one helpful line`(words: [String], text: String) async throws {
        var homeroom = homeroom
        homeroom.account = nil
        let run = try await homeroom.run(words)
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
        #expect(run.complaints.contains(text), "\(run.complaints)")
        #expect(run.complaints.split(separator: "\n").count == 1)
    }

    @Test(arguments: [
        ("HOMEROOM_LISTN", "HOMEROOM_LISTN is not a setting. Did you mean HOMEROOM_LISTEN?"),
        ("HOMEROOM_DATABSE_URL", "Did you mean HOMEROOM_DATABASE_URL?"),
        ("HOMEROOM_WEATHER", "HOMEROOM_WEATHER is not a setting. Known: HOMEROOM_"),
    ])
    func `a misspelt variable is refused by name`(
        variable: String, text: String
    ) async throws {
        var homeroom = homeroom.with(variable, "secret")
        homeroom.account = nil
        for command in ["doctor", "serve"] {
            let run = try await homeroom(command)
            #expect(run.status == 64)
            #expect(run.complaints.contains(text), "\(run.complaints)")
            #expect(!run.complaints.contains("secret"))
        }
    }

    @Test func `every setting has a flag and is in the help`() async throws {
        let settings = try Settings(environment: [:])
        #expect(settings.names.count >= 12)
        let help = try await homeroom.run(["serve", "--help"]).output
        for name in settings.names {
            let flag = name.lowercased().replacing("_", with: "-")
            #expect(help.contains("--\(flag) "), "\(name)")
            #expect(help.contains("HOMEROOM_\(name))"), "\(name)")
        }
    }

    @Test func `command, API document and changelog name the same version`() async throws {
        let run = try await homeroom.run(["--version"])
        #expect(run.status == 0)
        #expect(run.output == "homeroom \(Program.version)\n")

        try await withSchool { school in
            let document = try await school.get("/openapi.json", as: nil).json
            #expect(document["info"]?["version"]?.text == Program.version)
        }

        let file = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
            .appending(path: "CHANGELOG.md")
        let changes = try String(contentsOf: file, encoding: .utf8)
        let newest = try #require(changes.firstMatch(of: #/(?m)^## \[([0-9.]+)\] - /#))
        #expect(newest.1 == Program.version)
    }
}
