import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Grades that other systems wrote, in the archive of a student's data and in an erasure.
@Suite struct GradeRecords {
    @Test func `the archive says what was graded, by which system, and how`() async throws {
        try await withSchool { school in
            try school.newGrade(of: .sam, item: "Quiz", comment: "Well done")
            try school.newGrade(of: .sue, item: "Quiz", comment: "Someone else's")
            let archive = try await school.post(school.path(.sam, "data-export"), as: .ada)
            let files = try unpacked(archive.body)
            let lines = try #require(files["grade.ndjson"]).split(separator: "\n")
            #expect(lines.count == 1)
            let grade = try JSONValue(parsing: Array(lines[0].utf8))
            #expect(grade["item"] == "Quiz" && grade["system"] == "Grader")
            #expect(grade["score"]?.double == 84.5 && grade["comment"] == "Well done")
            #expect(grade["class_id"]?.text == school.biology.uuid.description)
            for text in files.values { #expect(!text.contains("Someone else's")) }
            let bens = try await school.post(school.path(.ben, "data-export"), as: .ada)
            #expect(try unpacked(bens.body)["grade.ndjson"] == nil)
        }
    }

    @Test
    func `an erased student's grades are gone, also those that were removed, and others stay`()
        async throws
    {
        try await withSchool { school in
            try school.newGrade(of: .sam, item: "Quiz")
            let removed = try school.newGrade(of: .sam, item: "Test")
            try school.sql(
                "update school.grade set deleted_at = now(), score = null where grade_id = \(removed)"
            )
            try school.newGrade(of: .sue, item: "Quiz")
            #expect(try await school.get("/v1/grades", as: .tom).items.count == 2)
            let sam = school.id(.sam).uuid.description
            #expect(try school.occurrences(of: sam)["grade"] == 2)
            let receipt = try await school.post(school.path(.sam, "erasure"), as: .ada)
            #expect(receipt.status == 200 && receipt.json["counts"]?["grade"] == 2)
            #expect(
                Set(try school.occurrences(of: sam).keys) == ["audit_event", "change", "deletion"])
            let left = try school.sql("select person_id as id from school.grade")
            #expect(try left.map { try $0.uuid("id") } == [school.id(.sue).uuid])
        }
    }
}
