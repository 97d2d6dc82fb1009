import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import SCIM

/// Changes of users, as the standard and as Entra write them.
@Suite struct PatchTests {
    /// What a change does to one attribute.
    struct Case: Sendable {
        let operation: JSONValue
        /// The attribute, or the attribute and its part.
        let name: [String]
        let value: JSONValue?
    }

    static let cases: [Case] = [
        Case(
            operation: ["op": "replace", "path": "name.givenName", "value": "Sid"],
            name: ["name", "givenName"], value: "Sid"),
        Case(
            operation: ["op": "Replace", "path": "NAME.GIVENNAME", "value": "Sid"],
            name: ["name", "givenName"], value: "Sid"),
        Case(
            operation: ["op": "replace", "value": ["name": ["givenName": "Sid"]]],
            name: ["name"],
            value: ["familyName": "Example", "givenName": "Sid"]),
        Case(
            operation: ["op": "Add", "value": ["name.givenName": "Sid", "title": "Mr"]],
            name: ["name", "givenName"], value: "Sid"),
        Case(
            operation: ["op": "Replace", "path": "active", "value": "False"], name: ["active"],
            value: false),
        Case(
            operation: ["op": "replace", "value": ["active": false]], name: ["active"], value: false
        ),
        Case(
            operation: ["op": "add", "path": "emails", "value": [["value": "s@example.org"]]],
            name: ["emails"], value: [["value": "s@example.org", "type": "work"]]),
        Case(
            operation: [
                "op": "Add", "path": "emails[type eq \"work\"].value", "value": "s@example.org",
            ], name: ["emails"], value: [["value": "s@example.org", "type": "work"]]),
        Case(
            operation: [
                "op": "Replace",
                "value": ["emails[type eq \"work\"].value": "s@example.org", "nickName": "S"],
            ], name: ["emails"], value: [["value": "s@example.org", "type": "work"]]),
        Case(
            operation: [
                "op": "Add", "path": "phoneNumbers[type eq \"mobile\"].value", "value": "1",
            ],
            name: ["phoneNumbers"], value: nil),
        Case(
            operation: [
                "op": "add",
                "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber",
                "value": 12,
            ],
            name: [
                "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User", "employeeNumber",
            ], value: "12"),
        Case(
            operation: [
                "op": "replace",
                "value": ["urn:homeroom:scim:schemas:extension:school:2.0:User": ["grade": "9"]],
            ], name: ["urn:homeroom:scim:schemas:extension:school:2.0:User", "grade"], value: "9"),
        Case(
            operation: ["op": "remove", "path": "externalId"], name: ["externalId"], value: nil),
        Case(
            operation: ["op": "replace", "path": "externalId", "value": nil], name: ["externalId"],
            value: nil),
        Case(
            operation: ["op": "add", "path": "roles", "value": [["value": "teacher"]]],
            name: ["roles"], value: [["value": "student"], ["value": "teacher"]]),
        Case(
            operation: ["op": "replace", "path": "roles", "value": [["value": "teacher"]]],
            name: ["roles"], value: [["value": "teacher"]]),
        Case(
            operation: [
                "op": "Add", "path": "roles[primary eq \"True\"].value", "value": "teacher",
            ], name: ["roles"], value: [["value": "teacher"]]),
        Case(
            operation: ["op": "remove", "path": "roles[value eq \"student\"]"], name: ["roles"],
            value: nil),
        Case(
            operation: ["op": "Remove", "path": "roles", "value": [["value": "student"]]],
            name: ["roles"], value: nil),
        Case(
            operation: ["op": "replace", "path": "displayName", "value": "Other"],
            name: ["displayName"], value: "Sam Example"),
    ]

    /// Entra sends one role, and an import may have given two.
    @Test(arguments: ["staff", "student", "teacher"])
    func `the primary role replaces all that a person has`(word: String) async throws {
        try await withSchool { school in
            let path = "Users/\(school.id(of: .tess))"
            let both = try await school.change(
                path,
                [
                    "op": "replace", "path": "roles",
                    "value": [["value": "staff"], ["value": "teacher"]],
                ])
            #expect(both.json["roles"] == [["value": "staff"], ["value": "teacher"]])
            let answer = try await school.change(
                path,
                [
                    "op": "Replace", "path": "roles[primary eq \"True\"].value",
                    "value": .text(word),
                ])
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["roles"] == [["value": .text(word)]])
        }
    }

    @Test(arguments: cases.indices)
    func `a change does what it says`(index: Int) async throws {
        let change = Self.cases[index]
        try await withSchool { school in
            let answer = try await school.change("Users/\(school.id(of: .sam))", change.operation)
            #expect(answer.status == 200, "\(answer.text)")
            let value = change.name.reduce(answer.json as JSONValue?) { $0?[$1] }
            #expect(value == change.value)
            let read = try await school.scim("GET", "Users/\(school.id(of: .sam))")
            #expect(read.json == answer.json)
        }
    }

    @Test(
        arguments: [
            (["op": "move", "path": "active", "value": true], "invalidSyntax"),
            (["op": "remove"], "noTarget"),
            (["op": "replace", "path": "id", "value": "x"], "mutability"),
            (["op": "replace", "path": "emails[", "value": "x"], "invalidPath"),
            (["op": "replace", "path": "userName[a eq \"b\"]", "value": "x"], "invalidPath"),
            (["op": "replace", "path": 5, "value": "x"], "invalidPath"),
            (["op": "replace", "value": "x"], "invalidValue"),
            (["op": "remove", "path": "userName"], "invalidValue"),
            (["op": "remove", "path": "name"], "invalidValue"),
            (["op": "replace", "path": "active", "value": "maybe"], "invalidValue"),
            (["op": "replace", "path": "name", "value": "Sam"], "invalidValue"),
            (["op": "replace", "path": "name.givenName", "value": "a\u{1}b"], "invalidValue"),
            (["op": "replace", "path": "emails", "value": [["value": "nowhere"]]], "invalidValue"),
            (
                ["op": "replace", "path": "roles[value co \"x\"].value", "value": "staff"],
                "noTarget"
            ),
        ] as [(JSONValue, String)])
    func `a wrong change is refused and changes nothing`(
        operation: JSONValue, kind: String
    ) async throws {
        try await withSchool { school in
            let path = "Users/\(school.id(of: .sam))"
            let before = try await school.scim("GET", path).json
            let answer = try await school.change(path, operation)
            #expect(answer.status == 400)
            #expect(answer.json["scimType"]?.text == kind)
            #expect(try await school.scim("GET", path).json == before)
        }
    }

    @Test func `changes are done together or not at all`() async throws {
        try await withSchool { school in
            try school.callSamAndChemistry()
            let path = "Users/\(school.id(of: .sam))"
            let good: JSONValue = ["op": "replace", "path": "name.givenName", "value": "Sid"]
            let bad: JSONValue = ["op": "replace", "path": "active", "value": "maybe"]
            let failed = try await school.scim("PATCH", path, ["Operations": [good, bad]])
            #expect(failed.status == 400)
            #expect(try await school.scim("GET", path).json["displayName"] == "Sam Example")
            let done = try await school.scim(
                "PATCH", path,
                ["Operations": [good, ["op": "remove", "path": "externalId"]]])
            #expect(done.json["displayName"] == "Sid Example" && done.json["externalId"] == nil)
        }
    }

    @Test func `who gets another location moves there with the roles`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.location (organization_id, location_id, name, source_id)
                values (\(school.hillside), gen_random_uuid(), 'Annex', 'annex')
                """)
            let name = "\(Schema.enterpriseUser.id):organization"
            let answer = try await school.change(
                "Users/\(school.id(of: .sam))",
                ["op": "replace", "path": .text(name), "value": "annex"])
            #expect(answer.json[Schema.enterpriseUser.id]?["organization"] == "Annex")
            let held = try school.sql(
                """
                select l.name, r.role from school.person_role as r join school.location as l using (location_id)
                 where r.person_id = \(school.id(.sam))
                """)
            #expect(held.count == 1)
            #expect(try held[0].text("name") == "Annex" && held[0].text("role") == "student")
            // With several locations, a new user says which.
            let nowhere = try await school.newUser("nora@hillside.example")
            #expect(nowhere.status == 400)
            #expect(nowhere.json["detail"]?.text?.hasPrefix("organization") == true)
        }
    }
}
