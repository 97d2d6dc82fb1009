import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Grades

/// Which systems may use the gradebook of which classes.
@Suite struct GrantTests {
    private func account(
        _ school: TestSchool, _ name: String = "Grader", role: String = "rosterReader"
    ) async throws -> String {
        let account = try await school.post(
            "/v1/service-accounts", as: .ada, json: ["name": .text(name), "role": .text(role)])
        return
            "/v1/service-accounts/\(try #require(account.json["clientId"]?.text))/gradebook-grants"
    }

    @Test func `grants are replaced as a whole, and teachers see whom they are for`() async throws {
        try await withSchool { school in
            let path = try await account(school)
            #expect(try await school.get(path, as: .ada).items.isEmpty)
            let systems = "/v1/classes/source:class-Biology/gradebook-systems"
            #expect(try await school.get(systems, as: .tom).items.isEmpty)
            let grants: JSONValue = [
                "items": [
                    ["classId": "source:class-Biology", "readsResults": true],
                    [
                        "locationId": .text(school.mainLocation.uuid.description),
                        "readsResults": false,
                    ],
                ]
            ]
            let set = try await school.put(path, as: .ada, json: grants)
            #expect(set.status == 200 && set.items.count == 2, "\(set.text)")
            #expect(try await school.get(path, as: .ada).json == set.json)
            let seen = try await school.get(systems, as: .tom)
            #expect(seen.items.map { $0["name"] } == ["Grader"])
            #expect(seen.items[0]["readsResults"] == true)
            let chemistry = "/v1/classes/source:class-Chemistry/gradebook-systems"
            let tess = try await school.get(chemistry, as: .tess)
            #expect(tess.items.map { $0["readsResults"] } == [false], "by the location alone")
            #expect(try await school.get(chemistry, as: .tom).status == 404)
            #expect(try await school.put(path, as: .ada, json: ["items": []]).items.isEmpty)
            #expect(try await school.get(systems, as: .tom).items.isEmpty)
            let events = try school.sql(
                "select details::text as details from school.audit_event where kind = 'privilegeChange'"
            )
            #expect(events.count == 2)
        }
    }

    @Test func `a grant that stays keeps its time, and one that reads more is new`() async throws {
        try await withSchool { school in
            let path = try await account(school)
            let biology: JSONValue = ["classId": "source:class-Biology", "readsResults": false]
            _ = try await school.put(path, as: .ada, json: ["items": [biology]])
            try school.sql("update school.gradebook_grant set granted_at = '2026-01-01T08:00:00Z'")
            let more: JSONValue = ["items": [["readsResults": false], biology]]
            let added = try await school.put(path, as: .ada, json: more)
            #expect(added.items.count == 2, "\(added.text)")
            #expect(added.items[0]["grantedAt"] != "2026-01-01T08:00:00.000Z")
            #expect(added.items[1]["grantedAt"] == "2026-01-01T08:00:00.000Z")
            let twice: JSONValue = ["items": [biology, biology]]
            #expect(try await school.put(path, as: .ada, json: twice).code == "grant_made_twice")
            #expect(try await school.get(path, as: .ada).json == added.json)
            let reading: JSONValue = [
                "items": [["classId": "source:class-Biology", "readsResults": true]]
            ]
            let changed = try await school.put(path, as: .ada, json: reading)
            #expect(changed.items.map { $0["readsResults"] } == [true], "\(changed.text)")
            #expect(changed.items[0]["grantedAt"] != "2026-01-01T08:00:00.000Z")
        }
    }

    @Test func `a grant names a class or a location that exists, once`() async throws {
        try await withSchool { school in
            let path = try await account(school)
            for (items, pointer) in [
                ([["classId": "source:nothing", "readsResults": true]], "/items/0/classId"),
                (
                    [["readsResults": true], ["locationId": "source:far", "readsResults": true]],
                    "/items/1/locationId"
                ),
                (
                    [
                        [
                            "classId": "source:class-Biology", "locationId": "source:main",
                            "readsResults": true,
                        ]
                    ],
                    "/items/0"
                ),
                ([["classId": "source:class-Biology"]], "/items/0/readsResults"),
            ] as [(JSONValue, String)] {
                let answer = try await school.put(path, as: .ada, json: ["items": items])
                #expect(answer.status == 422 && answer.pointers == [pointer], "\(answer.text)")
            }
            let twice: JSONValue = ["items": [["readsResults": true], ["readsResults": false]]]
            #expect(try await school.put(path, as: .ada, json: twice).code == "grant_made_twice")
            #expect(try await school.get(path, as: .ada).items.isEmpty)
        }
    }

    @Test func `only accounts that read rosters get grants`() async throws {
        try await withSchool { school in
            let provisioner = try await account(school, "Sync", role: "provisioner")
            let grants: JSONValue = ["items": [["readsResults": true]]]
            #expect(try await school.put(provisioner, as: .ada, json: grants).status == 404)
            let path = try await account(school)
            #expect(try await school.put(path, as: .olga, json: grants).status == 404)
            #expect(try await school.get(path, as: .olga).status == 404)
            #expect(try await school.put(path, as: .tom, json: grants).status == 403)
        }
    }
}
