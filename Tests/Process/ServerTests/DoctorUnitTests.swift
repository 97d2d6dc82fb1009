import Foundation
import TestKit
import Testing

@testable import ServerKit

/// What `homeroom-doctor-failed.service` does, run as systemd would, with stand-ins for the journal and for sendmail.
@Suite struct DoctorUnits {
    private static let folder = URL(filePath: TestDatabase.sqlFolder)
        .deletingLastPathComponent().appending(path: "deploy/systemd")

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    @Test func `a failed check starts the report, also where the service cannot start`() throws {
        let unit = try Self.text("homeroom-doctor.service")
        #expect(unit.contains("\nOnFailure=homeroom-doctor-failed.service\n"))
        #expect(unit.contains("\nExecStart=/usr/local/bin/homeroom doctor\n"))
        #expect(unit.contains("\nRequires=homeroom.service\n"))
    }

    @Test func `mail and hook get what the check said, of the run that failed`() async throws {
        let report = try await report(mail: "ada@hillside.example", hook: "cat >\"$OUT/hooked\"")
        #expect(report.status == 0, "\(report.complaints)")
        let mail = try #require(report.mail)
        #expect(mail.hasPrefix("-t\nTo: ada@hillside.example\nSubject: Homeroom on "))
        #expect(mail.hasSuffix(" is not well\n\nrun 7b: Not everything is well: 1 error.\n"))
        #expect(report.hooked == "run 7b: Not everything is well: 1 error.\n")
    }

    @Test func `each is called only if it is set`() async throws {
        let none = try await report(mail: nil, hook: nil)
        #expect(none.status == 0 && none.mail == nil && none.hooked == nil)
        let mail = try await report(mail: "ada@hillside.example", hook: nil)
        #expect(mail.status == 0 && mail.mail != nil && mail.hooked == nil)
        let hook = try await report(mail: nil, hook: "cat >\"$OUT/hooked\"")
        #expect(hook.status == 0 && hook.mail == nil && hook.hooked != nil)
    }

    @Test func `a mail that cannot be sent keeps nothing from the hook, and is a failure`()
        async throws
    {
        let report = try await report(mail: "broken", hook: "cat >\"$OUT/hooked\"")
        #expect(report.status == 1)
        #expect(report.hooked?.contains("Not everything is well") == true)
        let hook = try await self.report(mail: nil, hook: "exit 3")
        #expect(hook.status == 1)
    }

    @Test func `without a mail server the report says so, and the hook gets it`() async throws {
        let report = try await report(
            mail: "ada@hillside.example", hook: "cat >\"$OUT/hooked\"", hasMailServer: false)
        #expect(report.status == 1 && report.hooked != nil)
        #expect(
            report.complaints
                == "No mail was sent: sendmail is missing. Install a mail server, such as postfix or msmtp-mta.\n"
        )
    }

    private struct Report {
        let status: Int32
        let complaints: String
        let mail: String?
        let hooked: String?
    }

    /// What stands in for the programs that the unit runs.
    private static let programs = [
        "journalctl": """
        [ "$*" = "--quiet --output=cat _SYSTEMD_INVOCATION_ID=7b" ] || exit 9
        echo "run 7b: Not everything is well: 1 error."
        """,
        "sendmail": """
        [ "$HOMEROOM_DOCTOR_MAIL" != broken ] || exit 75
        { echo "$*"; cat; } >"$OUT/mailed"
        """,
    ]

    /// Runs the unit's command.
    private func report(
        mail: String?, hook: String?, hasMailServer: Bool = true
    ) async throws -> Report {
        let unit = try Self.text("homeroom-doctor-failed.service")
        let line = try #require(unit.firstMatch(of: /\nExecStart=\/bin\/sh -c '((?:.|\n)+?)'\n/))
        // systemd joins the lines, and would expand these.
        let script = String(line.1).replacing("\\\n", with: " ")
        #expect(!script.contains("%") && !script.contains("${") && !script.contains("$$"))
        let out = FileManager.default.temporaryDirectory.appending(
            path: "report-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: out) }
        for (name, text) in Self.programs where hasMailServer || name != "sendmail" {
            let path = out.appending(path: name).path
            #expect(
                FileManager.default.createFile(
                    atPath: path, contents: Data("#!/bin/sh\n\(text)\n".utf8),
                    attributes: [.posixPermissions: 0o755]))
        }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script]
        var environment = ["PATH": "\(out.path):/usr/bin:/bin", "OUT": out.path]
        environment["MONITOR_INVOCATION_ID"] = "7b"
        environment["HOMEROOM_DOCTOR_MAIL"] = mail
        environment["HOMEROOM_DOCTOR_HOOK"] = hook
        process.environment = environment
        let run = try await Homeroom.finish(process)
        func read(_ name: String) -> String? {
            try? String(contentsOf: out.appending(path: name), encoding: .utf8)
        }
        return Report(
            status: run.status, complaints: run.complaints, mail: read("mailed"),
            hooked: read("hooked"))
    }
}
