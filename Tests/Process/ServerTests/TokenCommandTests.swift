import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

@testable import ServerKit

@Suite struct TokenCreate {
    @Test(arguments: ["provisioner", "exporter"])
    func `a service gets a token of its own for thirty days`(role: String) async throws {
        try await withSchool { school in
            let made = try await create(school, "--role", role)
            let me = try await school.send("GET", "/v1/me", token: made.token)
            #expect(me.json["kind"]?.text == "service")
            #expect(me.json["standings"]?.array?.compactMap(\.text) == [role])
            #expect(made.json["subject"] == nil, "it is nobody's")
            let expiry = made.json["expiresAt"]?.text.flatMap { Timestamp($0) }
            let minutes = ((expiry?.milliseconds ?? 0) - Clock.system.now.milliseconds) / 60_000
            #expect((43_190...43_200).contains(minutes))
        }
    }

    @Test func `a roster reader's token reads the roster and nothing else`() async throws {
        try await withSchool { school in
            let made = try await create(school, "--role", "rosterReader")
            let base = "/ims/oneroster"
            for (path, status) in [
                ("\(base)/rostering/v1p2/users", 200), ("\(base)/v1p1/users", 200),
                ("\(base)/gradebook/v1p2/results", 200), ("/v1/people", 403),
            ] {
                let answer = try await school.send("GET", path, token: made.token)
                #expect(answer.status == status, "\(path)")
                let granted = answer.json["results"]?.array ?? []
                #expect(granted.isEmpty, "nobody granted it a gradebook")
            }
        }
    }

    @Test func `an identity provider gets a token for SCIM and nothing else`() async throws {
        try await withSchool { school in
            let made = try await create(school, "--role", "directoryWriter")
            let users = try await school.send("GET", "/scim/v2/Users", token: made.token)
            #expect(users.status == 200)
            let me = try await school.send("GET", "/v1/me", token: made.token)
            #expect(me.status == 403)
        }
    }

    @Test func `a person's token acts in one role, while the person holds it`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.person_role (organization_id, person_id, location_id, role)
                values (\(school.hillside), \(school.id(.tom)), \(school.mainLocation), 'manager')
                """)
            let tom = school.id(.tom).uuid.description
            let made = try await create(school, "--role", "teacher", "--person", tom)
            let me = try await school.send("GET", "/v1/me", token: made.token)
            #expect(me.json["standings"]?.array == ["teacher"])
            #expect(me.json["person"]?["id"]?.text == tom)

            try school.sql(
                """
                delete from school.person_role
                 where person_id = \(school.id(.tom)) and role = 'teacher'
                """)
            let after = try await school.send("GET", "/v1/me", token: made.token)
            #expect(after.status == 401)
        }
    }

    @Test func `an app's token is an app's`() async throws {
        try await withSchool { school in
            let made = try await create(
                school, "--role", "student", "--person", school.id(.sam).uuid.description,
                "--bundle", school.quizzler, "--environment", "development")
            #expect(try await school.send("GET", "/v1/me", token: made.token).status == 403)
            let subject = try school.sql(
                """
                select school.subject_of(\(school.hillside), \(school.id(.sam)), \(school.quizzler)) as subject
                """)[0].text("subject")
            #expect(made.json["subject"]?.text == subject && subject.count == 43)
            let rows = try school.sql(
                """
                select standing, app, environment from school.access_token
                 where digest = sha256(\(Array(made.token.utf8)))
                """)
            #expect(try rows[0].text("standing") == "app")
            #expect(try rows[0].text("app") == school.quizzler)
            #expect(try rows[0].text("environment") == "development")
        }
    }

    @Test func `a token ends when requested`() async throws {
        try await withSchool { school in
            let made = try await create(school, "--role", "exporter", "--expires", "1s")
            try await eventually(within: .seconds(10)) {
                try await school.send("GET", "/v1/me", token: made.token).status == 401
            }
        }
    }

    @Test func `people get only roles that they hold`() async throws {
        try await withSchool { school in
            let sam = school.id(.sam).uuid.description
            let hillside = school.hillside.uuid.description
            let before = try count(in: school)
            for (organization, person, role) in [
                (hillside, sam, "administrator"),
                (hillside, school.id(.otto).uuid.description, "teacher"),
                (school.elsewhere.uuid.description, sam, "student"),
                (sam, sam, "student"),
            ] {
                let refused = try await school.homeroom(
                    "token", "create", "--organization", organization, "--person", person,
                    "--role", role)
                #expect(refused.status == 1)
                #expect(refused.output.isEmpty)
                #expect(!refused.complaints.isEmpty)
            }
            #expect(try count(in: school) == before)
            _ = try await create(school, "--role", "student", "--person", sam)
            #expect(try count(in: school) == before + 1)
        }
    }

    @Test func `a deactivated person gets none, not even for later`() async throws {
        try await withSchool { school in
            try school.sql(
                "update school.person set deactivated_at = now() where person_id = \(school.id(.sam))"
            )
            let before = try count(in: school)
            let refused = try await school.homeroom(
                "token", "create", "--organization", school.hillside.uuid.description, "--person",
                school.id(.sam).uuid.description, "--role", "student")
            #expect(refused.status == 1)
            #expect(refused.complaints.contains("deactivated"))
            #expect(try count(in: school) == before)
        }
    }

    @Test(arguments: [
        ["--role", "teacher"], ["--role", "developer"], ["--role", "app"],
        ["--role", "exporter", "--person", "01a1fc08-b348-739c-ab4e-761ae37784a8"],
        ["--role", "exporter", "--bundle", "org.example.quizzler"],
        ["--role", "exporter", "--expires", "soon"], ["--role", "exporter", "--expires", "367d"],
        ["--role", "exporter", "--expires", "0s"],
        ["--role", "exporter", "--expires", "999999999d"],
        ["--role", "exporter", "--environment", "staging"],
        ["--role", "teacher", "--person", "tom"],
    ])
    func `a malformed command ends with 64`(arguments: [String]) async throws {
        try await withSchool { school in
            let words = ["token", "create", "--organization", school.hillside.uuid.description]
            let refused = try await school.homeroom.run(words + arguments)
            #expect(refused.status == 64)
            #expect(refused.complaints.contains("See: homeroom token create --help\n"))
        }
    }

    private func create(
        _ school: TestSchool, _ arguments: String...
    ) async throws -> (token: String, json: JSONValue) {
        let words = ["token", "create", "--organization", school.hillside.uuid.description]
        let made = try await school.homeroom.run(words + arguments + ["--json"])
        try #require(made.status == 0, "\(made.complaints)")
        return (made.json["accessToken"]?.text ?? "", made.json)
    }

    private func count(in school: TestSchool) throws -> Int {
        try school.sql("select count(*) as count from school.access_token")[0].int("count")
    }
}
