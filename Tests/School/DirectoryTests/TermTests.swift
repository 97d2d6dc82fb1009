import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct TermsOfTheDirectory {
    @Test func `a school year with its parts is added, read, listed and changed`() async throws {
        try await withSchool { school in
            let year = try await school.addYear()
            #expect(year.status == 201)
            #expect(year.text("status") == "open")
            let path = "/v1/terms/\(year.text("id") ?? "")"
            #expect(year.header("location") == path)
            let half = try await school.put(
                "/v1/terms/source:h1", as: .provisioner,
                json: semester("First half", "2026-08-01", "2027-02-01"))
            #expect(half.status == 201)
            #expect(half.text("parentId") == year.text("id"))
            for (query, ids) in [
                ("kind=semester", [half.text("id")]), ("parentId=source:y26", [half.text("id")]),
                ("on=2027-01-31&kind=semester", [half.text("id")]),
                ("on=2027-02-01&kind=semester", []),
                ("sourceId=y26", [year.text("id")]), ("status=closed", []),
                ("updatedSince=\(half.text("updatedAt") ?? "")", [half.text("id")]),
            ] {
                let page = try await school.page("/v1/terms?\(query)", as: .tom)
                #expect(page.ids == ids.compactMap { $0 }, "\(query)")
            }
            let renamed = try await school.patch(
                path, as: .ada, json: ["name": "Year 26/27"],
                headers: [("If-Match", year.header("etag") ?? "")])
            #expect(renamed.status == 200)
            #expect(renamed.text("startsOn") == "2026-08-01")
            let stale = try await school.patch(
                path, as: .ada, json: ["name": "X"],
                headers: [("If-Match", year.header("etag") ?? "")])
            #expect(stale.status == 412)
            #expect(try await school.get(path, as: .olga).status == 404)
            #expect(try await school.get(path, as: .sam).status == 403)
        }
    }

    @Test func `impossible days are refused with their pointer`() async throws {
        try await withSchool { school in
            _ = try await school.addYear()
            let cases: [(JSONValue, String, String)] = [
                (
                    semester("Backwards", "2026-12-01", "2026-10-01"), "/endsOn",
                    "ends_before_it_starts"
                ),
                (semester("Empty", "2026-12-01", "2026-12-01"), "/endsOn", "ends_before_it_starts"),
                (semester("Early", "2026-07-31", "2026-10-01"), "/startsOn", "outside_parent"),
                (semester("Late", "2027-07-01", "2027-08-02"), "/endsOn", "outside_parent"),
                (semester("No day", "2026-02-30", "2026-10-01"), "/startsOn", "malformed"),
                (
                    [
                        "name": "Year in a year", "kind": "schoolYear", "startsOn": "2026-08-01",
                        "endsOn": "2026-09-01", "parentId": "source:y26",
                    ], "/parentId", "not_larger"
                ),
                (
                    [
                        "name": "Orphan", "kind": "term", "startsOn": "2026-08-01",
                        "endsOn": "2026-09-01", "parentId": "source:absent",
                    ], "/parentId", "unknown_reference"
                ),
            ]
            for (body, pointer, code) in cases {
                let answer = try await school.post("/v1/terms", as: .ada, json: body)
                #expect(answer.status == 422, "\(code)")
                #expect(answer.pointers == [pointer])
                #expect(answer.json["errors"]?[0]?["code"]?.text == code)
            }
            #expect(try await school.get("/v1/terms", as: .ada).items.count == 1)
        }
    }

    @Test func `sibling terms of one kind do not overlap, not even when created at once`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.addYear()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<6 {
                    let body = semester("Half \(number)", "2026-0\(8)-0\(number + 1)", "2027-01-01")
                    group.addTask {
                        try await school.post("/v1/terms", as: .ada, json: body).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 201 }.count == 1)
            #expect(statuses.filter { $0 == 409 || $0 == 503 }.count == 5)
            let beside = try await school.post(
                "/v1/terms", as: .ada, json: semester("Second half", "2027-01-01", "2027-08-01"))
            #expect(beside.status == 201, "the end is the first day after")
            let over = try await school.patch(
                "/v1/terms/\(beside.text("id") ?? "")", as: .ada, json: ["startsOn": "2026-12-31"])
            #expect(over.status == 409)
            #expect(over.code == "terms_overlap")
            let other = try await school.post(
                "/v1/terms", as: .ada,
                json: [
                    "name": "Autumn", "kind": "gradingPeriod", "startsOn": "2026-09-01",
                    "endsOn": "2026-11-01", "parentId": "source:y26",
                ])
            #expect(other.status == 201, "another kind may overlap")
        }
    }

    @Test func `a term keeps its parts within its dates`() async throws {
        try await withSchool { school in
            let year = try await school.addYear()
            let path = "/v1/terms/\(year.text("id") ?? "")"
            _ = try await school.post(
                "/v1/terms", as: .ada, json: semester("First half", "2026-08-01", "2027-02-01"))
            let shorter = try await school.patch(path, as: .ada, json: ["startsOn": "2026-09-01"])
            #expect(shorter.status == 422)
            #expect(shorter.json["errors"]?[0]?["code"]?.text == "parts_outside")
            let smaller = try await school.patch(path, as: .ada, json: ["kind": "term"])
            #expect(smaller.status == 422)
            #expect(smaller.pointers == ["/kind"])
        }
    }

    @Test func `a term is removed when nothing refers to it`() async throws {
        try await withSchool { school in
            let year = try await school.addYear()
            let path = "/v1/terms/\(year.text("id") ?? "")"
            let half = try await school.post(
                "/v1/terms", as: .ada, json: semester("First half", "2026-08-01", "2027-02-01"))
            let biology = "/v1/classes/\(school.biology.uuid)"
            let put = try await school.patch(biology, as: .ada, json: ["termId": "source:y26"])
            #expect(put.status == 200)
            let refused = try await school.delete(path, as: .ada)
            #expect(refused.status == 409)
            #expect(refused.code == "term_in_use")
            #expect(refused.text("detail")?.contains("1 classes, 1 parts") == true)
            let part = "/v1/terms/\(half.text("id") ?? "")"
            #expect(try await school.delete(part, as: .mara).status == 403)
            #expect(try await school.delete(part, as: .olga).status == 404)
            #expect(try await school.delete(part, as: .ada).status == 204)
            #expect(try await school.delete(part, as: .ada).status == 404)
            #expect(
                try await school.patch(biology, as: .ada, json: ["termId": .null]).status == 200)
            #expect(try await school.delete("/v1/terms/source:y26", as: .ada).status == 204)
        }
    }

    @Test(arguments: [Persona.mara, .tom, .sam, .exporter, .samsApp])
    func `only directory managers write terms`(persona: Persona) async throws {
        try await withSchool { school in
            let year = try await school.addYear()
            let path = "/v1/terms/\(year.text("id") ?? "")"
            let body = semester("X", "2026-08-01", "2027-02-01")
            #expect(try await school.post("/v1/terms", as: persona, json: body).status == 403)
            #expect(try await school.put(path, as: persona, json: body).status == 403)
            #expect(try await school.put("\(path)/closing", as: persona).status == 403)
            #expect(try await school.delete("\(path)/closing", as: persona).status == 403)
        }
    }
}

/// A semester of the year that `addYear` made.
func semester(_ name: String, _ startsOn: String, _ endsOn: String) -> JSONValue {
    [
        "name": .text(name), "kind": "semester", "startsOn": .text(startsOn),
        "endsOn": .text(endsOn), "parentId": "source:y26",
    ]
}

extension TestSchool {
    /// The school year 2026, `source:y26`.
    func addYear() async throws -> Answer {
        try await post(
            "/v1/terms", as: .ada,
            json: [
                "name": "2026/27", "kind": "schoolYear", "startsOn": "2026-08-01",
                "endsOn": "2027-08-01", "sourceId": "y26",
            ])
    }
}
