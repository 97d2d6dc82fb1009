import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import ServerKit

/// The commands with which an operator ends, archives and restores an organization.
@Suite struct OrganizationEnd {
    private func owner(_ school: TestSchool) -> Homeroom {
        Homeroom(
            databaseURL: school.ownerURL + " user=school_server", migrationURL: school.ownerURL)
    }

    private func signIn(_ school: TestSchool, _ persona: Persona) async throws -> Answer {
        try await school.post(
            "/v1/sign-in", as: nil,
            json: ["managedId": .text(persona.managedID), "password": .text(Persona.password)])
    }

    @Test func `until it is deleted, no one signs in, and that can be cancelled`() async throws {
        try await withSchool { school in
            let id = school.hillside.uuid.description
            #expect(try await signIn(school, .tom).status == 200)
            let ordered = try await school.homeroom("organization", "delete", id, "--json")
            #expect(ordered.status == 0, "\(ordered.complaints)")
            #expect(ordered.json["organizationId"]?.text == id)
            #expect(try await signIn(school, .otto).status == 200, "Elsewhere stays")
            let refused = try await signIn(school, .tom)
            #expect(refused.status == 401 && refused.json["code"] == "organization_ending")
            let usable = try school.sql(
                """
                select from school.access_token
                 where organization_id = \(school.hillside) and revoked_at is null
                """)
            #expect(usable.count == 0)
            let again = try await school.homeroom("organization", "delete", id, "--json")
            #expect(again.json["deletedAt"] == ordered.json["deletedAt"], "the time of then")
            let token = try await school.homeroom(
                "token", "create", "--organization", id, "--role", "exporter")
            #expect(token.status == 1)

            // Until the first row is gone, it is not too late.
            try school.sql(
                """
                update school.organization_deletion
                   set ordered_at = now() - interval '31 days', due_at = now() - interval '1 day'
                """)
            let cancelled = try await school.homeroom("organization", "delete", id, "--cancel")
            #expect(cancelled.status == 0, "\(cancelled.complaints)")
            #expect(try await signIn(school, .tom).status == 200)
            let nothing = try await school.homeroom("organization", "delete", id, "--cancel")
            #expect(nothing.status == 1)
            #expect(nothing.complaints.contains("is not to be deleted"))
        }
    }

    @Test func `a sign-in that waits for the order is refused`() async throws {
        try await withSchool { school in
            let order = try BlockingConnection(school.ownerURL)
            try order.execute("set role school_owner")
            try order.execute("begin")
            try order.query("select from school.order_deletion(\(school.hillside), 30)")
            async let answer = signIn(school, .tom)
            try await school.untilSomethingWaits()
            try order.execute("commit")
            let refused = try await answer
            #expect(refused.status == 401 && refused.json["code"] == "organization_ending")
        }
    }

    @Test func `developers' keys do not work in an organization that is to be deleted`()
        async throws
    {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.developer_team (organization_id, team_id, name)
                values (\(school.hillside), 'QUIZTEAM01', 'Quizzler')
                """)
            try school.sql(
                """
                insert into school.developer_key (organization_id, team_id, key_id, public_key)
                values (\(school.hillside), 'QUIZTEAM01', 'KEY0000001', 'a key')
                """)
            func found() throws -> Int {
                try school.sql(
                    "select from school.find_developer_keys('QUIZTEAM01', 'KEY0000001')"
                ).count
            }
            #expect(try found() == 1)
            try school.sql("select from school.order_deletion(\(school.hillside), 30)")
            #expect(try found() == 0)
        }
    }

    @Test func `a hold stops it`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.retention_hold (organization_id, hold_id, person_id, reason)
                values (\(school.hillside), gen_random_uuid(), \(school.id(.sam)), 'An appeal.')
                """)
            let refused = try await school.homeroom(
                "organization", "delete", school.hillside.uuid.description)
            #expect(refused.status == 1)
            #expect(refused.complaints.contains("A hold stands"))
            #expect(try await signIn(school, .tom).status == 200)
        }
    }

    @Test func `arguments that make no sense are refused`() async throws {
        try await withSchool { school in
            let id = school.hillside.uuid.description
            let cases: [([String], Int32, String)] = [
                (["organization", "delete"], 64, "organization delete takes ID"),
                (["organization", "delete", "hillside"], 64, "the id of an organization"),
                (["organization", "delete", id, "--waiting-days", "0"], 64, "from 1 to 365"),
                (
                    ["organization", "delete", school.biology.uuid.description], 1,
                    "no such organization"
                ),
                (["organization", "archive", id], 64, "--out is needed"),
                (["organization", "restore", "/tmp/nowhere"], 1, "is not the manifest"),
            ]
            for (words, status, complaint) in cases {
                let run = try await school.homeroom.run(words)
                #expect(run.status == status && run.complaints.contains(complaint), "\(words)")
            }
        }
    }

    @Test func `an archive is readable by its owner alone, and is not taken in twice`() async throws
    {
        try await withSchool { school in
            let folder = FileManager.default.temporaryDirectory
                .appending(path: "archive-\(Foundation.UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let made = try await owner(school)(
                "organization", "archive", school.hillside.uuid.description, "--out", folder,
                "--json")
            #expect(made.status == 0, "\(made.complaints)")
            #expect(made.json["name"]?.text == "Hillside")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(Set(names).isSuperset(of: ["manifest.json", "schema.json", "person.ndjson"]))
            for name in names {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: "\(folder)/\(name)")
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
            let again = try await owner(school)("organization", "restore", folder)
            #expect(again.status == 1)
            #expect(again.complaints.contains("is here already"))
            #expect(again.complaints.contains("was not compared with a digest"))
            let digest = try #require(made.json["digest"]?.text)
            let checked = try await owner(school)(
                "organization", "restore", folder, "--digest", digest)
            #expect(checked.complaints.contains("is here already"))
            #expect(!checked.complaints.contains("was not compared with a digest"))
            // One who changes a file changes the manifest, too.
            let path = "\(folder)/manifest.json"
            let manifest = try String(contentsOfFile: path, encoding: .utf8)
            try manifest.replacingOccurrences(of: "Hillside", with: "Hillsade")
                .write(toFile: path, atomically: true, encoding: .utf8)
            let changed = try await owner(school)(
                "organization", "restore", folder, "--digest", digest)
            #expect(changed.status == 1 && changed.complaints.contains("has another digest"))
        }
    }
}
