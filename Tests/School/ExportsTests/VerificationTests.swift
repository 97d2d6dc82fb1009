import Exports
import Foundation
import TestKit
import Testing

@Suite struct VerifyingExports {
    @Test func `an untouched export matches its manifests`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                try school.attempt(.sam, at: try school.give("two\nlines, \"quoted\""), hour: 8)
                let folder = try school.export(root, "2026-03-02")
                try school.export(root, "2026-03-03")
                let verification = try Verification.verify(root)
                #expect(verification.folders == 2)
                #expect(verification.findings.isEmpty)
                #expect(try Verification.verify(folder).folders == 1)
            }
        }
    }

    @Test(arguments: ["activity_reports.csv.gz", "handouts.ndjson.gz", "load.sql"])
    func `a flipped byte is detected`(name: String) async throws {
        try await tampered { folder in
            var bytes = try content(name, in: folder)
            bytes[bytes.count / 2] ^= 1
            try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
            return name
        }
    }

    @Test func `a missing file is detected`() async throws {
        try await tampered { folder in
            try FileManager.default.removeItem(atPath: "\(folder)/assignments.csv.gz")
            return "assignments.csv.gz"
        }
    }

    @Test func `a truncated file is detected`() async throws {
        try await tampered { folder in
            let bytes = try content("handouts.csv.gz", in: folder)
            try Data(bytes.dropLast(9)).write(to: URL(filePath: "\(folder)/handouts.csv.gz"))
            return "handouts.csv.gz"
        }
    }

    @Test func `an extra file is detected`() async throws {
        try await tampered { folder in
            try Data("more".utf8).write(to: URL(filePath: "\(folder)/people.csv"))
            return "people.csv"
        }
    }

    @Test(arguments: ["activity_reports.csv.gz", "handouts.ndjson.gz"])
    func `a wrong count is detected`(name: String) async throws {
        try await tampered { folder in
            let manifest = String(decoding: try content("manifest.json", in: folder), as: UTF8.self)
            let wrong = manifest.replacingOccurrences(
                of: "\"name\":\"\(name)\",\"rows\":1", with: "\"name\":\"\(name)\",\"rows\":2")
            #expect(wrong != manifest)
            try Data(wrong.utf8).write(to: URL(filePath: "\(folder)/manifest.json"))
            return name
        }
    }

    @Test func `a folder without a manifest is detected, and a missing folder refused`()
        async throws
    {
        try await tampered { folder in
            try FileManager.default.removeItem(atPath: "\(folder)/manifest.json")
            return "2026-03-02"
        }
        try await withFolder { root in
            #expect(throws: ExportError.self) { try Verification.verify(root) }
            #expect(throws: ExportError.self) { try Verification.verify(root + "/nothing") }
        }
    }

    /// Exports, damages one thing, and expects it to be the only one that is reported, by its name.
    private func tampered(_ damage: (String) throws -> String) async throws {
        try await withSchool { school in
            try await withFolder { root in
                try school.attempt(.sam, at: try school.give(), hour: 8)
                let folder = try school.export(root, "2026-03-02")
                #expect(try Verification.verify(root).findings.isEmpty)
                let name = try damage(folder)
                let paths = Set(try Verification.verify(root).findings.map(\.path))
                #expect(paths.count == 1)
                #expect(paths.first?.hasSuffix("/\(name)") == true)
            }
        }
    }
}
