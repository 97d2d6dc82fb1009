import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What the record of a person said before it was corrected.
@Suite struct Corrections {
    private func corrections(_ school: TestSchool, of persona: Persona = .sam) async throws
        -> [JSONValue]
    {
        let answer = try await school.get(
            "/v1/people/\(school.id(persona).uuid)/corrections", as: .ada)
        #expect(answer.status == 200)
        return answer.json["items"]?.array ?? []
    }

    @Test func `a correction keeps what it was, and who corrected it`() async throws {
        try await withSchool { school in
            #expect(try await corrections(school).isEmpty)
            let path = "/v1/people/\(school.id(.sam).uuid)"
            let changed = try await school.patch(
                path, as: .petra, json: ["givenName": "Samira", "grade": "7"])
            #expect(changed.status == 200)
            #expect(
                try await school.patch(path, as: .ada, json: ["givenName": "Samuel"]).status == 200)
            let found = try await corrections(school)
            #expect(found.count == 2)
            #expect(found.first?["was"]?["givenName"] == "Samira")
            #expect(found.first?["was"]?.object?.keys == ["givenName"])
            #expect(found.first?["correctedBy"]?.text == school.id(.ada).uuid.description)
            #expect(found.last?["was"]?["givenName"] == "Sam")
            #expect(found.last?["was"]?["grade"] == .null)
            #expect(found.last?["correctedBy"]?.text == school.id(.petra).uuid.description)
            #expect(try await corrections(school, of: .sue).isEmpty)
        }
    }

    @Test func `a change that corrects nothing keeps nothing`() async throws {
        try await withSchool { school in
            let path = "/v1/people/\(school.id(.sam).uuid)"
            #expect(
                try await school.patch(path, as: .ada, json: ["givenName": "Sam"]).status == 200)
            try school.sql("update school.person set first_sign_in_at = now()")
            #expect(try await corrections(school).isEmpty)
        }
    }

    @Test func `corrections are found by source id, and not from elsewhere`() async throws {
        try await withSchool { school in
            let path = "/v1/people/\(school.id(.sam).uuid)/corrections"
            let elsewhere = try await school.get(path, as: .olga)
            #expect(elsewhere.status == 404)
            let nobody = try await school.get("/v1/people/source:nobody/corrections", as: .ada)
            #expect(nobody.status == 404)
        }
    }

    @Test func `an erasure takes them, and the corrector's name from those of others`() async throws
    {
        try await withSchool { school in
            try school.sql(
                "update school.person set given_name = 'Samira' where person_id = \(school.id(.sam))"
            )
            let path = "/v1/people/\(school.id(.sue).uuid)"
            #expect(
                try await school.patch(path, as: .petra, json: ["givenName": "Susan"]).status == 200
            )
            for person in [Persona.sam, .petra] {
                let erased = try await school.post(
                    "/v1/people/\(school.id(person).uuid)/erasure", as: .ada)
                #expect(erased.status == 200)
            }
            let left = try school.sql(
                "select person_id, corrected_by from school.person_correction")
            #expect(left.count == 1)
            #expect(try left[0].uuid("person_id") == school.id(.sue).uuid)
            #expect(try left[0].optionalUUID("corrected_by") == nil)
        }
    }
}
