import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Grades

/// What teachers and students read of the grades that other systems wrote.
@Suite struct GradeTests {
    /// A service account with grades of Sam and Sue in Biology.
    private func grade(_ school: TestSchool) async throws -> String {
        let account = try await school.post(
            "/v1/service-accounts", as: .ada, json: ["name": "Grader", "role": "rosterReader"])
        let id = try #require(account.json["clientId"]?.text)
        try school.sql(
            """
            insert into school.gradebook_item (organization_id, gradebook_item_id, service_account_id, class_id, title,
                                               assigned_at, due_at, value_max)
            values (\(school.hillside), gen_random_uuid(), \(UUID(id)), \(school.biology), 'Quiz', now(), now(), 100)
            """)
        try school.sql(
            """
            insert into school.grade (organization_id, grade_id, service_account_id, gradebook_item_id, class_id,
                                      person_id, status, score, scored_on)
            select organization_id, gen_random_uuid(), service_account_id, gradebook_item_id, class_id, p.id,
                   'fully graded', p.score, '2026-09-09'
              from school.gradebook_item
             cross join (values (\(school.id(.sam)), 84.5), (\(school.id(.sue)), 300)) as p (id, score)
            """)
        return id
    }

    @Test func `teachers read the grades of their classes, and students their own`() async throws {
        try await withSchool { school in
            _ = try await grade(school)
            for teacher in [Persona.tom, .cora] {
                let grades = try await school.get("/v1/grades", as: teacher)
                #expect(Set(grades.items.map { $0["score"]?.double }) == [84.5, 300])
                #expect(grades.items.allSatisfy { $0["systemName"] == "Grader" })
            }
            let own = try await school.get("/v1/grades", as: .sam)
            #expect(own.items.map { $0["score"]?.double } == [84.5])
            let id = try #require(own.items[0]["id"]?.text)
            let one = try await school.get("/v1/grades/\(id)", as: .sam)
            #expect(one.json["status"] == "fully graded" && one.header("ETag") != nil)
            let item = try await school.get("/v1/graded-items", as: .sam)
            #expect(item.items.map { $0["title"] } == ["Quiz"])
            #expect(item.items[0]["id"] == own.items[0]["itemId"])
            for stranger in [Persona.sue, .ben, .tess] {
                #expect(try await school.get("/v1/grades/\(id)", as: stranger).status == 404)
            }
            for stranger in [Persona.ben, .tess] {
                #expect(try await school.get("/v1/grades", as: stranger).items.isEmpty)
                #expect(try await school.get("/v1/graded-items", as: stranger).items.isEmpty)
            }
            let sues = try await school.get("/v1/grades?personId=source:sis-sue", as: .tom)
            #expect(sues.items.map { $0["score"]?.double } == [300])
            #expect(try await school.get("/v1/grades", as: .ada).status == 403)
        }
    }

    @Test func `what was removed is seen by no one`() async throws {
        try await withSchool { school in
            _ = try await grade(school)
            try school.sql("update school.grade set deleted_at = now()")
            try school.sql("update school.gradebook_item set deleted_at = now()")
            for reader in [Persona.tom, .sam] {
                #expect(try await school.get("/v1/grades", as: reader).items.isEmpty)
                #expect(try await school.get("/v1/graded-items", as: reader).items.isEmpty)
            }
        }
    }

    @Test func `an erased student's grades are gone`() async throws {
        try await withSchool { school in
            _ = try await grade(school)
            try school.sql(
                "update school.person set deactivated_at = now() where person_id = \(school.id(.sam))"
            )
            let erased = try await school.post(
                "/v1/people/\(school.id(.sam).uuid)/erasure", as: .ada)
            try #require(erased.status < 300, "\(erased.text)")
            let left = try await school.get("/v1/grades", as: .tom)
            #expect(left.items.map { $0["score"]?.double } == [300])
        }
    }
}
