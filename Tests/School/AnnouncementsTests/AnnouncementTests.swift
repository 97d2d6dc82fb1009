import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Announcements

@Suite struct AnnouncementTests {
    @Test func `a class reads what its teacher posted, and nobody else does`() async throws {
        try await withSchool { school in
            let posted = try await school.announce("Bring your atlas.", as: .tom)
            #expect(posted.status == 201)
            #expect(posted.json["authorId"]?.text == Persona.tom.personID.uuid.description)
            let path = try #require(posted.header("location"))
            for reader in [Persona.tom, .cora, .sam, .sue] {
                #expect(try await school.get(path, as: reader).json == posted.json)
                #expect(try await school.list(as: reader) == ["Bring your atlas."])
            }
            for stranger in [Persona.tess, .ben] {
                #expect(try await school.get(path, as: stranger).status == 404)
                #expect(try await school.list(as: stranger) == [])
            }
            #expect(try await school.get(path, as: .ada).status == 403)
        }
    }

    @Test func `teachers of the class change and remove what was posted`() async throws {
        try await withSchool { school in
            let posted = try await school.announce("On Monday.", as: .tom)
            let path = try #require(posted.header("location"))
            let changed = try await school.patch(path, as: .cora, json: ["text": "On Tuesday."])
            #expect(changed.json["text"]?.text == "On Tuesday.")
            #expect(changed.json["authorId"]?.text == Persona.tom.personID.uuid.description)
            #expect(try await school.patch(path, as: .tess, json: ["text": "Never."]).status == 404)
            #expect(try await school.delete(path, as: .tess).status == 404)
            #expect(try await school.get(path, as: .sam).json["text"]?.text == "On Tuesday.")
            #expect(try await school.delete(path, as: .cora).status == 204)
            #expect(try await school.get(path, as: .sam).status == 404)
        }
    }

    @Test func `an invalid announcement is refused with a reason`() async throws {
        try await withSchool { school in
            let empty = try await school.announce("   ", as: .tom)
            #expect(empty.status == 422 && empty.text.contains("/text"))
            let long = try await school.announce(String(repeating: "a", count: 5001), as: .tom)
            #expect(long.status == 422 && long.text.contains("/text"))
            let elsewhere = try await school.announce("Ours.", to: TestIDs.chemistry, as: .tom)
            #expect(elsewhere.status == 422 && elsewhere.text.contains("unknown_reference"))
            try school.sql(
                "update school.class set archived_at = now() where class_id = \(TestIDs.biology)")
            let archived = try await school.announce("Too late.", as: .tom)
            #expect(archived.status == 409 && archived.code == "class_archived")
            #expect(try await school.list(as: .tom) == [])
        }
    }

    @Test func `announcements to an archived class stay as they are`() async throws {
        try await withSchool { school in
            let posted = try await school.announce("On Monday.", as: .tom)
            let path = try #require(posted.header("location"))
            let other = try await school.announce("Elsewhere.", to: TestIDs.chemistry, as: .tess)
            let archived: Statement = "update school.class set archived_at = now() where class_id"
            try school.sql("\(fragment: archived) = \(TestIDs.chemistry)")
            try school.sql("\(fragment: archived) = \(TestIDs.biology)")
            #expect(try await school.get(path, as: .tom).json == posted.json)
            let changed = try await school.patch(path, as: .tom, json: ["text": "On Tuesday."])
            #expect(changed.status == 409 && changed.code == "class_archived")
            let removed = try await school.delete(path, as: .tom)
            #expect(removed.status == 409 && removed.code == "class_archived")
            #expect(try await school.delete(path, as: .tess).status == 404)
            #expect(try await school.get(path, as: .sam).json == posted.json)
            let elsewhere = try #require(other.header("location"))
            #expect(try await school.delete(elsewhere, as: .tom).status == 404)
        }
    }

    @Test func `an announcement does not move to an archived class`() async throws {
        try await withSchool { school in
            let posted = try await school.announce("On Monday.", as: .tom)
            let path = try #require(posted.header("location"))
            try school.teachChemistry()
            let chemistry: JSONValue = ["classId": .text(TestIDs.chemistry.uuid.description)]
            try school.sql(
                "update school.class set archived_at = now() where class_id = \(TestIDs.chemistry)")
            let refused = try await school.patch(path, as: .tom, json: chemistry)
            #expect(refused.status == 409 && refused.code == "class_archived")
            try school.sql(
                "update school.class set archived_at = null where class_id = \(TestIDs.chemistry)")
            let moved = try await school.patch(path, as: .tom, json: chemistry)
            #expect(moved.json["classId"]?.text == TestIDs.chemistry.uuid.description)
        }
    }

    @Test func `only the version that was read is removed`() async throws {
        try await withSchool { school in
            let posted = try await school.announce("On Monday.", as: .tom)
            let path = try #require(posted.header("location"))
            let read = try #require(posted.header("etag"))
            _ = try await school.patch(path, as: .cora, json: ["text": "On Tuesday."])
            let stale = try await school.delete(path, as: .tom, headers: [("If-Match", read)])
            #expect(stale.status == 412)
            let current = try #require(try await school.get(path, as: .tom).header("etag"))
            let removed = try await school.delete(path, as: .tom, headers: [("If-Match", current)])
            #expect(removed.status == 204)
        }
    }

    @Test func `lists cover one class and come in pages`() async throws {
        try await withSchool { school in
            for text in ["One.", "Two.", "Three."] {
                _ = try await school.announce(text, as: .tom)
            }
            let biology = "/v1/announcements?classId=\(TestIDs.biology.uuid)"
            let first = try await school.get("\(biology)&limit=2", as: .sam)
            #expect(first.items.compactMap { $0["text"]?.text } == ["One.", "Two."])
            let token = try #require(first.json["nextPageToken"]?.text)
            let second = try await school.get("\(biology)&limit=2&pageToken=\(token)", as: .sam)
            #expect(second.items.compactMap { $0["text"]?.text } == ["Three."])
            let other = "/v1/announcements?classId=\(TestIDs.chemistry.uuid)"
            #expect(try await school.get(other, as: .sam).items.isEmpty)
        }
    }

    @Test func `an announcement is deleted with its class, and stays when its author is erased`()
        async throws
    {
        try await withSchool { school in
            let path = try #require(try await school.announce("Stay.", as: .tom).header("location"))
            let tom = "/v1/people/\(Persona.tom.personID.uuid)"
            #expect(try await school.put("\(tom)/deactivation", as: .ada).status == 200)
            #expect(try await school.post("\(tom)/erasure", as: .ada).status == 200)
            let left = try await school.get(path, as: .sam)
            #expect(left.json["text"]?.text == "Stay." && left.json["authorId"] == .null)
            #expect(
                try await school.delete("/v1/classes/\(TestIDs.biology.uuid)", as: .ada).status
                    == 204)
            #expect(try await school.get(path, as: .cora).status == 404)
        }
    }

    @Test func `the statements are the ones that readers see`() throws {
        try StatementFile.check(Announcements.announcements)
    }
}

extension TestSchool {
    func announce(
        _ text: String, to group: ClassID = TestIDs.biology, as persona: Persona
    ) async throws -> Answer {
        try await post(
            "/v1/announcements", as: persona,
            json: ["classId": .text(group.uuid.description), "text": .text(text)])
    }

    fileprivate func list(as persona: Persona) async throws -> [String] {
        try await get("/v1/announcements", as: persona).items.compactMap { $0["text"]?.text }
    }
}
