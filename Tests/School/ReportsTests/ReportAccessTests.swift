import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("Who gets a report")
struct ReportAccessTests {
    @Test func `a co-teacher gets the same report`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([school.result(40, Item.score(1, of: 2))])
            let toms = try await school.report(handout).json
            let coras = try await school.report(handout, as: .cora).json
            #expect(toms["tasks"] == coras["tasks"])
            #expect(toms["tasks"]?[0]?["students"]?[0]?["attempts"]?.int64 == 1)
        }
    }

    @Test(arguments: [
        Persona.ada, .petra, .mara, .sam, .provisioner, .exporter, .samsApp, .tomsApp, .olga,
    ]) func `a non-teacher gets 403 with the reason`(persona: Persona) async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            for path in ["report", "students/\(school.id(.sam).uuid)"] {
                let answer = try await school.get(
                    "/v1/handouts/\(handout.id.uuid)/\(path)", as: persona)
                #expect(answer.status == 403)
                #expect(answer.json["detail"]?.text?.contains("through what was assigned") == true)
            }
        }
    }

    @Test func `other teachers get 404, as if it did not exist`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            let nowhere = UUID(milliseconds: 1, random: (1, 1))
            for persona in [Persona.tess, .otto] {
                let answer = try await school.report(handout, as: persona)
                let absent = try await school.get(
                    "/v1/handouts/\(nowhere)/report", as: persona)
                #expect(answer.status == 404)
                #expect(answer.code == absent.code)
                #expect(answer.json["detail"] == absent.json["detail"])
                let student = try await school.get(
                    "/v1/handouts/\(handout.id.uuid)/students/\(school.id(.sam).uuid)", as: persona)
                #expect(student.status == 404)
            }
            #expect(try await school.report(handout).status == 200)
            let malformed = try await school.get("/v1/handouts/x/report", as: .tom)
            #expect(malformed.status == 404)
            let nobody = try await school.get(
                "/v1/handouts/\(handout.id.uuid)/report", as: nil)
            #expect(nobody.status == 401)
        }
    }

    @Test func `a draft is its author's alone, and a deleted handout is nobody's`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try school.sql("update school.handout set publish_at = null")
            #expect(try await school.report(handout, as: .tom).status == 200)
            #expect(try await school.report(handout, as: .cora).status == 404)
            try school.sql("update school.handout set publish_at = now(), deleted_at = now()")
            #expect(try await school.report(handout, as: .tom).status == 404)
        }
    }

    @Test func `a teacher who leaves the class loses its reports`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            #expect(try await school.report(handout).status == 200)
            try school.sql(
                "update school.seat set left_at = now() where person_id = \(school.id(.tom))")
            #expect(try await school.report(handout).status == 404)
            #expect(try await school.report(handout, as: .cora).status == 200)
        }
    }
}
