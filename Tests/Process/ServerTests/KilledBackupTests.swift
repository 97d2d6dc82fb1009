import AloneKit
import Foundation
import Glibc
import JSONBytes
import TestKit
import Testing
import WaitKit

@testable import ServerKit

/// A backup that the kernel kills while pgBackRest copies.
@Suite(.alone, .timeLimit(.minutes(15))) struct KilledBackup {
    @Test func `the next backup is sound, and is the only one`() async throws {
        try await withBackedUpSchool { school in
            _ = try school.addPerson("Ann")
            let folder = school.backup
            let process = school.homeroom.process(["backup", folder])
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            // On a thread of its own: among busy tasks, a small backup would be over between two looks.
            try await onThread {
                let isUnderWay = becomes { isCopying(into: folder) }
                #expect(isUnderWay, "nothing was copied")
                kill(try commandID(of: process), SIGKILL)
                process.waitUntilExit()
            }
            // Where another account runs it, its parent reports the signal as a shell does.
            let isKilled =
                process.terminationReason == .uncaughtSignal
                || process.terminationStatus == 128 + SIGKILL
            #expect(isKilled, "it ended by itself with \(process.terminationStatus)")

            // pgBackRest is asked to stop when its parent is gone, and takes a moment.
            let run = try await awaited(until: { !$0.complaints.contains("being taken already") }) {
                try await school.homeroom("backup", folder, "--json")
            }
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.json["isVerified"] == true)
            #expect(run.json["backups"]?.array?.count == 1)
        }
    }

    /// Whether a backup is begun in the folder and not complete.
    private func isCopying(into backup: String) -> Bool {
        let folder = "\(backup)/backup/homeroom"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { name in
            let manifest = "\(folder)/\(name)/backup.manifest"
            return FileManager.default.fileExists(atPath: "\(manifest).copy")
                && !FileManager.default.fileExists(atPath: manifest)
        }
    }

    /// The process of the command: `runuser`, which lets another account run it, may have it as its child.
    private func commandID(of process: Process) throws -> pid_t {
        let id = process.processIdentifier
        let name = try String(contentsOfFile: "/proc/\(id)/comm", encoding: .utf8)
        guard name.hasPrefix("runuser") else { return id }
        let children = try String(
            contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
        return try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
    }
}
