import Archive
import Foundation
import JSONBytes
import School
import TestKit
import Testing

/// Refusals because of the archive itself.
@Suite struct HostileArchives {
    @Test func `anything but an archive is refused`() async throws {
        try await withSchool { school in
            let outcome = try await school.importArchive(Array("person_id,first_name".utf8))
            #expect(outcome.errorLines == ["-:-:- not_an_archive"])
            let whole = try TestArchive.small.bytes()
            let cut = try await school.importArchive(Array(whole.dropLast(40)))
            #expect(cut.errorLines == ["-:-:- not_an_archive"])
        }
    }

    @Test func `names that leave the archive are refused`() async throws {
        try await withSchool { school in
            for name in ["../students.csv", "/etc/students.csv", "a\\students.csv"] {
                var archive = TestArchive.small
                archive.files[name] = "x"
                let outcome = try await school.importArchive(archive)
                #expect(outcome.errorLines == ["\(name):-:- unsafe_archive"])
            }
        }
    }

    @Test func `an archive that unpacks to a suspicious size is refused`() async throws {
        try await withSchool { school in
            var archive = TestArchive.small
            archive.files["rosters.csv"] = String(repeating: "0", count: 4 << 20)
            let outcome = try await school.importArchive(archive)
            #expect(outcome.errorLines == ["rosters.csv:-:- unsafe_archive"])
        }
    }

    @Test func `files in a folder are not found by a strict import`() async throws {
        try await withSchool { school in
            var archive = TestArchive()
            for (name, text) in TestArchive.small.files { archive.files["export/\(name)"] = text }
            let outcome = try await school.importArchive(archive, strict: true)
            #expect(outcome.status == "failed")
            #expect(outcome.errorLines.count { $0.hasSuffix("file_in_folder") } == 6)
            #expect(outcome.errorLines.count { $0.hasSuffix("missing_file") } == 6)
        }
    }

    @Test func `after the first import every file must be there`() async throws {
        try await withSchool { school in
            var archive = TestArchive.small
            archive.files["rosters.csv"] = nil
            #expect(try await school.importArchive(archive).status == "succeeded")
            let before = try school.fingerprint()
            let outcome = try await school.importArchive(archive)
            #expect(outcome.errorLines == ["rosters.csv:-:- missing_file"])
            #expect(try school.fingerprint() == before)
        }
    }
}
