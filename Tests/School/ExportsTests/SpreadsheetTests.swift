import Exports
import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// What the CSV files make harmless for spreadsheets, and what receivers make of it.
@Suite struct DisarmedTexts {
    static let texts = [
        "=HYPERLINK(\"https://example.org\")", "+1", "-1", "@SUM(A1)", "'=already", "''+twice",
        "\tTabbed", "=a\nb", "'tis", "plain - text", "'", "1=1",
    ]

    @Test func `are harmless in CSV, exact in NDJSON, and exact again once loaded`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                for text in Self.texts {
                    let given = try school.give("x")
                    try school.sql(
                        "update school.handout set title = \(text) where handout_id = \(given.handout)"
                    )
                }
                try school.sql(
                    "update school.person set given_name = '=Sam' where person_id = \(school.id(.sam))"
                )
                let folder = try school.export(root, "2026-03-02")
                #expect(try rows("handouts", in: folder).texts("title") == Self.texts.sorted())

                let table = try records("handouts", in: folder)
                let column = try #require(table.first?.firstIndex(of: "title"))
                let titles = table.dropFirst().map { $0[column] }
                let expected = Self.texts.map {
                    ["'tis", "plain - text", "'", "1=1"].contains($0) ? $0 : "'" + $0
                }
                #expect(titles.sorted() == expected.sorted())
                for sheet in ["assignments", "handouts"] {
                    for field in try records(sheet, in: folder).joined() {
                        #expect(!["=", "+", "-", "@", "\t"].contains { field.hasPrefix($0) })
                    }
                }
                let names = try records("assignments", in: folder).joined()
                #expect(names.contains("'=Sam"))

                try school.sql("create schema receiver")
                try load(folder, into: "receiver", of: school)
                let loaded = try school.sql("select title from receiver.handouts")
                #expect(try loaded.map { try $0.text("title") }.sorted() == Self.texts.sorted())
                let people = try school.sql(
                    "select distinct given_name as name from receiver.assignments")
                #expect(try people.map { try $0.text("name") }.sorted() == ["=Sam", "Sue"])
                let schema = String(decoding: try content("schema.json", in: folder), as: UTF8.self)
                #expect(schema.contains("one more apostrophe in front"))
            }
        }
    }
}
