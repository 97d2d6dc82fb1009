import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct Recipients {
    @Test func `chosen students change, and nobody outside the class is chosen`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout(recipients: ["source:sis-sam"])
            let path = school.path(handout)
            let both = try await school.patch(
                path, as: .cora, json: ["recipients": ["source:sis-sue", "source:sis-sam"]])
            #expect(both.json["recipients"]?.array?.count == 2)
            let sue = try await school.patch(
                path, as: .tom, json: ["recipients": ["source:sis-sue"]])
            #expect(sue.json["recipients"]?.array?.count == 1)
            #expect(try await school.get(path, as: .sam).status == 404)
            #expect(try await school.get(path, as: .sue).status == 200)
            let ben = try await school.patch(
                path, as: .tom, json: ["recipients": ["source:sis-sue", "source:sis-ben"]])
            #expect(ben.pointers == ["/recipients/1"])
            let everybody = try await school.patch(path, as: .tom, json: ["recipients": nil])
            #expect(everybody.json["recipients"] == "class")
            #expect(try await school.get(path, as: .sam).status == 200)
        }
    }

    @Test func `who keeps a handout keeps its past, and who gets it has none`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            try school.sql(
                """
                update school.handout set created_at = now() - interval '3 hours',
                       publish_at = now() - interval '2 hours';
                """)
            try school.sql("update school.task set created_at = now() - interval '2 hours'")
            let path = school.path(handout)
            let past = school.attempt(
                at: ["capitals", "europe"], from: school.ago(60), to: school.ago(50))
            func change(_ recipients: JSONValue) async throws {
                let answer = try await school.patch(
                    path, as: .tom, json: ["recipients": recipients])
                #expect(answer.status == 200)
            }
            try await change(["source:sis-sam"])
            try await school.upload([past], as: .samsApp)
            #expect(try school.storedCount(of: .sam) == 1, "he had it with the class")
            try await school.upload([past], as: .suesApp)
            #expect(try school.storedCount(of: .sue) == 0, "it was taken back from her")
            try await change("class")
            try await school.upload([past], as: .suesApp)
            #expect(try school.storedCount(of: .sue) == 0, "she has it from now on")
            try await change(["source:sis-sam", "source:sis-sue"])
            try school.sql("delete from school.activity")
            try await school.upload([past], as: .samsApp)
            try await school.upload([past], as: .suesApp)
            #expect(try school.storedCount(of: .sam) == 1)
            #expect(try school.storedCount(of: .sue) == 0)
        }
    }

    @Test func `receivers of exports are told from whom it was taken back`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            _ = try await school.patch(
                school.path(handout), as: .tom, json: ["recipients": ["source:sis-sam"]])
            let told = try school.sql(
                "select subject_id, person_id from school.deletion where kind = 'recipient'")
            #expect(try told.map { try $0.uuid("person_id") } == [school.id(.sue).uuid])
            #expect(try told[0].uuid("subject_id").description == handout["id"]?.text)
        }
    }
}
