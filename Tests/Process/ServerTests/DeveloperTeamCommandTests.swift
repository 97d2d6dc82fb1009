import Crypto
import Foundation
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import ServerKit

@Suite struct DeveloperTeamCreate {
    private static let bundleID = "org.example.everywhere"

    private func token(_ key: ES256PrivateKey, _ keyID: String = "KEY") -> String {
        let now = Clock.system.now.milliseconds / 1000
        let claims = JSONObject([
            ("iss", "EVERYWHERE"), ("iat", JSONValue(integerLiteral: now)),
            ("exp", JSONValue(integerLiteral: now + 600)),
        ])
        return JWT.sign(claims, keyID: keyID, with: key)
    }

    private func create(
        _ school: TestSchool, _ key: ES256PrivateKey, keyID: String = "KEY",
        bundles: [String] = [bundleID]
    ) async throws -> Homeroom.Run {
        let path = NSTemporaryDirectory() + "public-key-\(Foundation.UUID())"
        try key.publicKey.pem.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let words = [
            "developer-team", "create", "--team", "EVERYWHERE", "--name", "Everywhere Ltd",
            "--key-id", keyID, "--public-key", path, "--json",
        ]
        return try await Homeroom(databaseURL: school.ownerURL).run(
            words + bundles.flatMap { ["--bundle", $0] })
    }

    private func publish(
        _ school: TestSchool, _ title: String, token: String
    ) async throws -> Int {
        let context: JSONValue = [
            "data": [
                "identifierPath": [.text(Self.bundleID)], "title": .text(title), "type": "app",
            ],
            "metadata": ["locale": "en"],
        ]
        return try await school.send(
            .post, "/v1/contexts?environment=production", token: token,
            body: (["contexts": [context]] as JSONValue).bytes
        ).status
    }

    private func titles(_ school: TestSchool, token: String) async throws -> [String] {
        let apps = try await school.send(.get, "/v1/catalog/apps", token: token)
        #expect(apps.status == 200)
        return apps.items.compactMap { $0["title"]?.text }
    }

    @Test func `every organization has the team, including later ones`() async throws {
        try await withSchool { school in
            let key = ES256PrivateKey()
            let made = try await create(school, key)
            #expect(made.status == 0, "\(made.complaints)")
            #expect(made.json["organizations"] == 2 && made.json["passedOver"] == 0)
            #expect(try await publish(school, "Everywhere", token: token(key)) == 201)
            for persona in [Persona.tom, .otto] {
                #expect(try await titles(school, token: persona.token) == ["Everywhere"])
            }
            let team = try await school.get("/v1/developer-teams/EVERYWHERE", as: .ada)
            #expect(team.json["origin"] == "deployment")
            let events = try await school.get(
                "/v1/audit-events?kind=developerTeamChange", as: .ada)
            #expect(events.items.map { $0["standing"] } == ["server"])

            let oak = try await Homeroom(databaseURL: school.ownerURL)(
                "organization", "create", "--name", "Oak", "--domain", "oak.example",
                "--administrator", "ada@oak.example", "--json")
            #expect(
                try await titles(school, token: oak.json["accessToken"]?.text ?? "")
                    == ["Everywhere"])
        }
    }

    @Test func `a development environment follows its organization, and does not count as one`()
        async throws
    {
        try await withSchool { school in
            let development = try await school.put("/v1/development", as: .ada)
            let id = development.json["organizationId"]?.text.flatMap { UUID($0) }
            let made = try await create(school, ES256PrivateKey())
            #expect(made.json["organizations"] == 2 && made.json["passedOver"] == 0)
            let teams = try school.sql("select organization_id from school.developer_team")
            let holders = try Set(teams.map { try $0.uuid("organization_id") })
            #expect(holders.isSuperset(of: [school.hillside.uuid, try #require(id)]))
        }
    }

    @Test func `a team registered again has the new key and apps, and not the old ones`()
        async throws
    {
        try await withSchool { school in
            let (old, new) = (ES256PrivateKey(), ES256PrivateKey())
            _ = try await create(school, old)
            let again = try await create(school, new, bundles: [Self.bundleID, "org.example.b"])
            #expect(again.status == 0, "\(again.complaints)")
            #expect(try await publish(school, "Everywhere", token: token(old)) == 403)
            #expect(try await publish(school, "Everywhere", token: token(new)) == 201)
            let team = try await school.get("/v1/developer-teams/EVERYWHERE", as: .olga)
            #expect(team.json["bundleIds"] == ["org.example.b", .text(Self.bundleID)])
        }
    }

    @Test func `an organization's own registration takes precedence`() async throws {
        try await withSchool { school in
            let key = ES256PrivateKey()
            let own = ES256PrivateKey()
            let document: JSONValue = [
                "teamId": "OWN", "name": "Own", "bundleIds": [.text(Self.bundleID)],
                "keys": [["keyId": "KEY", "publicKey": .text(own.publicKey.pem)]],
            ]
            #expect(
                try await school.post("/v1/developer-teams", as: .olga, json: document).status
                    == 201)
            _ = try await create(school, key)
            #expect(
                try await school.post("/v1/developer-teams", as: .ada, json: document).status
                    == 201, "before or after")
            #expect(try await publish(school, "Everywhere", token: token(key)) == 403)
            for persona in [Persona.tom, .otto] {
                #expect(try await titles(school, token: persona.token).isEmpty)
            }

            var replaced = document.object ?? JSONObject()
            replaced["teamId"] = "EVERYWHERE"
            replaced["bundleIds"] = []
            #expect(
                try await school.put(
                    "/v1/developer-teams/EVERYWHERE", as: .ada, json: .object(replaced)
                ).json["origin"] == "organization")
            let again = try await create(school, key)
            #expect(again.json["organizations"] == 1 && again.json["passedOver"] == 1)
            #expect(again.complaints.contains("of their own"))
        }
    }

    @Test func `an invalid registration changes nothing`() async throws {
        try await withSchool { school in
            let key = ES256PrivateKey()
            _ = try await create(school, key)
            let homeroom = Homeroom(databaseURL: school.ownerURL)
            let begin = ["developer-team", "create", "--team", "T", "--name", "N"]
            let rest = ["--bundle", Self.bundleID, "--key-id", "K"]
            #expect(try await homeroom.run(begin + rest).status == 64)
            let noFile = try await homeroom.run(begin + rest + ["--public-key", "/nowhere"])
            #expect(noFile.status == 1)
            let path = NSTemporaryDirectory() + "public-key-\(Foundation.UUID())"
            defer { try? FileManager.default.removeItem(atPath: path) }
            try key.publicKey.pem.write(toFile: path, atomically: true, encoding: .utf8)
            let taken = try await homeroom.run(begin + rest + ["--public-key", path])
            #expect(taken.status == 1 && taken.complaints.contains("Another team"))
            try "no key".write(toFile: path, atomically: true, encoding: .utf8)
            let noKey = try await homeroom.run(begin + rest + ["--public-key", path])
            #expect(noKey.status == 1 && noKey.complaints.contains("not a PEM public key"))
            try key.publicKey.pem.write(toFile: path, atomically: true, encoding: .utf8)
            let tool = try await create(school, key, bundles: ["tool:\(Foundation.UUID())"])
            #expect(tool.status == 64 && tool.complaints.contains("reserved for tools"))
            let teams = try school.sql("select team_id from school.deployment_team")
            #expect(teams.count == 1)
        }
    }
}
