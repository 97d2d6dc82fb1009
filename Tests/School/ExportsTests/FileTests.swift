import Exports
import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct ExportedFiles {
    @Test func `the figures are those of the database`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                let given = try school.give()
                try school.attempt(.sam, at: given, hour: 8, progress: 0.25, score: 4, seconds: 90)
                try school.attempt(.sam, at: given, hour: 9, progress: 1, score: 8, seconds: 30.5)
                try school.attempt(.sue, at: given, hour: 8, progress: 0.4, score: 5, seconds: 100)
                try school.sql(
                    """
                    insert into school.assignment (organization_id, task_id, person_id, opened_at, done_at)
                    values (\(school.hillside), \(given.task), \(school.id(.sam)), now(), now())
                    """)
                let folder = try school.export(root, "2026-03-02")

                let reports = try rows("activity_reports", in: folder)
                #expect(reports.count == 3)
                let sams = reports.filter {
                    $0["person_id"]?.text == school.id(.sam).uuid.description
                }
                #expect(sams.numbers("attempt") == [1, 2])
                #expect(sams.map { $0["is_final"] } == [true, false])
                #expect(sams.numbers("progress") == [0.25, 1])
                #expect(sams.numbers("duration_seconds") == [90, 30.5])
                #expect(sams.numbers("primary_score") == [4, 8])
                #expect(sams[0]["person_source_id"] == "sis-sam")
                #expect(sams[0]["class_source_id"] == "class-Biology")
                #expect(sams[0]["identifier_path"] == ["unit-1"])
                #expect(sams[0]["items"]?[0]?["maxScore"]?.double == 10)

                let assignments = try rows("assignments", in: folder)
                #expect(assignments.texts("given_name") == ["Sam", "Sue"])
                #expect(assignments.count { $0["done_at"] != .null } == 1)
                #expect(try rows("handouts", in: folder).texts("title") == ["Cells"])

                let summary = try #require(try rows("class_summaries", in: folder).first)
                #expect(summary["students"]?.int64 == 2)
                #expect(summary["students_opened"]?.int64 == 2)
                #expect(summary["students_with_data"]?.int64 == 2)
                #expect(summary["attempts"]?.int64 == 3)
                #expect(summary["average_progress"]?.double == 0.55)
                #expect(summary["average_duration_seconds"]?.double == 110.25)
                #expect(summary["average_score_share"]?.double == 0.65)
            }
        }
    }

    @Test func `both formats carry the same values under the columns of the schema`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                let given = try school.give("A \"quoted\", comma\nand \\ backslash; ü \u{1F98A}")
                try school.attempt(.sam, at: given, hour: 8, progress: 0.1, score: 3.5)
                try school.attempt(.sue, at: given, hour: 9)
                try school.sql("select school.delete_activities(\(school.hillside), null)")
                try school.attempt(.sam, at: given, hour: 10, progress: 1e-7, score: 0)
                try school.sql(
                    """
                    insert into school.mark (organization_id, mark_id, handout_id, person_id, points, maximum_points,
                                             given_at)
                    values (\(school.hillside), gen_random_uuid(), \(given.handout), \(school.id(.sam)), 7.25, 10,
                            now())
                    """)
                let folder = try school.export(root, "2026-03-02")
                for set in DataSet.all {
                    let lines = try rows(set.name, in: folder)
                    let table = try records(set.name, in: folder)
                    #expect(lines.count > 0)
                    #expect(table.first == set.columns.map(\.name))
                    #expect(table.count == lines.count + 1)
                    for (record, line) in zip(table.dropFirst(), lines) {
                        #expect(line.object?.keys == set.columns.map(\.name))
                        for (column, text) in zip(set.columns, record) {
                            let value = try #require(line[column.name])
                            #expect(try agree(text, value, column), "\(set.name) \(column.name)")
                        }
                    }
                }
            }
        }
    }

    @Test func `sums are shown as reports show them`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                let given = try school.give()
                try school.attempt(.sam, at: given, hour: 8, progress: 0.95, score: 1, seconds: 0.1)
                try school.attempt(.sam, at: given, hour: 9, progress: 0.9, score: 1, seconds: 0.2)
                try school.attempt(.sue, at: given, hour: 8, progress: 1, score: 2, seconds: 0.3)
                let folder = try school.export(root, "2026-03-02")
                let summary = try #require(try rows("class_summaries", in: folder).first)
                #expect(summary["average_progress"] == 0.95)
                #expect(summary["average_duration_seconds"] == 0.3)
                #expect(summary["average_score_share"] == 0.15)
            }
        }
    }

    @Test func `of attempts that began together the greater id is the latest`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                let given = try school.give()
                let first = try school.attempt(.sam, at: given, hour: 8, score: 2)
                let second = try school.attempt(.sam, at: given, hour: 8, score: 9)
                let folder = try school.export(root, "2026-03-02")
                let reports = try rows("activity_reports", in: folder)
                let ids = [first, second].map(\.description).sorted()
                #expect(reports.map { $0["activity_id"]?.text } == ids)
                #expect(reports.map { $0["is_final"] } == [true, false])
                let summary = try #require(try rows("class_summaries", in: folder).first)
                let latest = first.description > second.description ? 0.2 : 0.9
                #expect(summary["average_score_share"]?.double == latest)
            }
        }
    }

    @Test func `work done exactly when it is due is not late`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                let given = try school.give()
                try school.sql(
                    """
                    update school.handout set due_at = date_trunc('minute', now())
                     where handout_id = \(given.handout)
                    """)
                try school.sql(
                    """
                    insert into school.assignment (organization_id, task_id, person_id, done_at)
                    select \(school.hillside), \(given.task), p.person_id,
                           date_trunc('minute', now()) + p.later * interval '1 ms'
                      from (values (\(school.id(.sam))::uuid, 0), (\(school.id(.sue))::uuid, 1)) as p (person_id, later)
                    """)
                let folder = try school.export(root, "2026-03-02")
                let late = Dictionary(
                    uniqueKeysWithValues: try rows("assignments", in: folder).map {
                        ($0["given_name"]?.text ?? "", $0["is_late"])
                    })
                #expect(late == ["Sam": false, "Sue": true])
            }
        }
    }

    private func agree(_ text: String, _ value: JSONValue, _ column: DataColumn) throws -> Bool {
        switch column.kind {
        case _ where value.isNull: text.isEmpty
        case .uuid, .text, .timestamp: value.text == text
        case .json: try JSONValue(parsing: Array(text.utf8)) == value
        case .integer, .number, .boolean: value.description == text
        }
    }

    @Test func `the same state gives the same bytes, wherever and whenever`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                let given = try school.give()
                for hour in 1...9 {
                    try school.attempt(.sam, at: given, hour: hour, progress: Double(hour) / 11)
                    try school.attempt(.sue, at: given, hour: hour, score: Double(hour) / 3)
                }
                let first = try school.export(root + "/one", "2026-03-02")
                let second = try school.export(root + "/two", "2026-03-03", full: true)
                #expect(try fileNames(first) == fileNames(second))
                #expect(try fileNames(first).count == 15)
                for name in try fileNames(first) where name != "manifest.json" {
                    #expect(try content(name, in: first) == content(name, in: second), "\(name)")
                }
                #expect(try rows("activity_reports", in: first).count == 18)
            }
        }
    }

    @Test func `no file holds unassigned work or a managed ID`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                let given = try school.give()
                let seen = try school.attempt(.sam, at: given, hour: 8)
                let hidden = try school.attempt(.sam, at: nil, hour: 9)
                let draft = try school.give("Not yet", isDraft: true)
                let stored = try school.sql(
                    "select count(*) as count from school.activity where person_id = \(school.id(.sam))"
                )
                #expect(try stored[0].int("count") == 2, "the other one does exist")
                let drafts = try school.sql(
                    "select 1 from school.handout where handout_id = \(draft.handout)")
                #expect(drafts.count == 1)

                let folder = try school.export(root, "2026-03-02")
                #expect(
                    try rows("activity_reports", in: folder).texts("activity_id")
                        == [seen.description])
                for name in try fileNames(folder) where name.hasSuffix(".gz") {
                    let text = String(decoding: try unpacked(name, in: folder), as: UTF8.self)
                    #expect(!text.contains(hidden.description), "\(name)")
                    #expect(!text.contains(draft.handout.description), "\(name)")
                    #expect(!text.contains("@hillside.example"), "\(name)")
                    #expect(!text.contains(school.elsewhere.uuid.description), "\(name)")
                }
            }
        }
    }

    @Test func `the manifest lists what is in the folder, and the database remembers it`()
        async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                try school.attempt(.sam, at: try school.give(), hour: 8)
                let folder = try school.export(root, "2026-03-02")
                let manifest = try JSONValue(parsing: content("manifest.json", in: folder))
                #expect(manifest["since"] == .null)
                #expect(manifest["date"] == "2026-03-02")
                let files = try #require(manifest["files"]?.array)
                #expect(files.count == 14)
                let reports = files.first { $0["name"] == "activity_reports.csv.gz" }
                #expect(reports?["rows"]?.int64 == 1)
                let schema = try JSONValue(parsing: content("schema.json", in: folder))
                #expect(schema["dataSets"]?.array?.count == 6)

                let remembered = try school.sql(
                    "select taken_at, is_full, exported_on from school.export_snapshot")
                #expect(try remembered[0].bool("is_full"))
                #expect(
                    try remembered[0].timestamp("taken_at").description
                        == manifest["snapshotAt"]?.text)
                let events = try school.sql(
                    """
                    select standing, details::text as details from school.audit_event where kind = 'export'
                    """)
                #expect(events.count == 1)
                #expect(try events[0].text("standing") == "exporter")
            }
        }
    }
}
