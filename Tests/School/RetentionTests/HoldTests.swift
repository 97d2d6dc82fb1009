import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What must not go, and who says so.
@Suite struct Holds {
    @Test func `holds are listed, placed and lifted, and each leaves an event`() async throws {
        try await withSchool { school in
            let placed = try await school.hold("person", school.id(.sam).uuid)
            #expect(placed.status == 201)
            #expect(placed.json["personId"]?.text == school.id(.sam).uuid.description)
            #expect(placed.json["classId"] == .null && placed.json["reason"] == "An appeal.")
            let list = try await school.get("/v1/retention/holds", as: .ada).json["items"]?.array
            #expect(list?.count == 1 && list?.first?["id"] == placed.json["id"])
            let path = "/v1/retention/holds/\(placed.json["id"]?.text ?? "")"
            #expect(try await school.delete(path, as: .olga).status == 404)
            #expect(try await school.delete(path, as: .ada).status == 204)
            #expect(try await school.delete(path, as: .ada).status == 404)
            let changes = try school.details("retentionChange").compactMap { $0["change"]?.text }
            #expect(changes == ["held", "lifted"])
        }
    }

    @Test func `a hold is for one person or one class of the organization`() async throws {
        try await withSchool { school in
            let both: JSONValue = [
                "personId": .text(school.id(.sam).uuid.description),
                "classId": .text(school.biology.uuid.description), "reason": "An appeal.",
            ]
            for body in [both, ["reason": "An appeal."]] {
                let answer = try await school.post("/v1/retention/holds", as: .ada, json: body)
                #expect(answer.status == 422 && answer.pointers == [""])
            }
            let omar = try await school.hold("person", school.id(.omar).uuid)
            #expect(omar.status == 422 && omar.pointers == ["/personId"])
            let here = try await school.hold("class", school.biology.uuid, as: .olga)
            #expect(here.status == 422 && here.pointers == ["/classId"])
        }
    }

    @Test func `who is held, or was in a class that is held, is not erased`() async throws {
        try await withSchool { school in
            let path = "/v1/people/\(school.id(.sam).uuid)/erasure"
            for (subject, id) in [
                ("person", school.id(.sam).uuid), ("class", school.biology.uuid),
            ] {
                let hold = try await school.hold(subject, id)
                let refused = try await school.post(path, as: .ada)
                #expect(refused.status == 409 && refused.json["code"] == "held", "\(subject)")
                let lift = "/v1/retention/holds/\(hold.json["id"]?.text ?? "")"
                #expect(try await school.delete(lift, as: .ada).status == 204)
            }
            #expect(try await school.post(path, as: .ada).status == 200)
        }
    }

    @Test func `progress that is held is not deleted by turning progress off`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            try await school.upload([school.attempt()])
            _ = try await school.hold("class", school.biology.uuid)
            let pause = "/v1/people/\(school.id(.sam).uuid)/progress-pause"
            let refused = try await school.post(pause, as: .ada)
            #expect(refused.status == 409 && refused.json["code"] == "held")
            #expect(try school.storedCount() == 1)
            try school.sql("delete from school.retention_hold")
            #expect(try await school.post(pause, as: .ada).status == 200)
            #expect(try school.storedCount() == 0)
        }
    }

    @Test func `a person's data includes the holds on it`() async throws {
        try await withSchool { school in
            _ = try await school.hold("person", school.id(.sam).uuid)
            let rows = try school.sql(
                """
                select content ->> 'reason' as reason from school.personal_rows(\(school.id(.sam)))
                 where table_name = 'retention_hold'
                """, as: school.caller(.ada))
            #expect(try rows.map { try $0.text("reason") } == ["An appeal."])
        }
    }
}
