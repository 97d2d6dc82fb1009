import Exports
import Foundation
import Postgres
import School
import TestKit
import Testing

/// `load.sql`, run by psql as a receiver would.
@Suite struct LoadingExports {
    @Test func `night after night a receiver ends with the contents of a full export`() async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                let title = "A \"quoted\", comma\nand \\ backslash"
                let cells = try school.give(title)
                let genes = try school.give("Genes", recipients: [.sam, .sue])
                try school.attempt(.sam, at: cells, hour: 8, progress: 0.3, score: 4)
                try school.attempt(.sue, at: cells, hour: 8)
                let old = try school.give("Old")
                try school.attempt(.sue, at: old, hour: 8)
                let first = try school.export(root, "2026-03-02")

                try school.attempt(.sue, at: cells, hour: 9, score: 9)
                try school.sql(
                    "select school.delete_activities(\(school.hillside), \(school.id(.sam)))")
                let tom = school.caller(.tom)
                try school.sql("select school.delete_handout(\(old.handout), null)", as: tom)
                try school.sql(
                    """
                    delete from school.handout_recipient
                     where handout_id = \(genes.handout) and person_id = \(school.id(.sue))
                    """, as: tom)
                let second = try school.export(root, "2026-03-03")
                let full = try school.export(root, "2026-03-04", full: true)

                try school.sql("create schema night")
                try school.sql("create schema whole")
                for folder in [first, first, second] { try load(folder, into: "night", of: school) }
                let handouts = try school.sql("select title from night.handouts order by title")
                #expect(try handouts.map { try $0.text("title") } == [title, "Genes"])
                try load(full, into: "whole", of: school)
                for difference in differences {
                    #expect(try school.sql(difference).count == 0)
                }
                let scores = try school.sql(
                    "select primary_score from night.activity_reports order by started_at")
                #expect(try scores.map { try $0.optionalDouble("primary_score") } == [nil, 9])
            }
        }
    }

    /// Rows that only one of the two receivers has, for each data set.
    private let differences: [Statement] = [
        """
        (table night.handouts except table whole.handouts)
        union all (table whole.handouts except table night.handouts)
        """,
        """
        (table night.assignments except table whole.assignments)
        union all (table whole.assignments except table night.assignments)
        """,
        """
        (table night.activity_reports except table whole.activity_reports)
        union all (table whole.activity_reports except table night.activity_reports)
        """,
        """
        (table night.marks except table whole.marks)
        union all (table whole.marks except table night.marks)
        """,
        """
        (table night.class_summaries except table whole.class_summaries)
        union all (table whole.class_summaries except table night.class_summaries)
        """,
        """
        (table night.deletions except table whole.deletions)
        union all (table whole.deletions except table night.deletions)
        """,
    ]
}

/// Runs `load.sql` as a receiver would, into a schema of its own.
func load(_ folder: String, into schema: String, of school: TestSchool) throws {
    let complaint = try complaint(ofLoading: folder, into: schema, of: school)
    #expect(complaint == nil)
}

/// The same; whether that succeeds.
func loads(_ folder: String, into schema: String, of school: TestSchool) throws -> Bool {
    try complaint(ofLoading: folder, into: schema, of: school) == nil
}

private func complaint(
    ofLoading folder: String, into schema: String, of school: TestSchool
) throws -> String? {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["psql", "-X", "-q", "-d", school.ownerURL, "-f", "load.sql"]
    process.currentDirectoryURL = URL(filePath: folder)
    var variables = ProcessInfo.processInfo.environment
    variables["PGOPTIONS"] = "-c search_path=\(schema) -c client_min_messages=warning"
    process.environment = variables
    let complaints = Pipe()
    process.standardError = complaints
    try process.run()
    let text = complaints.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? nil : String(decoding: text, as: UTF8.self)
}
