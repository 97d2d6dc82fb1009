import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import ServerKit

@Suite struct OrganizationCreate {
    @Test func `a new organization can be managed at once, and its progress is off`() async throws {
        try await withSchool { school in
            let made = try await school.homeroom(
                "organization", "create", "--name", "Über den Wolken", "--domain", "Wolken.example",
                "--administrator", "grace.hopper@wolken.example", "--json")
            #expect(made.status == 0, "\(made.complaints)")
            #expect(
                made.json.object?.keys == [
                    "organizationId", "locationId", "administratorId", "temporaryPassword",
                    "accessToken",
                ])
            let me = try await school.send(
                "GET", "/v1/me", token: made.json["accessToken"]?.text ?? "")
            #expect(me.status == 200)
            #expect(me.json["organization"]?["id"] == made.json["organizationId"])
            #expect(me.json["organization"]?["name"]?.text == "Über den Wolken")
            #expect(me.json["standings"]?.array == ["administrator"])
            #expect(me.json["person"]?["id"] == made.json["administratorId"])
            #expect(me.json["person"]?["familyName"]?.text == "Hopper")
            let role = me.json["person"]?["roles"]?.array?.first
            #expect(role?["locationId"] == made.json["locationId"])

            let signIn = try await school.post(
                "/v1/sign-in", as: nil,
                json: [
                    "managedId": "grace.hopper@wolken.example",
                    "password": made.json["temporaryPassword"] ?? .null,
                ])
            #expect(signIn.status == 200)
            #expect(signIn.json["mustChangePassword"]?.bool == true)
            let rows = try school.sql(
                """
                select is_student_progress_enabled as is_on from school.organization
                 where name = 'Über den Wolken'
                """)
            #expect(try rows[0].bool("is_on") == false)
        }
    }

    @Test func `without --json every part is on a line`() async throws {
        try await withSchool { school in
            let made = try await school.homeroom(
                "organization", "create", "--name", "Oak", "--domain", "oak.example",
                "--administrator", "ada@oak.example")
            #expect(made.status == 0, "\(made.complaints)")
            let names = made.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
            #expect(
                names == [
                    "organizationId", "locationId", "administratorId", "temporaryPassword",
                    "accessToken",
                ])
        }
    }

    @Test func `a domain that is taken is named, and nothing is created`() async throws {
        try await withSchool { school in
            let before = try count(in: school)
            let refused = try await school.homeroom(
                "organization", "create", "--name", "Second", "--domain", "HILLSIDE.example",
                "--administrator", "eve@hillside.example")
            #expect(refused.status == 1)
            #expect(refused.output.isEmpty)
            #expect(refused.complaints.contains("hillside.example"))
            #expect(try count(in: school) == before)
            #expect(before == 2)
        }
    }

    @Test func `an unknown time zone is refused, and nothing is created`() async throws {
        try await withSchool { school in
            let refused = try await school.homeroom(
                "organization", "create", "--name", "Oak", "--domain", "oak.example",
                "--administrator", "ada@oak.example", "--time-zone", "Mars/Olympus")
            #expect(refused.status == 1)
            #expect(refused.complaints.contains("Mars/Olympus"))
            #expect(try count(in: school) == 2)
        }
    }

    @Test(arguments: [
        ["--name", "Oak", "--domain", "oak.example"],
        ["--name", "Oak", "--domain", "oak.example", "--administrator", "ada@elm.example"],
        ["--name", "Oak", "--domain", "oak.example", "--administrator", "ada"],
        ["--name", "Oak", "--domain", "oak.example", "--administrator", "@oak.example"],
        ["--name", "Oak", "--domain", "oak example", "--administrator", "ada@oak example"],
        ["--name", " ", "--domain", "oak.example", "--administrator", "ada@oak.example"],
        ["--name", "Oak", "--domain", "oak.example", "--administrator", "a@oak.example", "--what"],
    ])
    func `a malformed command ends with 64 and the usage`(arguments: [String]) async throws {
        try await withSchool { school in
            let words = ["organization", "create"] + arguments
            let refused = try await school.homeroom.run(words)
            #expect(refused.status == 64)
            #expect(refused.complaints.contains("See: homeroom organization create --help\n"))
            #expect(try count(in: school) == 2)
        }
    }

    private func count(in school: TestSchool) throws -> Int {
        try school.sql("select count(*) as count from school.organization")[0].int("count")
    }
}
