import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct LocationsAndCourses {
    @Test func `a location is added, read by both ids, and listed`() async throws {
        try await withSchool { school in
            let made = try await school.post(
                "/v1/locations", as: .petra,
                json: ["name": "Annex", "sourceId": "north/7 a", "timeZone": "Europe/Zurich"])
            #expect(made.status == 201)
            let id = try #require(made.text("id"))
            #expect(made.header("location") == "/v1/locations/\(id)")
            for path in [id, "source:north%2F7%20a"] {
                let found = try await school.get("/v1/locations/\(path)", as: .tom)
                #expect(found.status == 200)
                #expect(found.text("sourceId") == "north/7 a")
                #expect(found.header("etag") == made.header("etag"))
            }
            let listed = try await school.get("/v1/locations?sourceId=north%2F7%20a", as: .mara)
            #expect(listed.items.map { $0["id"]?.text } == [id])
            #expect(try await school.get("/v1/locations", as: .ada).items.count == 2)
            #expect(try await school.get("/v1/locations/\(id)", as: .olga).status == 404)
            #expect(try await school.get("/v1/locations/\(id)", as: .sam).status == 403)
        }
    }

    @Test func `PUT by source creates, then replaces, and absent fields revert`() async throws {
        try await withSchool { school in
            let path = "/v1/locations/source:annex"
            let made = try await school.put(
                path, as: .provisioner, json: ["name": "Annex", "timeZone": "Europe/Zurich"])
            #expect(made.status == 201)
            let again = try await school.put(path, as: .provisioner, json: ["name": "The annex"])
            #expect(again.status == 200)
            #expect(again.text("id") == made.text("id"))
            #expect(again.text("sourceId") == "annex")
            #expect(again.json["timeZone"] == .null)
            let stale = try await school.put(
                path, as: .provisioner, json: ["name": "X"],
                headers: [("If-Match", made.header("etag") ?? "")])
            #expect(stale.status == 412)
            let exists = try await school.put(
                path, as: .provisioner, json: ["name": "X"], headers: [("If-None-Match", "*")])
            #expect(exists.status == 412)
            let other = try await school.put(
                path, as: .provisioner, json: ["name": "X", "sourceId": "other"])
            #expect(other.status == 422)
            #expect(other.pointers == ["/sourceId"])
            let missing = try await school.put(
                "/v1/locations/source:absent", as: .ada, json: ["name": "X"],
                headers: [("If-Match", "\"1\"")])
            #expect(missing.status == 412)
        }
    }

    @Test func `an unknown UUID is not created`() async throws {
        try await withSchool { school in
            let path = "/v1/locations/01890000-0000-7000-8000-000000000000"
            let unknown = try await school.put(path, as: .ada, json: ["name": "X"])
            #expect(unknown.status == 404)
            #expect(try await school.get("/v1/locations/nonsense", as: .ada).status == 404)
            let elsewhere = "/v1/locations/\(TestIDs.elsewhereLocation.uuid)"
            #expect(try await school.put(elsewhere, as: .ada, json: ["name": "X"]).status == 404)
            #expect(try await school.get(elsewhere, as: .olga).text("name") == "Main building")
        }
    }

    @Test func `the same sourceId twice is a conflict`() async throws {
        try await withSchool { school in
            let answer = try await school.post(
                "/v1/locations", as: .ada, json: ["name": "X", "sourceId": "main"])
            #expect(answer.status == 409)
            #expect(answer.code == "source_id_taken")
            #expect(answer.pointers == ["/sourceId"])
        }
    }

    @Test(arguments: [Persona.mara, .tom, .sam, .exporter, .samsApp])
    func `only directory managers change it`(persona: Persona) async throws {
        try await withSchool { school in
            let answer = try await school.post("/v1/locations", as: persona, json: ["name": "X"])
            #expect(answer.status == 403)
            let put = try await school.put(
                "/v1/courses/source:x", as: persona,
                json: ["name": "X", "locationId": "source:main"])
            #expect(put.status == 403)
        }
    }

    @Test func `a course's location must exist`() async throws {
        try await withSchool { school in
            let unknown = [
                "source:absent", TestIDs.elsewhereLocation.uuid.description,
                "01890000-0000-7000-8000-000000000000",
            ]
            for reference in unknown {
                let answer = try await school.post(
                    "/v1/courses", as: .ada,
                    json: ["name": "Biology", "locationId": .text(reference)])
                #expect(answer.status == 422)
                #expect(answer.pointers == ["/locationId"])
            }
            let made = try await school.put(
                "/v1/courses/source:BIO", as: .ada,
                json: ["name": "Biology", "number": "B1", "locationId": "source:main"])
            #expect(made.status == 201)
            #expect(made.text("locationId") == school.mainLocation.uuid.description)
            let again = try await school.put(
                "/v1/courses/source:BIO", as: .ada,
                json: ["name": "Biology", "locationId": "source:main"])
            #expect(again.status == 200)
            #expect(again.json["number"] == .null)
            let here = try await school.get("/v1/courses?locationId=source:main", as: .tom)
            #expect(here.items.count == 1)
            let nowhere = try await school.get("/v1/courses?locationId=source:absent", as: .tom)
            #expect(nowhere.items.isEmpty)
        }
    }

    @Test func `ten identical concurrent requests create one location`() async throws {
        try await withSchool { school in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        try await school.put(
                            "/v1/locations/source:shared", as: .ada,
                            json: ["name": .text("Name \(number)")]
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 201 }.count == 1)
            #expect(statuses.filter { $0 == 200 }.count == 9)
        }
    }
}
