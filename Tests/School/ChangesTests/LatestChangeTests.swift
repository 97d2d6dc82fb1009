import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Who changed something last, as far as the caller may know.
@Suite struct LatestChanges {
    private func path(_ kind: String, _ id: UUID) -> String {
        "/v1/changes/latest?kind=\(kind)&id=\(id)"
    }

    @Test func `a co-teacher is named to those who teach the class, and to nobody else`()
        async throws
    {
        try await withSchool { school in
            let handout = try await school.post(
                "/v1/handouts", as: .tom,
                json: [
                    "classId": .text(school.biology.uuid.description), "title": "Cells",
                    "tasks": [["kind": "link", "url": "https://example.org/", "title": "Read"]],
                ])
            let id = try #require(handout.json["id"]?.text.flatMap { UUID($0) })
            let published = try await school.post("/v1/handouts/\(id)/publication", as: .tom)
            #expect(published.status == 200)
            let changed = try await school.patch(
                "/v1/handouts/\(id)", as: .cora, json: ["title": "Cells and more"])
            #expect(changed.status == 200)
            for reader in [Persona.tom, .cora] {
                let latest = try await school.get(path("handout", id), as: reader)
                #expect(latest.status == 200)
                let author = latest.json["changedBy"]
                #expect(author?["id"] == .text(school.id(.cora).uuid.description))
                #expect(author?["givenName"] == "Cora" && author?["nameOrder"] == "givenFirst")
            }
            // The row is there, and not theirs: Tess teaches another class, Ada no class at all.
            for stranger in [Persona.tess, .ada, .petra, .olga] {
                let latest = try await school.get(path("handout", id), as: stranger)
                #expect(latest.status == 404, "\(stranger)")
            }
            #expect(try await school.get(path("handout", id), as: .sam).status == 403)
        }
    }

    @Test func `whom the caller does not see has no name`() async throws {
        try await withSchool { school in
            let id = school.biology.uuid
            let changed = try await school.patch(
                "/v1/classes/\(id)", as: .ada, json: ["room": "13"])
            #expect(changed.status == 200)
            let manager = try await school.get(path("class", id), as: .petra)
            #expect(
                manager.json["changedBy"]?["id"] == .text(school.id(.ada).uuid.description))
            let teacher = try await school.get(path("class", id), as: .tom)
            #expect(teacher.status == 200 && teacher.json["changedBy"] == .null)
            #expect(teacher.json["at"] == manager.json["at"])

            let script = try await school.patch(
                "/v1/classes/\(id)", as: .provisioner, json: ["room": "14"])
            #expect(script.status == 200)
            let after = try await school.get(path("class", id), as: .petra)
            #expect(after.status == 200 && after.json["changedBy"] == .null, "a system is nobody")
        }
    }

    @Test func `what was changed the day before yesterday is not looked for`() async throws {
        try await withSchool { school in
            let id = school.biology.uuid
            _ = try await school.patch("/v1/classes/\(id)", as: .ada, json: ["room": "13"])
            #expect(try await school.get(path("class", id), as: .ada).status == 200)
            try school.sql(
                "update school.change set noted_at = noted_at - interval '25 hours'")
            #expect(try await school.get(path("class", id), as: .ada).status == 404)
        }
    }
}
