import Foundation
import HTTPServer
import TestKit
import Testing

@testable import ServerKit

/// The units of `deploy/systemd`, as systemd itself reads them.
@Suite struct ServiceUnits {
    private static let analyze = "/usr/bin/systemd-analyze"
    private static let isInstalled = FileManager.default.isExecutableFile(atPath: analyze)
    private static let folder = URL(filePath: TestDatabase.sqlFolder)
        .deletingLastPathComponent().appending(path: "deploy/systemd")

    @Test(.enabled(if: isInstalled, "systemd-analyze is not installed"))
    func `systemd finds no fault with the units`() async throws {
        let run = try await verify { $0 }
        #expect(run.status == 0)
        #expect(run.output + run.complaints == "")
    }

    @Test(.enabled(if: isInstalled, "systemd-analyze is not installed"))
    func `systemd would find one`() async throws {
        let run = try await verify { text in
            text.replacingOccurrences(of: "WatchdogSec=", with: "WatchdogSecs=")
        }
        #expect(run.complaints.contains("WatchdogSecs"))
    }

    @Test func `every line of the service's hardening has its reason above it`() throws {
        let text = try String(
            contentsOf: Self.folder.appending(path: "homeroom.service"), encoding: .utf8)
        for word in ["NoNewPrivileges=yes", "ProtectSystem=strict", "SystemCallFilter=", "User="] {
            #expect(text.contains("\n\(word)"), "\(word)")
        }
        for block in text.components(separatedBy: "\n\n") where !block.hasPrefix("[Install]") {
            let first = block.split(separator: "\n").first { !$0.hasPrefix("[") }
            let isExplained = first?.hasPrefix("#") == true || block.hasPrefix("[Unit]")
            #expect(isExplained, "\(block)")
        }
    }

    @Test(arguments: ["homeroom-export.timer", "homeroom-backup.timer"])
    func `the time of a timer exists on every night, wherever the school is`(unit: String) throws {
        let text = try String(
            contentsOf: Self.folder.appending(path: unit), encoding: .utf8)
        let found = try #require(text.firstMatch(of: /\nOnCalendar=\*-\*-\* ([0-9]+):([0-9]+)\n/))
        let second = try #require(Int(found.1)) * 3600 + #require(Int(found.2)) * 60
        let begin = Date(timeIntervalSince1970: 1_767_225_600)
        let end = begin.addingTimeInterval(10 * 366 * 86_400)
        var transitions = 0
        for name in TimeZone.knownTimeZoneIdentifiers {
            guard let zone = TimeZone(identifier: name) else { continue }
            var moment = begin
            while let next = zone.nextDaylightSavingTimeTransition(after: moment), next < end {
                moment = next
                transitions += 1
                let before = Int(next.timeIntervalSince1970) + zone.secondsFromGMT(for: next - 1)
                let after = Int(next.timeIntervalSince1970) + zone.secondsFromGMT(for: next)
                guard after > before else { continue }
                let leftOut = before..<after
                let midnight = before - before % 86_400
                #expect(!leftOut.contains(midnight + second), "\(name)")
                #expect(!leftOut.contains(midnight + 86_400 + second), "\(name)")
            }
        }
        #expect(transitions > 1000)
    }

    @Test func `no failure ends the service or closes a socket for good`() throws {
        for (name, section, line) in [
            ("homeroom.service", "[Unit]", "StartLimitIntervalSec=0"),
            ("homeroom.socket", "[Socket]", "TriggerLimitIntervalSec=0"),
            ("homeroom-metrics.socket", "[Socket]", "TriggerLimitIntervalSec=0"),
        ] {
            let text = try String(
                contentsOf: Self.folder.appending(path: name), encoding: .utf8)
            let rest = try #require(text.components(separatedBy: "\n\(section)\n").last)
            let own = try #require(rest.components(separatedBy: "\n[").first)
            #expect(own.contains("\n\(line)\n"), "\(name)")
        }
    }

    /// One unit that is left open, such as the socket of the metrics, starts the service in the middle of a restore.
    @Test func `maintenance stops every unit, those that come later too`() throws {
        let text = try String(
            contentsOf: Self.folder.appending(path: "homeroom-maintenance.target"), encoding: .utf8)
        func units(_ key: String) -> [String] {
            text.split(separator: "\n").filter { $0.hasPrefix("\(key)=") }
                .flatMap { $0.dropFirst(key.count + 1).split(separator: " ").map(String.init) }
        }
        // The report of a failed check touches no database.
        let others = ["homeroom-maintenance.target", "homeroom-doctor-failed.service"]
        let all = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
            .filter { !others.contains($0) }
        #expect(units("Conflicts").sorted() == all.sorted())
        #expect(units("After").sorted() == all.sorted(), "it is reached when they have ended")
    }

    @Test func `systemd waits longer than requests in flight may take`() throws {
        let text = try String(
            contentsOf: Self.folder.appending(path: "homeroom.service"), encoding: .utf8)
        let stop = try #require(text.firstMatch(of: /\nTimeoutStopSec=([0-9]+)\n/))
        let drain = HTTPServerSettings().drainMilliseconds
        #expect(try #require(Int(stop.1)) * 1000 > drain + 30_000)
    }

    /// Has systemd read the units, with this build in place of the installed program.
    private func verify(_ change: (String) -> String) async throws -> Homeroom.Run {
        let copies = FileManager.default.temporaryDirectory.appending(
            path: "units-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: copies) }
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(names.count == 11)
        for name in names {
            let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
            let own = text.replacingOccurrences(
                of: "/usr/local/bin/homeroom", with: Homeroom.executable)
            try change(own).write(
                to: copies.appending(path: name), atomically: true, encoding: .utf8)
        }
        let process = Process()
        process.executableURL = URL(filePath: Self.analyze)
        process.arguments =
            ["verify", "--man=no"] + names.map { copies.appending(path: $0).path }
        return try await Homeroom.finish(process)
    }
}
