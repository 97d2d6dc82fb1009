import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("Who looked at a person's work, in the records")
struct ViewingRecords {
    @Test func `a student's archive says who looked at the student's work and at the class`()
        async throws
    {
        try await withSchool { school in
            try await school.lookAtBiology()
            let archive = try await school.post(school.path(.sam, "data-export"), as: .ada)
            let lines = try viewings(archive.body)
            #expect(lines.map { $0["reader"]?.text } == ["Cora Example", "Tom Example"])
            #expect(lines.map { $0["work_of"]?.text } == ["class", "student"])
            #expect(lines.allSatisfy { $0["times"] == 1 })
            let bens = try await school.post(school.path(.ben, "data-export"), as: .ada)
            #expect(try unpacked(bens.body)["viewing.ndjson"] == nil)
        }
    }

    @Test func `a teacher's archive says where the teacher looked, and not at whose work`()
        async throws
    {
        try await withSchool { school in
            try await school.lookAtBiology()
            let archive = try await school.post(school.path(.tom, "data-export"), as: .ada)
            let lines = try viewings(archive.body)
            #expect(lines.count == 1)
            #expect(lines[0]["work_of"] == "student")
            #expect(lines[0]["class_id"]?.text == school.biology.uuid.description)
            #expect(lines[0]["student_id"] == nil && lines[0]["reader"] == nil)
        }
    }

    @Test func `an erased student's viewings go, and an erased reader is forgotten`()
        async throws
    {
        try await withSchool { school in
            try await school.lookAtBiology()
            let rows: Statement = """
                select concat_ws(' ', coalesce(r.given_name, 'nobody'), coalesce(s.given_name, 'class')) as row
                  from school.viewing as v
                  left join school.person as r on r.person_id = v.reader_id
                  left join school.person as s on s.person_id = v.student_id
                 order by 1
                """
            let seen = { try school.sql(rows).map { try $0.text("row") } }
            #expect(try seen() == ["Cora class", "Tom Sam"])
            _ = try await school.post(school.path(.sam, "erasure"), as: .ada)
            #expect(try seen() == ["Cora class"])
            _ = try await school.post(school.path(.cora, "erasure"), as: .ada)
            #expect(try seen() == ["nobody class"])
            let cora = school.id(.cora).uuid.description
            let left = Set(try school.occurrences(of: cora).keys)
            #expect(left == ["audit_event", "change", "deletion"])
        }
    }

    private func viewings(_ archive: [UInt8]) throws -> [JSONValue] {
        let file = try #require(try unpacked(archive)["viewing.ndjson"])
        return try file.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
            .sorted { ($0["reader"]?.text ?? "") < ($1["reader"]?.text ?? "") }
    }
}

extension TestSchool {
    /// Tom looks at Sam's work, and Cora at that of the class.
    fileprivate func lookAtBiology() async throws {
        let path = "/v1/classes/\(biology.uuid)"
        _ = try await get("\(path)/students/\(id(.sam).uuid)/report", as: .tom)
        _ = try await get("\(path)/report", as: .cora)
    }
}
