import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct ChangesOfFields {
    @Test func `a change leaves what is not in the body, and null resets a field`() async throws {
        try await withSchool { school in
            let made = try await school.put(
                "/v1/people/source:s-1", as: .ada,
                json: school.student("Anna", "Lee", ["grade": "7", "email": "a@mail.example"]))
            let answer = try await school.patch(
                "/v1/people/source:s-1", as: .provisioner,
                json: ["givenName": "Anne", "grade": nil],
                headers: [("If-Match", made.header("etag") ?? "")])
            #expect(answer.status == 200)
            #expect(answer.text("givenName") == "Anne")
            #expect(answer.json["grade"] == .null)
            for key in ["id", "sourceId", "managedId", "familyName", "email", "roles", "status"] {
                #expect(answer.json[key] == made.json[key], "\(key)")
            }
            let stale = try await school.patch(
                "/v1/people/source:s-1", as: .ada, json: ["givenName": "X"],
                headers: [("If-Match", made.header("etag") ?? "")])
            #expect(stale.status == 412)
        }
    }

    @Test func `a class keeps its rosters unless they are in the body`() async throws {
        try await withSchool { school in
            let path = "/v1/classes/\(school.biology.uuid)"
            let renamed = try await school.patch(path, as: .petra, json: ["room": "12"])
            #expect(renamed.status == 200)
            #expect(renamed.text("room") == "12")
            #expect(renamed.text("name") == "Biology")
            #expect(renamed.texts("studentIds").count == 2)
            let emptied = try await school.patch(path, as: .petra, json: ["studentIds": []])
            #expect(emptied.texts("studentIds").isEmpty)
            #expect(emptied.texts("teacherIds").count == 2)
            #expect(emptied.text("room") == "12")
        }
    }

    @Test func `locations and courses change too`() async throws {
        try await withSchool { school in
            let location = try await school.patch(
                "/v1/locations/source:main", as: .ada, json: ["timeZone": "Europe/Zurich"])
            #expect(location.text("timeZone") == "Europe/Zurich")
            #expect(location.text("name") == "Main building")
            _ = try await school.put(
                "/v1/courses/source:bio", as: .ada,
                json: ["name": "Biology", "locationId": "source:main", "number": "B"])
            let course = try await school.patch(
                "/v1/courses/source:bio", as: .ada, json: ["number": nil])
            #expect(course.status == 200)
            #expect(course.json["number"] == .null)
            #expect(course.text("sourceId") == "bio")
        }
    }

    @Test func `invalid changes are refused`() async throws {
        try await withSchool { school in
            let sam = "/v1/people/\(school.id(.sam).uuid)"
            let nameless = try await school.patch(sam, as: .ada, json: ["givenName": nil])
            #expect(nameless.status == 422)
            #expect(nameless.pointers == ["/givenName"])
            let unknown = try await school.patch(sam, as: .ada, json: ["status": "active"])
            #expect(unknown.pointers == ["/status"])
            let promoted = try await school.patch(
                sam, as: .petra, json: ["roles": [school.role("administrator")]])
            #expect(promoted.status == 403)
            #expect(try await school.patch(sam, as: .olga, json: ["grade": "1"]).status == 404)
            #expect(try await school.patch(sam, as: .tom, json: ["grade": "1"]).status == 403)
        }
    }
}

@Suite struct ManagedIDFunctions {
    @Test func `they serve only the caller's own organization`() async throws {
        try await withSchool { school in
            let ada = school.caller(.ada)
            let own = try school.sql(
                """
                select outcome from school.reserve_managed_ids(
                    \(school.hillside), \([school.id(.sam), school.id(.sue)]),
                    \(["sam@hillside.example", "omar@elsewhere.example"])) order by 1
                """, as: ada)
            #expect(try own.map { try $0.text("outcome") } == ["foreignDomain", "reserved"])
            #expect(throws: PostgresError.self) {
                try school.sql(
                    """
                    select * from school.reserve_managed_ids(
                        \(school.elsewhere), \([school.id(.omar)]), \(["x@elsewhere.example"]))
                    """, as: ada)
            }
            #expect(throws: PostgresError.self) {
                try school.sql(
                    "select school.release_managed_ids(\(school.hillside), \([school.id(.sam)]))",
                    as: school.caller(.tom))
            }
        }
    }
}
