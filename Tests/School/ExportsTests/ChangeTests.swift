import AloneKit
import Exports
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct NightAfterNight {
    @Test(.alone) func `a second night holds only what changed`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                let cells = try school.give("Cells")
                let genes = try school.give("Genes")
                try school.attempt(.sam, at: cells, hour: 8)
                try school.attempt(.sue, at: genes, hour: 8)
                try await school.settle()
                let first = try school.export(root, "2026-03-02")
                #expect(try rows("activity_reports", in: first).count == 2)

                let added = try school.attempt(.sue, at: cells, hour: 9)
                try await school.settle()
                let second = try school.export(root, "2026-03-03")
                #expect(
                    try rows("activity_reports", in: second).texts("activity_id")
                        == [added.description])
                #expect(
                    try rows("class_summaries", in: second).texts("task_id")
                        == [cells.task.description])
                #expect(try rows("handouts", in: second).isEmpty)
                #expect(
                    try rows("assignments", in: second).texts("given_name") == ["Sue"],
                    "she has opened it by working on it")
                #expect(try rows("deletions", in: second).isEmpty)

                let third = try school.export(root, "2026-03-04")
                for set in DataSet.all {
                    #expect(try rows(set.name, in: third).isEmpty, "\(set.name)")
                    #expect(try records(set.name, in: third).count == 1, "\(set.name)")
                }
                let everything = try school.export(root, "2026-03-05", full: true)
                #expect(try rows("activity_reports", in: everything).count == 3)
                #expect(try rows("handouts", in: everything).count == 2)
            }
        }
    }

    @Test(.alone) func `a new attempt exports the previous one again, which is now final`()
        async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                let given = try school.give()
                try school.attempt(.sam, at: given, hour: 8)
                try school.attempt(.sue, at: given, hour: 8)
                try await school.settle()
                let first = try school.export(root, "2026-03-02")
                #expect(
                    try rows("activity_reports", in: first).map { $0["is_final"] } == [
                        false, false,
                    ])
                try school.attempt(.sam, at: given, hour: 9)
                let second = try school.export(root, "2026-03-03")
                let reports = try rows("activity_reports", in: second)
                #expect(reports.map { $0["is_final"] } == [true, false])
                #expect(reports.texts("person_source_id") == ["sis-sam", "sis-sam"])
            }
        }
    }

    @Test(.alone) func `a handout published by its schedule is in the next night's export`()
        async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                let given = try school.give()
                try school.attempt(.sam, at: given, hour: 8)
                try await school.settle()
                try school.export(root, "2026-03-02")
                let second = try school.export(root, "2026-03-03")
                #expect(try rows("handouts", in: second).isEmpty)

                // As if the previous snapshots had been taken before the moment of publication.
                try school.sql(
                    "update school.export_snapshot set taken_at = taken_at - interval '2 days'")
                let third = try school.export(root, "2026-03-04")
                for set in ["handouts", "activity_reports", "class_summaries"] {
                    #expect(try rows(set, in: third).count == 1, "\(set)")
                }
                #expect(try rows("assignments", in: third).count == 2)
            }
        }
    }

    @Test(.alone) func `deleted rows come as deletions, and the sums without them`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                let cells = try school.give("Cells")
                let genes = try school.give("Genes", recipients: [.sam, .sue])
                let gone = try school.attempt(.sam, at: cells, hour: 8)
                try school.attempt(.sue, at: cells, hour: 8)
                let old = try school.give("Old")
                try await school.settle()
                let first = try school.export(root, "2026-03-02")
                #expect(try rows("assignments", in: first).count == 6)

                let tom = school.caller(.tom)
                try school.sql(
                    "select school.delete_activities(\(school.hillside), \(school.id(.sam)))")
                try school.sql("select school.delete_handout(\(old.handout), null)", as: tom)
                try school.sql(
                    """
                    delete from school.handout_recipient
                     where handout_id = \(genes.handout) and person_id = \(school.id(.sue))
                    """, as: tom)
                let second = try school.export(root, "2026-03-03")
                let deletions = try rows("deletions", in: second)
                #expect(deletions.texts("kind") == ["activity", "handout", "recipient"])
                let subjects = [gone, old.handout, genes.handout].map(\.description).sorted()
                #expect(deletions.texts("subject_id") == subjects)
                let assigned = try rows("assignments", in: second)
                #expect(assigned.texts("given_name") == ["Sam", "Sam"])
                #expect(assigned.allSatisfy { $0["opened_at"] == .null }, "his work is gone")
                let summaries = try rows("class_summaries", in: second)
                let summary = summaries.first { $0["task_id"]?.text == cells.task.description }
                #expect(summary?["students_with_data"]?.int64 == 1)

                let full = try school.export(root, "2026-03-04", full: true)
                #expect(try rows("handouts", in: full).texts("title") == ["Cells", "Genes"])
                #expect(try rows("deletions", in: full) == deletions)
            }
        }
    }

    @Test
    func
        `a student removed from a draft was never exported, and one removed from a published handout is`()
        async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                let draft = try school.give("Draft", recipients: [.sam, .sue], isDraft: true)
                let later = try school.give("Later", recipients: [.sam, .sue])
                try school.sql(
                    """
                    update school.handout set publish_at = now() + interval '1 day'
                     where handout_id = \(later.handout)
                    """)
                let given = try school.give("Given", recipients: [.sam, .sue])
                try await school.settle()
                try school.export(root, "2026-03-02")
                let removed = try school.sql(
                    """
                    delete from school.handout_recipient where person_id = \(school.id(.sue))
                    returning handout_id
                    """, as: school.caller(.tom))
                #expect(
                    Set(try removed.map { try $0.uuid("handout_id") })
                        == [draft.handout, later.handout, given.handout])
                try await school.settle()
                for folder in [
                    try school.export(root, "2026-03-03"),
                    try school.export(root, "2026-03-04", full: true),
                ] {
                    let deletions = try rows("deletions", in: folder)
                    #expect(deletions.map { $0["kind"] } == ["recipient"])
                    #expect(deletions.texts("subject_id") == [given.handout.description])
                }
            }
        }
    }

    @Test(.alone) func `an export of another cluster is not a base for changes`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                try school.give()
                try await school.settle()
                try school.export(root, "2026-03-02")
                try school.sql("update school.export_snapshot set system_id = 1")
                let second = try school.export(root, "2026-03-03")
                #expect(try rows("handouts", in: second).count == 1)
            }
        }
    }
}
