import Exports
import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Each receiver's folder follows on from itself, whatever else was exported.
@Suite struct Receivers {
    @Test func `an export into another folder takes nothing from the nightly one`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                let (nightly, other) = ("\(root)/nightly", "\(root)/other")
                try school.give("Cells")
                try school.export(nightly, "2026-03-02")
                try await school.settle()
                try school.sql("update school.handout set title = 'Genes'")
                let aside = try school.export(other, "2026-03-03")
                #expect(try manifest(aside)["isFull"] == true, "it begins with everything")
                let second = try school.export(nightly, "2026-03-03")
                #expect(try manifest(second)["isFull"] == false)
                #expect(try rows("handouts", in: second).texts("title") == ["Genes"])
                for folder in [nightly, other] {
                    #expect(try Verification.verify(folder).findings == [])
                }
            }
        }
    }

    @Test func `a folder whose last export the database does not know gets everything`()
        async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                try school.give("Cells")
                try school.export(root, "2026-03-02")
                let second = try school.export(root, "2026-03-03")
                #expect(try manifest(second)["isFull"] == false)
                // As if a backup from before that night had been restored.
                try school.sql(
                    "delete from school.export_snapshot where exported_on = '2026-03-03'")
                let third = try school.export(root, "2026-03-04")
                #expect(try manifest(third)["isFull"] == true)
                try FileManager.default.removeItem(atPath: "\(root)/\(school.hillside.uuid)")
                let fourth = try school.export(root, "2026-03-05")
                #expect(try manifest(fourth)["isFull"] == true)
            }
        }
    }

    @Test func `a missing folder is found by verify, and refused by load`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                try school.give("Cells")
                let first = try school.export(root, "2026-03-02")
                let second = try school.export(root, "2026-03-03")
                let third = try school.export(root, "2026-03-04")
                try school.sql("create schema night")
                #expect(try loads(second, into: "night", of: school) == false, "nothing before it")
                #expect(try loads(first, into: "night", of: school))
                #expect(try loads(third, into: "night", of: school) == false)
                for folder in [second, third, second, third, first] {
                    #expect(try loads(folder, into: "night", of: school))
                }
                #expect(try loads(third, into: "night", of: school) == false, "the first again")
                #expect(try Verification.verify(root).findings == [])
                try FileManager.default.removeItem(atPath: second)
                let findings = try Verification.verify(root).findings
                #expect(findings.map(\.path) == [third])
                #expect(findings.first?.text.contains("a folder between them is missing") == true)
                try FileManager.default.removeItem(atPath: first)
                #expect(
                    try Verification.verify(root).findings == [],
                    "old folders may go, from the first on")
            }
        }
    }

    @Test func `who loaded folders before their order was kept goes on`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                try school.give("Cells")
                let first = try school.export(root, "2026-03-02")
                let second = try school.export(root, "2026-03-03")
                try school.sql("create schema night")
                try load(first, into: "night", of: school)
                try school.sql("drop table night.loaded_export")
                try load(second, into: "night", of: school)
            }
        }
    }

    @Test func `a date cannot come after a later one, or before it has begun`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                try school.export(root, "2026-03-03")
                var wishes = NightlyExport.Wishes(root: root)
                wishes.day = Day("2026-03-02")
                #expect(
                    complaint { try school.outcome(wishes) }
                        == "The folder 2026-03-03 is there already, and receivers load folders in the order of their "
                        + "dates: 2026-03-02 cannot come after it.")
                wishes.day = try school.sql(
                    "select (school.moment() at time zone 'Europe/Berlin')::date + 2 as day")[0]
                    .day("day")
                #expect(complaint { try school.outcome(wishes) }?.contains("in the future") == true)
                let left = try FileManager.default.contentsOfDirectory(
                    atPath: "\(root)/\(school.hillside.uuid)")
                #expect(left == ["2026-03-03"])
            }
        }
    }
}

private func complaint(_ body: () throws -> NightlyExport.Outcome) -> String? {
    do {
        _ = try body()
        return nil
    } catch {
        return "\(error)"
    }
}

private func manifest(_ folder: String) throws -> JSONValue {
    try JSONValue(parsing: content("manifest.json", in: folder))
}
