import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct FollowingChanges {
    private static func location(_ name: String) -> JSONValue { ["name": .text(name)] }

    @Test func `what is created, changed and removed is followed from a position`() async throws {
        try await withSchool { school in
            var follower = try await Follower(.provisioner, in: school)
            #expect(try await follower.read().changes.isEmpty)
            let made = try await school.post(
                "/v1/locations", as: .ada, json: Self.location("Annexe"))
            let path = try #require(made.header("location"))
            let id = try #require(made.json["id"]?.text)
            #expect(
                try await follower.read(atLeast: 1) == [SeenChange("location", id, "created")])
            _ = try await school.patch(path, as: .ada, json: Self.location("New annexe"))
            #expect(
                try await follower.read(atLeast: 1) == [SeenChange("location", id, "changed")])
            #expect(try await school.delete(path, as: .ada).status == 204)
            #expect(
                try await follower.read(atLeast: 1) == [SeenChange("location", id, "removed")])
            #expect(try await follower.read().changes.isEmpty)
        }
    }

    @Test func `a transaction that commits late is not missed`() async throws {
        try await withSchool { school in
            var follower = try await Follower(.provisioner, in: school)
            let (early, late) = (
                try BlockingConnection(school.ownerURL), try BlockingConnection(school.ownerURL)
            )
            try early.execute("begin")
            try early.query(
                "update school.location set name = 'First' where location_id = \(school.mainLocation)"
            )
            try late.query(
                "update school.class set name = 'Second' where class_id = \(school.biology)")
            #expect(
                try await follower.read(atLeast: 1) == [
                    SeenChange("class", school.biology.uuid.description, "changed")
                ], "it does not wait for the one that began before")
            try early.execute("commit")
            #expect(
                try await follower.read(atLeast: 1) == [
                    SeenChange("location", school.mainLocation.uuid.description, "changed")
                ])
        }
    }

    @Test func `a transaction is one change for each thing, in pages`() async throws {
        try await withSchool { school in
            var follower = try await Follower(.ada, in: school)
            var watch = follower
            try school.sql(
                """
                insert into school.location (organization_id, location_id, name)
                select \(school.hillside), ('0190f0c0-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Site ' || n
                  from generate_series(1, 5) as n
                """)
            _ = try await watch.read(atLeast: 5)
            var pages: [Int] = []
            var seen: [SeenChange] = []
            var hasMore = true
            while hasMore {
                let page = try await follower.read(limit: 2)
                pages.append(page.changes.count)
                seen += page.changes
                hasMore = page.hasMore
            }
            #expect(pages == [2, 2, 1])
            #expect(Set(seen).count == 5 && seen.allSatisfy { $0.what == "created" })
        }
    }

    @Test func `who joins a class changes its roster, and who gets a role changes`() async throws {
        try await withSchool { school in
            var follower = try await Follower(.provisioner, in: school)
            let seat = "/v1/classes/\(school.chemistry.uuid)/students/\(Persona.sam.personID.uuid)"
            #expect(try await school.put(seat, as: .provisioner).status < 300)
            #expect(
                try await follower.read(atLeast: 1) == [
                    SeenChange("roster", school.chemistry.uuid.description, "changed")
                ], "the new version of the class says nothing")
            let sam = Persona.sam.personID.uuid.description
            try school.sql(
                """
                insert into school.person_role (organization_id, person_id, location_id, role)
                values (\(school.hillside), \(Persona.sam.personID), \(school.mainLocation), 'staff')
                """)
            #expect(
                try await follower.read(atLeast: 1) == [SeenChange("person", sam, "changed")])
        }
    }

    @Test func `a position is of one school, and of changes that are kept`() async throws {
        try await withSchool { school in
            let here = try await Follower(.ada, in: school).position
            let elsewhere = try await Follower(.olga, in: school).position
            let path = "/v1/changes?after="
            #expect(try await school.get(path + here, as: .ada).status == 200)
            let foreign = try await school.get(path + elsewhere, as: .ada)
            #expect(foreign.status == 410 && foreign.code == "position_forgotten")
            let wrong = try await school.get(path + "yesterday", as: .ada)
            #expect(wrong.status == 400 && wrong.code == "invalid_parameter")

            try school.sql("update school.location set name = 'Old'")
            let forget: Statement = "select school.forget_changes(1000) as count"
            #expect(try school.sql(forget)[0].int("count") == 0)
            try school.sql("update school.change set noted_at = now() - interval '31 days'")
            try school.letClockProveRight()
            #expect(try school.sql(forget)[0].int("count") > 0)
            let late = try await school.get(path + here, as: .ada)
            #expect(late.status == 410 && late.text.contains("Ask without `after`"))
            #expect(try await school.get(path + elsewhere, as: .olga).status == 410)
            let anew = try await Follower(.ada, in: school).position
            #expect(try await school.get(path + anew, as: .ada).status == 200)
            #expect(try school.sql("select from school.change_transaction").count == 0)
        }
    }

    @Test func `teachers follow their handouts, and nobody else's`() async throws {
        try await withSchool { school in
            var tom = try await Follower(.tom, in: school)
            var cora = try await Follower(.cora, in: school)
            var tess = try await Follower(.tess, in: school)
            var ada = try await Follower(.ada, in: school)
            let draft = try await school.post(
                "/v1/handouts", as: .tom,
                json: [
                    "classId": .text(school.biology.uuid.description), "title": "Cells",
                    "tasks": [
                        ["kind": "link", "url": "https://example.org/cells", "title": "Read"]
                    ],
                ])
            let path = try #require(draft.header("location"))
            let id = try #require(draft.json["id"]?.text)
            #expect(try await tom.read(atLeast: 1) == [SeenChange("handout", id, "created")])
            #expect(try await cora.read().changes.isEmpty, "it is a draft")
            _ = try await school.put("\(path)/publication", as: .tom)
            #expect(try await cora.read(atLeast: 1) == [SeenChange("handout", id, "changed")])
            #expect(try await school.delete(path, as: .cora).status == 204)
            #expect(try await cora.read(atLeast: 1) == [SeenChange("handout", id, "removed")])
            #expect(try await tess.read().changes.isEmpty)
            #expect(try await ada.read().changes.isEmpty)
        }
    }

    @Test func `teachers follow their own classes and the people in them`() async throws {
        try await withSchool { school in
            var tom = try await Follower(.tom, in: school)
            var ada = try await Follower(.ada, in: school)
            for group in [school.biology, school.chemistry] {
                try school.sql("update school.class set room = '12' where class_id = \(group)")
            }
            for person in [Persona.sam, .ben] {
                try school.sql(
                    "update school.person set grade = '9' where person_id = \(person.personID)")
            }
            #expect(try await ada.read(atLeast: 4).count == 4)
            #expect(
                try await tom.read(atLeast: 2) == [
                    SeenChange("class", school.biology.uuid.description, "changed"),
                    SeenChange("person", Persona.sam.personID.uuid.description, "changed"),
                ])
        }
    }
}
