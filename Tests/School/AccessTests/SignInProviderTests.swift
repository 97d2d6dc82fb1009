import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// How an administrator connects, changes and disconnects sign-in providers.
@Suite struct SignInProviders {
    private static let google: JSONValue = [
        "kind": "google", "name": "Google", "clientId": "id.apps.example",
        "clientSecret": "the secret of google",
    ]

    private func body(_ changes: JSONValue, of base: JSONValue = Self.google) -> JSONValue {
        var body = base.object!
        for member in changes.object!.members {
            body[member.key] = member.value.isNull ? Optional.none : member.value
        }
        return .object(body)
    }

    @Test func `one is connected, changed and disconnected, and its secret never shown`()
        async throws
    {
        try await withSchool { school in
            let created = try await school.post(
                "/v1/sign-in-providers", as: .ada, json: Self.google)
            #expect(created.status == 201, "\(created.text)")
            #expect(created.json["issuer"] == "https://accounts.google.com")
            #expect(created.json["matching"] == "managedId" && created.json["tenant"] == .null)
            #expect(created.json["emailDomains"] == [])
            let path = try #require(created.header("Location"))
            let changed = try await school.patch(
                path, as: .ada, json: ["name": "Google accounts", "emailDomains": ["B.example"]])
            #expect(changed.status == 200 && changed.json["name"] == "Google accounts")
            #expect(changed.json["emailDomains"] == ["b.example"])
            func secret() throws -> String? {
                let row = try school.sql(
                    "select sign_in_provider_id as id, sealed_secret from school.sign_in_provider")[
                        0]
                let context = SecretContext.signInProvider(
                    try row.uuid("id"), at: "https://accounts.google.com", of: school.hillside)
                let key = try CredentialKey(at: school.credentialsKey).find()
                let opened = key?.open(try row.bytes("sealed_secret"), for: context)
                return opened.map { String(decoding: $0, as: UTF8.self) }
            }
            #expect(try secret() == "the secret of google")
            let replaced = try await school.patch(
                path, as: .ada, json: ["clientSecret": "another secret"])
            #expect(replaced.status == 200)
            #expect(try secret() == "another secret")
            let found = try await school.get(path, as: .ada)
            let list = try await school.get("/v1/sign-in-providers", as: .ada)
            let offered = try await school.get(
                "/v1/sign-in/offered-providers?domain=hillside.example", as: nil)
            let events = try await school.get("/v1/audit-events", as: .ada)
            #expect(list.items.count == 1)
            for answer in [created, changed, replaced, found, list, offered, events] {
                #expect(!answer.text.contains("secret of google"))
                #expect(!answer.text.contains("another secret"))
            }
            #expect(try await school.get(path, as: .olga).status == 404)
            #expect(try await school.delete(path, as: .olga).status == 404)
            #expect(try await school.delete(path, as: .ada).status == 204)
            #expect(try await school.get(path, as: .ada).status == 404)
            let changes = try school.sql(
                """
                select details ->> 'change' as change from school.audit_event
                 where kind = 'signInProviderChange' order by arrived_at, event_id
                """)
            #expect(
                try changes.map { try $0.text("change") } == [
                    "connected", "changed", "changed", "disconnected",
                ])
        }
    }

    @Test(
        arguments: [
            Misfit(["clientSecret": nil], "/clientSecret"), Misfit(["clientId": ""], "/clientId"),
            Misfit(["kind": "facebook"], "/kind"),
            Misfit(["issuer": "https://evil.example"], "/issuer"),
            Misfit(["tenant": "11111111-2222-3333-4444-555555555555"], "/tenant"),
            Misfit(["kind": "microsoft"], "/tenant"),
            Misfit(["kind": "microsoft", "tenant": "common"], "/tenant"),
            Misfit(["kind": "other"], "/issuer"),
            Misfit(["kind": "other", "issuer": "id.example"], "/issuer"),
            Misfit(["kind": "other", "issuer": "https://id.example/?a=b"], "/issuer"),
            Misfit(["kind": "other", "issuer": "https://u@id.example"], "/issuer"),
            Misfit(["emailDomains": ["hillside.example", "no domain"]], "/emailDomains/1"),
            Misfit(["emailDomains": ["localhost"]], "/emailDomains/0"),
            Misfit(["matching": "familyName"], "/matching"),
        ])
    func `what does not fit is named`(misfit: Misfit) async throws {
        try await withSchool { school in
            let answer = try await school.post(
                "/v1/sign-in-providers", as: .ada, json: body(misfit.changes))
            #expect(answer.status == 422 && answer.pointers == [misfit.says], "\(answer.text)")
        }
    }

    @Test func `the issuer of Microsoft follows from the school's directory`() async throws {
        try await withSchool { school in
            let tenant = "11111111-2222-3333-4444-AAAAAAAAAAAA"
            let created = try await school.post(
                "/v1/sign-in-providers", as: .ada,
                json: body(["kind": "microsoft", "tenant": .text(tenant)]))
            #expect(
                created.json["issuer"]?.text
                    == "https://login.microsoftonline.com/\(tenant.lowercased())/v2.0")
            let path = try #require(created.header("Location"))
            let refused = try await school.patch(path, as: .ada, json: ["tenant": nil])
            #expect(refused.status == 422 && refused.pointers == ["/tenant"])
        }
    }

    @Test func `a client secret is not sent to another issuer than it was given for`()
        async throws
    {
        try await withSchool { school in
            let created = try await school.post(
                "/v1/sign-in-providers", as: .ada, json: Self.google)
            let path = try #require(created.header("Location"))
            let other: JSONValue = ["kind": "other", "issuer": "https://id.attacker.example"]
            let refused = try await school.patch(path, as: .ada, json: other)
            #expect(refused.status == 422 && refused.pointers == ["/clientSecret"])
            #expect(try await school.get(path, as: .ada).json["kind"] == "google")
            let moved = try await school.patch(
                path, as: .ada,
                json: [
                    "kind": "other", "issuer": "https://id.attacker.example",
                    "clientSecret": "a secret of its own",
                ])
            #expect(moved.status == 200)
        }
    }

    @Test func `accounts at another issuer, or of another client, are others`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            let path = "/v1/sign-in-providers/\(provider)"
            let tom = account("t", Persona.tom.managedID)
            let changes: [JSONValue] = [
                ["issuer": "https://id.example/two", "clientSecret": "another secret"],
                ["clientId": "another client"],
            ]
            for change in changes {
                #expect(try await school.signIn(with: provider, at: issuer, tom).status == 200)
                #expect(try school.count("sign_in_link") == 1)
                _ = try await school.patch(path, as: .ada, json: ["name": "Renamed"])
                #expect(try school.count("sign_in_link") == 1)
                #expect(try await school.patch(path, as: .ada, json: change).status == 200)
                #expect(try school.count("sign_in_link") == 0)
                _ = try await school.patch(
                    path, as: .ada,
                    json: [
                        "issuer": .text(issuer.url), "clientId": .text(FakeIssuer.clientID),
                        "clientSecret": .text(FakeIssuer.clientSecret),
                    ])
            }
        }
    }

    @Test func `strangers learn the names of the school's providers, and of no other school's`()
        async throws
    {
        try await withSchool { school in
            let none = try await school.get("/v1/sign-in/offered-providers", as: nil)
            #expect(none.items.isEmpty && none.json["byDomain"] == false)
            #expect(none.json["redirectUri"] == "http://localhost/sign-in/callback")
            let created = try await school.post(
                "/v1/sign-in-providers", as: .ada, json: Self.google)
            // Two organizations: one has to say which.
            let all = try await school.get("/v1/sign-in/offered-providers", as: nil)
            #expect(all.items.isEmpty && all.json["byDomain"] == true)
            let own = try await school.get(
                "/v1/sign-in/offered-providers?domain=Hillside.example", as: nil)
            #expect(
                own.items == [
                    ["id": created.json["id"]!, "name": "Google", "kind": "google"]
                ])
            for domain in ["elsewhere.example", "unknown.example"] {
                let others = try await school.get(
                    "/v1/sign-in/offered-providers?domain=\(domain)", as: nil)
                #expect(others.items.isEmpty)
            }
            // As in a deployment of one school, with a development environment beside it.
            try school.sql(
                """
                insert into school.development_directory (organization_id, development_id)
                values (\(school.hillside), \(school.elsewhere))
                """)
            let only = try await school.get("/v1/sign-in/offered-providers", as: nil)
            #expect(only.items == own.items && only.json["byDomain"] == false)
        }
    }

    @Test func `a sign-in begins with a provider that there is`() async throws {
        try await withSchool { school in
            for id in ["11111111-2222-3333-4444-555555555555", "google"] {
                let answer = try await school.post(
                    "/v1/sign-in/with-provider/beginning", as: nil,
                    json: ["providerId": .text(id)])
                #expect(answer.status == 422 && answer.pointers == ["/providerId"])
            }
        }
    }
}
