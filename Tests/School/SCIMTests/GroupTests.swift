import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import SCIM

/// Groups: classes and locations.
@Suite struct GroupTests {
    private func user(_ persona: Persona) -> JSONValue {
        ["value": .text(persona.personID.uuid.description)]
    }

    @Test func `a class lists its members, and says who teaches`() async throws {
        try await withSchool { school in
            let group = try await school.scim("GET", "Groups/\(school.biology.uuid)")
            #expect(group.json["displayName"] == "Biology")
            let members = group.json["members"]?.array ?? []
            #expect(
                Set(members.compactMap { $0["value"]?.text })
                    == Set([Persona.tom, .cora, .sam, .sue].map { school.id(of: $0) }))
            let sam = members.first { $0["value"]?.text == school.id(of: .sam) }
            #expect(sam?["display"] == "Sam Example")
            #expect(sam?["type"] == "User")
            #expect(sam?["$ref"]?.text?.hasSuffix("/scim/v2/Users/\(school.id(of: .sam))") == true)
            let own = group.json[Schema.schoolGroup.id]
            #expect(own?["kind"] == "class")
            #expect(own?["location"] == "Main building")
            #expect(
                Set((own?["teachers"]?.array ?? []).compactMap { $0["value"]?.text })
                    == Set([Persona.tom, .cora].map { school.id(of: $0) }))
        }
    }

    /// Okta sends its changes like this, and its replacements without the source id.
    @Test func `a group is renamed by one who repeats its id, and keeps its source id`()
        async throws
    {
        try await withSchool { school in
            let path = "Groups/\(school.biology.uuid)"
            let called: JSONValue = ["op": "add", "path": "externalId", "value": "bio"]
            #expect(try await school.change(path, called).status == 200)
            func rename(_ id: JSONValue) async throws -> Answer {
                try await school.change(
                    path, ["op": "replace", "value": ["id": id, "displayName": "Bio"]])
            }
            for id: JSONValue in ["", "x", .text(school.chemistry.uuid.description), nil] {
                let refused = try await rename(id)
                #expect(refused.status == 400 && refused.json["scimType"] == "mutability")
            }
            let renamed = try await rename(.text(school.biology.uuid.description))
            #expect(renamed.status == 200, "\(renamed.text)")
            #expect(renamed.json["displayName"] == "Bio")
            let replaced = try await school.scim("PUT", path, ["displayName": "Biology"])
            #expect(replaced.json["displayName"] == "Biology")
            #expect(replaced.json["externalId"] == "bio")
        }
    }

    @Test func `a new class seats students and teachers by their roles`() async throws {
        try await withSchool { school in
            let made = try await school.scim(
                "POST", "Groups",
                [
                    "displayName": "Physics", "externalId": "p",
                    "members": [user(.ben), user(.tess)],
                ])
            #expect(made.status == 201)
            let id = made.json["id"]?.text ?? ""
            let seats = try school.sql(
                """
                select s.role, s.person_id from school.seat as s where s.class_id = \(id)::uuid order by role
                """)
            #expect(try seats.map { try $0.text("role") } == ["student", "teacher"])
            #expect(
                try seats.map { try $0.uuid("person_id") } == [
                    school.id(.ben).uuid, school.id(.tess).uuid,
                ])
            let events = try school.sql(
                """
                select from school.audit_event where kind = 'rosterChange' and subject_id = \(id)
                """)
            #expect(events.count == 2)
        }
    }

    @Test func `members are added and removed as the standard and as Entra write it`()
        async throws
    {
        try await withSchool { school in
            let path = "Groups/\(school.chemistry.uuid)"
            let id = school.chemistry.uuid.description
            let was = try await school.members(id)
            let sam = school.id(of: .sam)
            let added = try await school.change(
                path, ["op": "Add", "path": "members", "value": [user(.sam)]])
            #expect(added.status == 200)
            #expect(try await school.members(id) == was.union([sam]))
            _ = try await school.change(
                path, ["op": "Remove", "path": "members", "value": [user(.sam)]])
            #expect(try await school.members(id) == was)
            _ = try await school.change(path, ["op": "add", "value": ["members": [user(.sam)]]])
            #expect(try await school.members(id) == was.union([sam]))
            _ = try await school.change(
                path, ["op": "remove", "path": .text("members[value eq \"\(sam)\"]")])
            #expect(try await school.members(id) == was)
            _ = try await school.change(
                path, ["op": "replace", "path": "members", "value": [user(.sam)]])
            #expect(try await school.members(id) == [sam])
            _ = try await school.change(path, ["op": "replace", "path": "members", "value": []])
            #expect(try await school.members(id).isEmpty)
        }
    }

    @Test(
        arguments: [
            ["op": "remove", "path": "members"],
            ["op": "remove", "path": "members", "value": []],
            ["op": "replace", "value": ["displayName": "Renamed"]],
            ["op": "replace", "path": "members", "value": [["display": "Sam"]]],
            ["op": "replace", "path": "members", "value": "everybody"],
            ["op": "remove", "path": "members", "value": [["display": "Sam"]]],
        ] as [JSONValue])
    func `a change that names no members empties no group`(change: JSONValue) async throws {
        try await withSchool { school in
            let id = school.biology.uuid.description
            let was = try await school.members(id)
            #expect(!was.isEmpty)
            _ = try await school.change("Groups/\(id)", change)
            #expect(try await school.members(id) == was)
        }
    }

    @Test func `of many who add a member at once, all do`() async throws {
        try await withSchool { school in
            var ids: [String] = []
            for number in 0..<6 {
                let made = try await school.newUser(
                    "n\(number)@hillside.example", ["roles": [["value": "student"]]])
                ids.append(made.json["id"]?.text ?? "")
            }
            let path = "Groups/\(school.chemistry.uuid)"
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for id in ids {
                    group.addTask {
                        try await school.change(
                            path,
                            ["op": "add", "path": "members", "value": [["value": .text(id)]]]
                        ).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == 200 })
            let members = try await school.members(school.chemistry.uuid.description)
            #expect(members.isSuperset(of: ids))
        }
    }

    @Test func `a stranger is not a member`() async throws {
        try await withSchool { school in
            let path = "Groups/\(school.chemistry.uuid)"
            let omar = try await school.change(
                path, ["op": "add", "path": "members", "value": [user(.omar)]])
            let nobody = try await school.change(
                path,
                [
                    "op": "add", "path": "members",
                    "value": [["value": "00000000-0000-4000-8000-000000000000"]],
                ])
            #expect(omar.status == 400 && nobody.status == 400)
            #expect(omar.json["scimType"] == "invalidValue")
            let foreign = TestIDs.elsewhereClass.uuid
            #expect(try await school.scim("GET", "Groups/\(foreign)").status == 404)
            #expect(try await school.scim("DELETE", "Groups/\(foreign)").status == 404)
        }
    }

    @Test func `a location has the people with roles there, and they come and go`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.location (organization_id, location_id, name, source_id)
                values (\(school.hillside), gen_random_uuid(), 'Annex', 'annex')
                """)
            let groups = try await school.scim(
                "GET", "Groups?filter=displayName%20eq%20%22annex%22")
            let id = groups.json["Resources"]?[0]?["id"]?.text ?? ""
            let path = "Groups/\(id)"
            #expect(try await school.members(id).isEmpty)
            let tag = try await school.scim("GET", path).header("etag")
            let joined = try await school.change(
                path, ["op": "add", "path": "members", "value": [user(.sam)]])
            #expect(joined.status == 200)
            #expect(joined.header("etag") != tag)
            #expect(try await school.members(id) == [school.id(of: .sam)])
            let roles = try school.sql(
                """
                select role from school.person_role
                 where person_id = \(school.id(.sam)) and location_id = \(id)::uuid
                """)
            #expect(try roles.map { try $0.text("role") } == ["student"])
            let left = try await school.change(
                path, ["op": "remove", "path": "members", "value": [user(.sam)]])
            #expect(left.status == 200)
            #expect(try await school.members(id).isEmpty)
            let higher = try await school.change(
                path, ["op": "add", "path": "members", "value": [user(.ada)]])
            #expect(higher.status == 403)
            #expect(try await school.scim("DELETE", path).status == 403)
        }
    }

    @Test func `a class goes for good, and one with handouts is archived`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let biology = "Groups/\(school.biology.uuid)"
            let chemistry = "Groups/\(school.chemistry.uuid)"
            #expect(try await school.scim("DELETE", biology).status == 204)
            #expect(try await school.scim("DELETE", chemistry).status == 204)
            #expect(try await school.scim("GET", biology).status == 404)
            #expect(try await school.scim("GET", chemistry).status == 404)
            let left = try school.sql(
                "select name, archived_at from school.class where organization_id = \(school.hillside)"
            )
            #expect(left.count == 1)
            #expect(try left[0].text("name") == "Biology")
            #expect(try !left[0].isNull("archived_at"))
        }
    }

    @Test func `a class holds as many as the organization says`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.organization set class_students_max = 1 where organization_id = \(school.hillside)
                """)
            let answer = try await school.change(
                "Groups/\(school.chemistry.uuid)",
                ["op": "add", "path": "members", "value": [user(.sam)]])
            #expect(answer.status == 409)
            #expect(answer.json["detail"]?.text?.contains("at most 1") == true)
        }
    }
}
