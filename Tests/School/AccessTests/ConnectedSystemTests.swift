import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

@testable import Access

@Suite struct ConnectedSystems {
    @Test func `an administrator registers a system, and its secret is shown once`() async throws {
        try await withSchool { school in
            let made = try await school.post(
                "/v1/connected-systems", as: .ada,
                json: [
                    "name": "Library", "redirectUris": ["https://library.example/callback"],
                    "scopes": ["profile"],
                ])
            #expect(made.status == 201 && made.header("cache-control") == "no-store")
            #expect(made.json["clientId"] == made.json["id"])
            let id = made.json["id"]?.text ?? ""
            let secret = made.json["clientSecret"]?.text ?? ""
            #expect(secret.utf8.count == 43)
            #expect(made.header("location") == "/v1/connected-systems/\(id)")
            let found = try await school.get("/v1/connected-systems/\(id)", as: .ada)
            #expect(found.json["redirectUris"] == ["https://library.example/callback"])
            #expect(found.header("etag") == made.header("etag"))
            let list = try await school.get("/v1/connected-systems", as: .ada)
            #expect(list.items.count == 1)
            for answer in [found, list] { #expect(!answer.text.contains("ecret\":\"")) }
            let stored = try school.sql(
                """
                select count(*) filter (where secret_digest = sha256(\(Array(secret.utf8)))) as digests,
                       count(*) filter (where c::text like '%' || \(secret) || '%') as texts
                  from school.connected_system as c
                """)
            #expect(try stored[0].int("digests") == 1 && stored[0].int("texts") == 0)
        }
    }

    @Test func `a system changes, and audit events say so without names`() async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let path = "/v1/connected-systems/\(system.id)"
            let before = try await school.get(path, as: .ada)
            let changed = try await school.patch(
                path, as: .ada, json: ["name": "Bücherei", "scopes": []])
            #expect(changed.json["name"] == "Bücherei" && changed.json["scopes"] == [])
            #expect(changed.json["redirectUris"] == before.json["redirectUris"])
            let stale = try await school.patch(
                path, as: .ada, json: ["name": "Late"],
                headers: [("If-Match", before.header("etag") ?? "")])
            #expect(stale.status == 412)
            #expect(try await school.post(path + "/secret", as: .ada).status == 200)
            #expect(try await school.delete(path, as: .ada).status == 204)
            #expect(try await school.get(path, as: .ada).status == 404)
            let removed = try await school.get("/v1/connected-systems?removed=true", as: .ada)
            #expect(removed.items.map { $0["id"]?.text } == [system.id])
            let events = try await school.get(
                "/v1/audit-events?kind=connectedSystemChange&subjectId=\(system.id)", as: .ada)
            let changes = events.items.map { $0["details"]?["change"]?.text ?? "" }
            #expect(changes == ["removed", "secret", "changed", "registered"])
            #expect(!events.text.contains("erei") && !events.text.contains("Library"))
        }
    }

    @Test func `nobody else may see or change systems`() async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let path = "/v1/connected-systems/\(system.id)"
            #expect(try await school.get(path, as: .ada).status == 200)
            for persona in [Persona.petra, .tom, .sam, .provisioner, .samsApp] {
                let statuses = [
                    try await school.get("/v1/connected-systems", as: persona).status,
                    try await school.get(path, as: persona).status,
                    try await school.patch(path, as: persona, json: ["name": "Mine"]).status,
                    try await school.post(path + "/secret", as: persona).status,
                    try await school.delete(path, as: persona).status,
                ]
                #expect(statuses == [403, 403, 403, 403, 403], "\(persona)")
            }
            #expect(try await school.get("/v1/connected-systems", as: .olga).items.isEmpty)
            let foreign = [
                try await school.get(path, as: .olga).status,
                try await school.patch(path, as: .olga, json: ["name": "Mine"]).status,
                try await school.post(path + "/secret", as: .olga).status,
                try await school.delete(path, as: .olga).status,
            ]
            #expect(foreign == [404, 404, 404, 404])
        }
    }

    @Test(
        arguments: [
            (["redirectUris": []], "/redirectUris"),
            (["redirectUris": ["ftp://a/"]], "/redirectUris/0"),
            (["name": " "], "/name"), (["scopes": ["phone"]], "/scopes/0"),
            (["idTokenSignedResponseAlg": "none"], "/idTokenSignedResponseAlg"),
            (["requiresPkce": "no"], "/requiresPkce"),
            (["secret": "mine"], "/secret"),
        ] as [(JSONValue, String)])
    func `an impossible system is refused with its pointer`(
        change: JSONValue, pointer: String
    ) async throws {
        try await withSchool { school in
            var members = JSONObject([
                ("name", "Library"), ("redirectUris", ["https://library.example/"]),
                ("scopes", ["roles"]),
            ])
            for member in change.object?.members ?? [] { members[member.key] = member.value }
            let answer = try await school.post(
                "/v1/connected-systems", as: .ada, json: .object(members))
            #expect(answer.status == 422 && answer.pointers == [pointer], "\(answer.text)")
        }
    }

    @Test(arguments: [
        ("https://a.example/callback", true), ("https://a.example:8443/b?c=d", true),
        ("https://a.example", true), ("http://127.0.0.1/callback", true),
        ("http://127.0.0.1:8080/callback", true), ("http://[::1]:8080/callback", true),
        ("https://[2001:db8::1]/callback", true), ("http://a.example/callback", false),
        ("http://localhost/callback", false), ("http://127.0.0.1.evil.example/", false),
        ("http://127.0.0.1:80@evil.example/", false), ("https://a@evil.example/", false),
        ("https://a.example/#part", false), ("https://a.example/ b", false),
        ("https:///callback", false), ("https://:80/", false), ("https://a.example:x/", false),
        ("https://a.example\\@b/", false), ("org.example.app:/callback", false),
        ("javascript:alert(1)", false), ("HTTPS://a.example/", false), ("", false),
    ])
    func `codes are sent over TLS, or within the machine`(address: String, isAllowed: Bool)
        async throws
    {
        #expect(RedirectURI.isOfSystem(address) == isAllowed)
        guard isAllowed else { return }
        try await withSchool { school in
            // PostgreSQL holds it to the same.
            let made = try await school.post(
                "/v1/connected-systems", as: .ada,
                json: ["name": "Library", "redirectUris": [.text(address)], "scopes": []])
            #expect(made.status == 201, "\(made.text)")
        }
    }
}
