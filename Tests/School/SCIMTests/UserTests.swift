import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import SCIM

/// Users: people of the directory.
@Suite struct UserTests {
    @Test func `a user is a person with name, roles and location`() async throws {
        try await withSchool { school in
            let tom = try await school.scim("GET", "Users/\(school.id(of: .tom))")
            #expect(tom.status == 200)
            #expect(tom.header("content-type") == "application/scim+json")
            #expect(tom.json["userName"] == "tom@hillside.example")
            #expect(tom.json["externalId"] == nil, "the source id is no client's word")
            #expect(tom.json["displayName"] == "Tom Example")
            #expect(tom.json["name"]?["familyName"] == "Example")
            #expect(tom.json["active"] == true)
            #expect(tom.json["roles"] == [["value": "teacher"]])
            #expect(tom.json[Schema.enterpriseUser.id]?["organization"] == "Main building")
            let location = tom.json["meta"]?["location"]?.text ?? ""
            #expect(location.hasPrefix("http"))
            #expect(location.hasSuffix("/scim/v2/Users/\(school.id(of: .tom))"))
            #expect(tom.json["meta"]?["version"]?.text == tom.header("etag"))
        }
    }

    @Test(arguments: ["Users/", "/Users", "//Users//"])
    func `a slash too many in the address means nothing`(path: String) async throws {
        try await withSchool { school in
            let plain = try await school.scim("GET", "Users?count=1")
            let answer = try await school.scim("GET", "\(path)?count=1")
            #expect(answer.status == 200)
            #expect(answer.json["totalResults"] == plain.json["totalResults"])
            let stranger = try await school.scim("GET", path, as: nil)
            #expect(stranger.status == 401)
            #expect(try await school.get("/v1/people/", as: .ada).status == 404)
        }
    }

    @Test func `a role may be the text of an object, as Entra writes it`() async throws {
        try await withSchool { school in
            let role = "{\"id\":\"x\",\"value\":\"Student\",\"displayName\":\"Student\"}"
            let made = try await school.newUser(
                "mia@hillside.example",
                ["roles": [["value": .text(role), "primary": true]]])
            #expect(made.status == 201, "\(made.text)")
            #expect(made.json["roles"] == [["value": "student"]])
        }
    }

    @Test func `a new user is a person with a managed ID and a role`() async throws {
        try await withSchool { school in
            let made = try await school.newUser(
                "nora@hillside.example",
                [
                    "externalId": "n-1", "active": true, "title": "Ms",
                    "emails": [
                        ["value": "home@example.org", "type": "home"],
                        ["value": "nora@example.org", "type": "work", "primary": true],
                    ], "roles": [["value": "Student"]],
                    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": [
                        "employeeNumber": "77", "organization": "main",
                    ], "urn:homeroom:scim:schemas:extension:school:2.0:User": ["grade": "7"],
                ])
            #expect(made.status == 201)
            #expect(made.header("location") == made.json["meta"]?["location"]?.text)
            #expect(made.json["emails"] == [["value": "nora@example.org", "type": "work"]])
            #expect(made.json["title"] == nil)
            let people = try school.sql(
                """
                select p.given_name, e.value as external_id, p.person_number, p.grade, p.email, r.role
                  from school.person as p join school.person_role as r using (organization_id, person_id)
                  join school.external_id as e using (organization_id, person_id)
                 where p.source_id is null and p.managed_id = 'nora@hillside.example'
                """)
            try #require(people.count == 1)
            #expect(try people[0].text("given_name") == "Nora")
            #expect(try people[0].text("external_id") == "n-1")
            #expect(try people[0].text("person_number") == "77")
            #expect(try people[0].text("grade") == "7")
            #expect(try people[0].text("email") == "nora@example.org")
            #expect(try people[0].text("role") == "student")
        }
    }

    @Test func `a user name without a domain gets the first one, and a role is staff`()
        async throws
    {
        try await withSchool { school in
            let made = try await school.newUser("nora")
            #expect(made.json["userName"] == "nora@hillside.example")
            #expect(made.json["roles"] == [["value": "staff"]])
        }
    }

    @Test(
        arguments: [
            ("sam@hillside.example", [:], 409, "uniqueness"),
            ("SAM@hillside.example", [:], 409, "uniqueness"),
            ("nora@hillside.example", ["externalId": "\u{7}"], 400, "invalidValue"),
            ("nora@elsewhere.example", [:], 400, "invalidValue"),
            ("omar@elsewhere.example", [:], 400, "invalidValue"),
            ("no ra@hillside.example", [:], 400, "invalidValue"),
            ("nora@hillside.example", ["name": ["givenName": "Nora"]], 400, "invalidValue"),
            ("nora@hillside.example", ["active": "perhaps"], 400, "invalidValue"),
            ("nora@hillside.example", ["roles": [["value": "king"]]], 400, "invalidValue"),
            (
                "nora@hillside.example",
                [
                    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": [
                        "organization": "Nowhere"
                    ]
                ], 400, "invalidValue"
            ),
        ] as [(String, JSONValue, Int, String)])
    func `what cannot be a user is refused`(
        userName: String, more: JSONValue, status: Int, kind: String
    ) async throws {
        try await withSchool { school in
            let answer = try await school.newUser(userName, more)
            #expect(answer.status == status)
            #expect(answer.json["scimType"]?.text == kind)
            #expect(answer.json["status"]?.text == String(status))
            #expect(answer.json["detail"]?.text?.isEmpty == false)
        }
    }

    @Test func `a department is accepted and ignored`() async throws {
        try await withSchool { school in
            let path = "Users/\(school.id(of: .sam))"
            let enterprise = Schema.enterpriseUser.id
            func expect(_ answer: Answer, _ number: JSONValue) {
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer.json[enterprise]?["employeeNumber"] == number)
                #expect(answer.json[enterprise]?["department"] == nil)
            }
            let wanted: JSONValue = [
                "userName": "sam@hillside.example",
                "name": ["givenName": "Sam", "familyName": "Example"],
                enterprise: ["employeeNumber": "5", "department": "Science"],
            ]
            expect(try await school.scim("PUT", path, wanted), "5")
            let name = "\(enterprise):department"
            for kind in ["Add", "replace"] {
                let change: JSONValue = [
                    "op": .text(kind), "path": .text(name), "value": "Arts",
                ]
                expect(try await school.change(path, change), "5")
            }
            let whole: JSONValue = [
                name: "Arts", enterprise: ["department": "Arts", "employeeNumber": "6"],
            ]
            expect(try await school.change(path, ["op": "replace", "value": whole]), "6")
            expect(try await school.change(path, ["op": "remove", "path": .text(name)]), "6")
        }
    }

    @Test
    func `a replaced user keeps roles, status and external id that are left out, and nothing else`()
        async throws
    {
        try await withSchool { school in
            let made = try await school.newUser(
                "nora@hillside.example",
                [
                    "emails": [["value": "nora@example.org"]], "roles": [["value": "teacher"]],
                    "externalId": "n-1",
                ])
            let path = "Users/\(made.json["id"]?.text ?? "")"
            let replaced = try await school.scim(
                "PUT", path,
                [
                    "userName": "nora.new@hillside.example",
                    "name": ["givenName": "Nora", "familyName": "Nilsson"],
                ])
            #expect(replaced.status == 200)
            #expect(replaced.json["userName"] == "nora.new@hillside.example")
            #expect(replaced.json["displayName"] == "Nora Nilsson")
            #expect(replaced.json["emails"] == nil)
            #expect(replaced.json["externalId"] == "n-1", "by which clients find the person")
            #expect(replaced.json["roles"] == [["value": "teacher"]])
            #expect(replaced.json["active"] == true)
            // The former name is free.
            #expect(try await school.newUser("nora@hillside.example").status == 201)
        }
    }

    @Test func `a deleted user is deactivated, hidden, and taken up with what there was`()
        async throws
    {
        try await withSchool { school in
            let path = "Users/\(school.id(of: .sam))"
            #expect(try await school.scim("DELETE", path).status == 204)
            #expect(try await school.scim("GET", path).status == 404)
            #expect(try await school.scim("DELETE", path).status == 404)
            #expect(try await school.found("userName eq \"sam@hillside.example\"").isEmpty)
            let biology = school.biology.uuid.description
            #expect(try await !school.members(biology).contains(school.id(of: .sam)))
            let person = try await school.get("/v1/people/\(school.id(of: .sam))", as: .ada)
            #expect(person.json["status"] == "deactivated")
            let again = try await school.newUser("sam@hillside.example", ["externalId": "sis-sam"])
            #expect(again.status == 201)
            #expect(again.json["id"]?.text == school.id(of: .sam))
            #expect(again.json["active"] == true)
            #expect(again.json["displayName"] == "Nora Novak")
            #expect(again.json["roles"] == [["value": "student"]])
            #expect(try await school.members(biology).contains(school.id(of: .sam)))
        }
    }

    @Test func `a withdrawn user whom somebody reactivates is seen again`() async throws {
        try await withSchool { school in
            let path = "Users/\(school.id(of: .sam))"
            let gone = try await school.scim("DELETE", path)
            #expect(gone.status == 204)
            let person = "/v1/people/\(school.id(of: .sam))"
            #expect(try await school.delete("\(person)/deactivation", as: .ada).status == 200)
            #expect(try await school.scim("GET", path).status == 200)
            #expect(try await school.put("\(person)/deactivation", as: .ada).status == 200)
            #expect(try await school.scim("GET", path).json["active"] == false)
        }
    }

    @Test(arguments: [Persona.ada, .petra, .mara])
    func `nobody with a role of administrators is changed`(persona: Persona) async throws {
        try await withSchool { school in
            let path = "Users/\(school.id(of: persona))"
            let changes: [JSONValue] = [
                ["op": "replace", "path": "name.givenName", "value": "Other"],
                ["op": "replace", "path": "active", "value": false],
                ["op": "add", "path": "roles", "value": [["value": "teacher"]]],
            ]
            for change in changes {
                let answer = try await school.change(path, change)
                #expect(answer.status == 403)
                #expect(answer.json["schemas"]?[0]?.text?.hasSuffix(":Error") == true)
            }
            #expect(try await school.scim("DELETE", path).status == 403)
            let same = try await school.change(
                path, ["op": "replace", "path": "active", "value": true])
            #expect(same.status == 200)
        }
    }

    @Test(arguments: ["administrator", "siteManager", "manager"])
    func `nobody becomes an administrator`(role: String) async throws {
        try await withSchool { school in
            let made = try await school.newUser(
                "nora@hillside.example", ["roles": [["value": .text(role)]]])
            #expect(made.status == 403)
            let changed = try await school.change(
                "Users/\(school.id(of: .tom))",
                ["op": "add", "path": "roles", "value": [["value": .text(role)]]])
            #expect(changed.status == 403)
            let held = try school.sql(
                "select from school.person_role where role = \(role) and person_id = \(school.id(.tom))"
            )
            #expect(held.count == 0)
        }
    }

    @Test func `every change is in the audit trail and among the changes`() async throws {
        try await withSchool { school in
            let made = try await school.newUser("nora@hillside.example")
            let id = made.json["id"]?.text ?? ""
            _ = try await school.change(
                "Users/\(id)", ["op": "replace", "path": "active", "value": false])
            _ = try await school.scim("DELETE", "Users/\(id)")
            let events = try school.sql(
                """
                select kind, details ->> 'change' as change from school.audit_event
                 where subject_id = \(id) and standing = 'directoryWriter' order by event_id
                """)
            #expect(
                try events.map { try $0.text("kind") } == [
                    "roleChange", "personChange", "personChange",
                ])
            #expect(
                try events.map { try $0.optionalText("change") } == [
                    nil, "deactivated", "withdrawn",
                ])
            let changes = try school.sql(
                "select what from school.change where kind = 'person' and subject_id = \(id)::uuid")
            #expect(Set(try changes.map { try $0.text("what") }).contains("created"))
        }
    }
}
