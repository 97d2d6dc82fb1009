import Foundation
import TestKit
import Testing

@testable import ServerKit

/// The units of `deploy/container`, which do in a container what those of `deploy/systemd` do on a machine.
@Suite struct ContainerUnits {
    private static let analyze = "/usr/bin/systemd-analyze"
    private static let isInstalled = FileManager.default.isExecutableFile(atPath: analyze)
    private static let deploy = URL(filePath: TestDatabase.sqlFolder)
        .deletingLastPathComponent().appending(path: "deploy")
    private static let folder = deploy.appending(path: "container")

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: deploy.appending(path: path), encoding: .utf8)
    }

    @Test(.enabled(if: isInstalled, "systemd-analyze is not installed"))
    func `systemd finds no fault with them`() async throws {
        let process = Process()
        process.executableURL = URL(filePath: Self.analyze)
        process.arguments =
            ["verify", "--man=no"]
            + ["service", "timer"].map {
                Self.folder.appending(path: "homeroom-nightly.\($0)").path
            }
        let run = try await Homeroom.finish(process)
        #expect(run.status == 0)
        #expect(run.output + run.complaints == "")
    }

    @Test func `at night they run what the machine's units run`() throws {
        let nightly = try Self.text("container/homeroom-nightly.service")
        for name in ["export", "backup", "doctor"] {
            let unit = try Self.text("systemd/homeroom-\(name).service")
            let line = try #require(
                unit.firstMatch(of: /\nExecStart=\/usr\/local\/bin\/(homeroom .+)\n/))
            #expect(nightly.contains(" podman exec homeroom \(line.1) || "), "\(name)")
        }
        let times = try ["container/homeroom-nightly.timer", "systemd/homeroom-export.timer"].map {
            try Self.text($0).firstMatch(of: /\nOnCalendar=(.+)\n/).map { String($0.1) }
        }
        #expect(times[0] != nil && times[0] == times[1])
    }

    @Test(arguments: ["export", "backup", "doctor", "nothing"])
    func `one that fails keeps nothing from the others, and is a failure`(
        broken: String
    ) async throws {
        let unit = try Self.text("container/homeroom-nightly.service")
        let line = try #require(unit.firstMatch(of: /\nExecStart=\/bin\/sh -c '((?:.|\n)+?)'\n/))
        // systemd joins the lines, and would expand these.
        let script = String(line.1).replacing("\\\n", with: " ")
        #expect(!script.contains("%") && !script.contains("${") && !script.contains("$$"))
        let standIn = #"podman() { echo "$4"; [ "$4" != "$0" ]; }"#
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "\(standIn)\n\(script)", broken]
        let run = try await Homeroom.finish(process)
        #expect(run.output == "export\nbackup\ndoctor\n", "\(run.complaints)")
        #expect(run.status == (broken == "nothing" ? 0 : 1))
    }
}
