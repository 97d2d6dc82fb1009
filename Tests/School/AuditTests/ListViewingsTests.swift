import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("GET /v1/viewings and /v1/me/viewings")
struct ListViewings {
    @Test func `administrators ask by student, reader, class and day`() async throws {
        try await withSchool { school in
            try await school.look()
            let all = try await school.get("/v1/viewings", as: .ada)
            #expect(
                all.items.map(described) == [
                    "Cora Biology class", "Tom Biology Sam", "Tess Chemistry class",
                ])
            for (query, expected) in [
                ("studentId=\(school.id(.sam).uuid)", ["Cora Biology class", "Tom Biology Sam"]),
                ("studentId=\(school.id(.sue).uuid)", ["Cora Biology class"]),
                ("studentId=\(school.id(.ben).uuid)", ["Tess Chemistry class"]),
                ("readerId=\(school.id(.tom).uuid)", ["Tom Biology Sam"]),
                ("classId=\(school.biology.uuid)", ["Cora Biology class", "Tom Biology Sam"]),
                ("from=2999-01-01", []), ("to=1999-01-01", []),
            ] {
                let page = try await school.get("/v1/viewings?\(query)", as: .ada)
                #expect(page.items.map(described) == expected, "\(query)")
            }
            let wrong = try await school.get("/v1/viewings?from=2026-02-02&to=2026-02-01", as: .ada)
            #expect(wrong.status == 400)
        }
    }

    @Test func `the list comes in pages, and a token belongs to its list`() async throws {
        try await withSchool { school in
            try await school.look()
            var target: String? = "/v1/viewings?limit=2"
            var ids: [String?] = []
            while let next = target {
                let page = try await school.get(next, as: .ada)
                ids += page.items.map { $0["id"]?.text }
                target = page.json["nextPageToken"]?.text.map {
                    "/v1/viewings?limit=2&pageToken=\($0)"
                }
            }
            #expect(ids.count == 3)
            #expect(Set(ids).count == 3)
            let foreign = try await school.get("/v1/viewings?pageToken=WyJ4Il0", as: .ada)
            #expect(foreign.status == 400)
        }
    }

    @Test func `students see who looked at their own work, and nobody else's`() async throws {
        try await withSchool { school in
            try await school.look()
            let sams = try await school.get("/v1/me/viewings", as: .sam)
            #expect(sams.items.map(described) == ["Cora Biology class", "Tom Biology class"])
            #expect(sams.items.map { $0["workOf"]?.text } == ["class", "student"])
            #expect(sams.items.allSatisfy { $0["student"] == nil && $0["times"] == 1 })
            let sues = try await school.get("/v1/me/viewings", as: .sue)
            #expect(sues.items.map(described) == ["Cora Biology class"])
            let elsewhere = try await school.get("/v1/viewings", as: .olga)
            #expect(elsewhere.status == 200 && elsewhere.items.isEmpty)
            for persona in [Persona.petra, .mara, .tom, .sam, .provisioner, .exporter, .samsApp] {
                #expect(try await school.get("/v1/viewings", as: persona).status == 403)
            }
        }
    }

    @Test func `a reader who was erased is forgotten, and the viewing stays`() async throws {
        try await withSchool { school in
            try await school.look()
            let path = "/v1/people/\(school.id(.tom).uuid)/erasure"
            #expect(try await school.post(path, as: .ada).status == 200)
            let sams = try await school.get("/v1/me/viewings", as: .sam)
            #expect(sams.items.count == 2)
            #expect(sams.items.filter { $0["reader"] == .null }.count == 1)
        }
    }

    /// Reader, class and student.
    private func described(_ viewing: JSONValue) -> String {
        let names = [
            viewing["reader"]?["givenName"]?.text, viewing["className"]?.text,
            viewing["student"]?["givenName"]?.text ?? "class",
        ]
        return names.map { $0 ?? "–" }.joined(separator: " ")
    }
}

extension TestSchool {
    /// Tom looks at Sam's work, Cora at that of Biology, Tess at that of Chemistry; each on a later day, so that the
    /// order of the list is known.
    fileprivate func look() async throws {
        for (days, persona, path) in [
            (3, Persona.tess, "/v1/classes/\(chemistry.uuid)/report"),
            (2, .tom, "/v1/classes/\(biology.uuid)/students/\(id(.sam).uuid)/report"),
            (1, .cora, "/v1/classes/\(biology.uuid)/report"),
        ] {
            #expect(try await get(path, as: persona).status == 200)
            try sql(
                """
                update school.viewing set viewed_on = current_date - \(Int32(days)),
                       first_at = now() - make_interval(days => \(Int32(days))),
                       last_at = now() - make_interval(days => \(Int32(days)))
                 where reader_id = \(persona.personID)
                """)
        }
    }
}
