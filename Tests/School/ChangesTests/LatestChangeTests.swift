import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Who changed something last, as far as the caller may know.
@Suite struct LatestChanges {
    private func path(_ kind: String, _ id: some CustomStringConvertible) -> String {
        "/v1/changes/latest?kind=\(kind)&id=\(id)"
    }

    @Test func `who edited an announcement is named to those who teach the class`() async throws {
        try await withSchool { school in
            let made = try await school.post(
                "/v1/announcements", as: .tom,
                json: ["classId": .text(school.biology.uuid.description), "text": "Bring a pen."])
            let id = try #require(made.json["id"]?.text)
            #expect(try await school.get(path("announcement", id), as: .tom).status == 404)
            let changed = try await school.patch(
                "/v1/announcements/\(id)", as: .cora, json: ["text": "Bring two pens."])
            #expect(changed.status == 200)
            let latest = try await school.get(path("announcement", id), as: .tom)
            #expect(latest.status == 200 && latest.json["changedBy"]?["givenName"] == "Cora")
            // The row is there, and not theirs.
            for stranger in [Persona.tess, .ada, .olga] {
                #expect(
                    try await school.get(path("announcement", id), as: stranger).status == 404)
            }
            #expect(try await school.get(path("announcement", id), as: .sam).status == 403)
            try school.sql(
                "update school.announcement set edited_at = edited_at - interval '25 hours'")
            #expect(try await school.get(path("announcement", id), as: .tom).status == 404)
        }
    }

    @Test func `who edited an app is named, whatever happens to its licences afterwards`()
        async throws
    {
        try await withSchool { school in
            let app: JSONValue = [
                "adamId": "99", "name": "Stars", "productType": "App", "bundleId": "org.stars",
            ]
            #expect(try await school.post("/v1/apps", as: .ada, json: app).status == 201)
            #expect(try await school.get(path("app", "99"), as: .ada).status == 404)
            let changed = try await school.patch(
                "/v1/apps/99", as: .ada, json: ["name": "More stars"])
            #expect(changed.status == 200, "\(changed.text)")
            let pool = try await school.put(
                "/v1/apps/99/pools/source:main", as: .ada,
                json: ["totalCount": 3])
            #expect((200..<300).contains(pool.status), "\(pool.text)")
            let latest = try await school.get(path("app", "99"), as: .ada)
            #expect(
                latest.json["changedBy"]?["id"] == .text(school.id(.ada).uuid.description))
            #expect(try await school.get(path("app", "99"), as: .olga).status == 404)
            #expect(try await school.get(path("app", "98"), as: .ada).status == 404)
            #expect(try await school.get(path("class", "99"), as: .ada).status == 404)
        }
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
            let published = try await school.put("/v1/handouts/\(id)/publication", as: .tom)
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
