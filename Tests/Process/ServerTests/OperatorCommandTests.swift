import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

@testable import ServerKit

/// What the operator lists, revokes and resets.
@Suite struct OperatorCommands {
    @Test func `organization list has every organization with its domains`() async throws {
        try await withSchool { school in
            let run = try await school.homeroom("organization", "list", "--json")
            #expect(run.status == 0, "\(run.complaints)")
            let listed = run.json.array ?? []
            let ids = Set(listed.compactMap { $0["organizationId"]?.text })
            #expect(
                ids == [school.hillside.uuid.description, school.elsewhere.uuid.description])
            #expect(listed.allSatisfy { $0["domains"]?.array?.isEmpty == false })
            #expect(listed.allSatisfy { $0["people"] != 0 })
            let lines = try await school.homeroom("organization", "list").output
            #expect(lines.split(separator: "\n").count == listed.count)
            #expect(ids.allSatisfy { lines.contains($0) })
        }
    }

    @Test func `a revoked token is listed as such and no longer valid`() async throws {
        try await withSchool { school in
            let organization = ["--organization", school.hillside.uuid.description]
            let before = try await tokens(school)
            let made = try await school.homeroom.run(
                ["token", "create", "--role", "exporter", "--json"] + organization)
            let token = made.json["accessToken"]?.text ?? ""
            #expect(try await school.send("GET", "/v1/me", token: token).status == 200)
            let new = try await tokens(school).filter { !before.contains($0) }
            let id = try #require(new.first?["tokenId"]?.text)
            #expect(new.count == 1)
            #expect(new[0]["role"]?.text == "exporter")
            #expect(new[0]["expiresAt"] == made.json["expiresAt"])

            let elsewhere = try await school.homeroom(
                "token", "revoke", id, "--organization", school.elsewhere.uuid.description)
            #expect(elsewhere.status == 1)
            let revoked = try await school.homeroom.run(["token", "revoke", id] + organization)
            #expect(revoked.status == 0, "\(revoked.complaints)")
            #expect(try await tokens(school) == before)
            try await expectRefusal(school, token)
            let again = try await school.homeroom.run(["token", "revoke", id] + organization)
            #expect(again.status == 1)
            let events = try school.sql(
                """
                select count(*) as count from school.audit_event
                 where kind = 'tokenRevoked' and subject_kind = 'token' and subject_id = \(id)
                   and organization_id = \(school.hillside)
                """)
            #expect(try events[0].int("count") == 1)
        }
    }

    @Test func `a reset password is good for one sign-in, and ends the others`()
        async throws
    {
        try await withSchool { school in
            let managedID = try managedID(of: .tom, in: school)
            let reset = try await school.homeroom(
                "password", "reset", managedID.uppercased(), "--json")
            #expect(reset.status == 0, "\(reset.complaints)")
            let password = try #require(reset.json["temporaryPassword"])
            let signIn = try await school.post(
                "/v1/sign-in", as: nil,
                json: ["managedId": .text(managedID), "password": password])
            #expect(signIn.json["mustChangePassword"]?.bool == true)
            let former = try await school.post(
                "/v1/sign-in", as: nil,
                json: ["managedId": .text(managedID), "password": .text(Persona.password)])
            #expect(former.status == 401)
            try await expectRefusal(school, Persona.tom.token)
            let events = try school.sql(
                """
                select count(*) as count from school.audit_event
                 where kind = 'temporaryPassword' and details ->> 'by' = 'command'
                   and subject_id = \(school.id(.tom).uuid.description)
                """)
            #expect(try events[0].int("count") == 1)
        }
    }

    @Test func `no password is reset where there is nobody to sign in`() async throws {
        try await withSchool { school in
            let unknown = try await school.homeroom("password", "reset", "nobody@hillside.example")
            #expect(unknown.status == 1)
            #expect(unknown.complaints == "Nobody has the managed ID nobody@hillside.example.\n")
            try school.sql(
                """
                update school.person set deactivated_at = now()
                 where person_id = \(school.id(.tom))
                """)
            let deactivated = try await school.homeroom(
                "password", "reset", try managedID(of: .tom, in: school))
            #expect(deactivated.status == 1)
            #expect(deactivated.output.isEmpty)
        }
    }

    private func tokens(_ school: TestSchool) async throws -> [JSONValue] {
        let run = try await school.homeroom(
            "token", "list", "--organization", school.hillside.uuid.description, "--json")
        try #require(run.status == 0, "\(run.complaints)")
        return run.json.array ?? []
    }

    private func managedID(of persona: Persona, in school: TestSchool) throws -> String {
        try school.sql(
            "select managed_id from school.person where person_id = \(school.id(persona))")[0]
            .text("managed_id").lowercased()
    }

    /// Every process learns of a revocation within a second.
    private func expectRefusal(_ school: TestSchool, _ token: String) async throws {
        try await eventually(within: .seconds(10)) {
            try await school.send("GET", "/v1/me", token: token).status == 401
        }
    }
}
