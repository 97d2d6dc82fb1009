import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Teachers who read grades are seen doing so.
@Suite struct GradeViewingTests {
    @Test func `a teacher who reads grades leaves a viewing of the class, or of the one student`()
        async throws
    {
        try await withSchool { school in
            let sams = try school.newGrade(of: .sam)
            try school.newGrade(of: .sue)
            #expect(try await school.get("/v1/grades", as: .tom).items.count == 2)
            #expect(try school.whoLooked() == ["Tom Biology class 1"])
            let one = try await school.get("/v1/grades?personId=source:sis-sam", as: .tom)
            #expect(one.items.count == 1)
            #expect(try school.whoLooked() == ["Tom Biology Sam 1", "Tom Biology class 1"])
            #expect(try await school.get("/v1/grades/\(sams)", as: .cora).status == 200)
            #expect(
                try school.whoLooked() == [
                    "Cora Biology Sam 1", "Tom Biology Sam 1", "Tom Biology class 1",
                ])
        }
    }

    @Test func `of a page, those are noted that it shows`() async throws {
        try await withSchool { school in
            try school.newGrade(of: .sam)
            try school.newGrade(of: .sue)
            let first = try await school.get("/v1/grades?limit=1", as: .tom)
            #expect(first.items.count == 1)
            let shown = first.items[0]["personId"]?.text == "\(school.id(.sam).uuid)"
            #expect(try school.whoLooked() == ["Tom Biology \(shown ? "Sam" : "Sue") 1"])
        }
    }

    @Test func `grades of several classes leave a viewing of each`() async throws {
        try await withSchool { school in
            try school.newGrade(of: .sam)
            try school.newGrade(of: .ben, in: school.chemistry)
            try school.newGrade(of: .ben, in: school.chemistry, item: "Test")
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at)
                values (\(school.hillside), \(school.chemistry), \(school.id(.tom)), 'teacher',
                        now() - interval '1 day')
                """)
            #expect(try await school.get("/v1/grades", as: .tom).items.count == 3)
            #expect(try school.whoLooked() == ["Tom Biology Sam 1", "Tom Chemistry Ben 1"])
        }
    }

    @Test func `one's own grades, nothing and a refusal leave none`() async throws {
        try await withSchool { school in
            let sams = try school.newGrade(of: .sam)
            #expect(try await school.get("/v1/grades", as: .sam).items.count == 1)
            #expect(try await school.get("/v1/grades/\(sams)", as: .sam).status == 200)
            #expect(try await school.get("/v1/grades", as: .tess).items.isEmpty)
            #expect(try await school.get("/v1/grades/\(sams)", as: .tess).status == 404)
            #expect(try await school.get("/v1/grades", as: .ada).status == 403)
            #expect(try await school.get("/v1/graded-items", as: .tom).items.count == 1)
            #expect(
                try await school.get("/v1/grades?personId=source:sis-ben", as: .tom).items.isEmpty)
            #expect(try school.whoLooked().isEmpty)
        }
    }

    @Test func `grades are read although nobody can be noted, who is noted later`() async throws {
        try await withSchool { school in
            try school.newGrade(of: .sam)
            try school.sql("alter table school.viewing add constraint is_closed check (times = 0)")
            #expect(try await school.get("/v1/grades", as: .tom).items.count == 1)
            #expect(try school.whoLooked().isEmpty)
            try school.sql("alter table school.viewing drop constraint is_closed")
            try await school.storeUploads()
            #expect(try school.whoLooked() == ["Tom Biology Sam 1"])
        }
    }
}
