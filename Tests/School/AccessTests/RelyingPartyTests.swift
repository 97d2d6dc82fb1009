import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Connected systems as their libraries are: RS256, no code challenge, addresses, parameters of their own.
@Suite struct RelyingParties {
    // MARK: RS256 (OpenID Connect Core section 15.1)

    @Test func `a new system gets RS256, and ES256 if it asks for it`() async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let path = "/v1/connected-systems/\(system.id)"
            let before = try await school.get(path, as: .ada)
            #expect(before.json["idTokenSignedResponseAlg"] == "RS256")
            let browser = try await school.signInWithBrowser(.tom)
            let tokens = try await school.signIn(browser, to: system)
            #expect(try school.algorithm(of: tokens) == "RS256")
            #expect(try school.claims(of: tokens)["aud"]?.text == system.id)
            _ = try await school.patch(
                path, as: .ada, json: ["idTokenSignedResponseAlg": "ES256"])
            let renewed = try await school.refresh(
                tokens.json["refresh_token"]?.text ?? "", as: system)
            #expect(try school.algorithm(of: renewed) == "ES256")
            #expect(try school.claims(of: renewed)["aud"]?.text == system.id)
            let reset = try await school.patch(
                path, as: .ada, json: ["idTokenSignedResponseAlg": .null])
            #expect(reset.json["idTokenSignedResponseAlg"] == "RS256")
        }
    }

    @Test func `a system that was there keeps ES256`() async throws {
        try await withSchool { school in
            let secret = "kept"
            // As an older server registers it.
            let id = try school.sql(
                """
                insert into school.connected_system
                       (organization_id, connected_system_id, name, redirect_uris, scopes, secret_digest)
                values (\(school.hillside), gen_random_uuid(), 'Old', array[\(TestSchool.callback)], '{profile}',
                        sha256(\(Array(secret.utf8))))
                returning connected_system_id as id
                """)[0].uuid("id")
            let system = MadeSystem(id: id.description, secret: secret)
            let browser = try await school.signInWithBrowser(.tom)
            #expect(try await school.algorithm(of: school.signIn(browser, to: system)) == "ES256")
        }
    }

    @Test func `a key signs nothing of another purpose`() async throws {
        try await withSchool { school in
            _ = try await school.get("/oauth/jwks", as: nil)
            let stored = try school.sql("select key_id, purpose from school.signing_key")
            #expect(Set(try stored.map { try $0.text("key_id") }).count == stored.count)
            let published = try await school.get("/lti/jwks", as: nil)
            for row in stored where try row.text("purpose") != "toolMessages" {
                #expect(try !published.text.contains(row.text("key_id")))
            }
        }
    }

    // MARK: PKCE (RFC 9700 section 2.1.1)

    /// A request without a challenge, as most libraries of systems with a secret send it.
    private static let plain: [String: JSONValue] = [
        "codeChallenge": .null, "codeChallengeMethod": .null,
    ]

    @Test func `a system sends a challenge unless its school turned that off`() async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let path = "/v1/connected-systems/\(system.id)"
            #expect(try await school.get(path, as: .ada).json["requiresPkce"]?.bool == true)
            let browser = try await school.signInWithBrowser(.sam)
            let refused = try await school.authorization(for: system, by: browser, Self.plain)
            #expect(refused.status == 422 && refused.pointers == ["/codeChallenge"])
            _ = try await school.patch(path, as: .ada, json: ["requiresPkce": false])
            let allowed = try await school.authorization(for: system, by: browser, Self.plain)
            let tokens = try await school.exchange(
                school.code(in: allowed), as: system, ["code_verifier": ""])
            #expect(tokens.status == 200, "\(tokens.text)")
            #expect(try school.claims(of: tokens)["nonce"] == "once")
            _ = try await school.patch(path, as: .ada, json: ["requiresPkce": .null])
            let again = try await school.authorization(for: system, by: browser, Self.plain)
            #expect(again.status == 422, "null is the default")
        }
    }

    @Test
    func `whoever asked for a code, a verifier belongs to a challenge and a challenge to one`()
        async throws
    {
        try await withSchool { school in
            let system = try await school.registerSystem(["requiresPkce": false])
            let browser = try await school.signInWithBrowser(.sam)
            for (request, verifier) in [
                (Self.plain, TestSchool.verifier), ([:], ""),
                ([:], String(repeating: "b", count: 43)),
            ] {
                let code = try await school.code(
                    in: school.authorization(for: system, by: browser, request))
                let answer = try await school.exchange(
                    code, as: system, ["code_verifier": verifier])
                #expect(answer.status == 400 && answer.json["error"] == "invalid_grant")
                let right = try await school.exchange(code, as: system)
                #expect(right.status == 400, "it is used up")
            }
            let halves: [[String: JSONValue]] = [
                ["codeChallenge": .null], ["codeChallengeMethod": .null],
                ["codeChallengeMethod": "plain"],
            ]
            for half in halves {
                let refused = try await school.authorization(for: system, by: browser, half)
                #expect(refused.pointers == ["/codeChallenge"], "\(half)")
            }
            #expect(try await school.signIn(browser, to: system).status == 200, "both are there")
        }
    }

    @Test func `apps and the systems of others always send a challenge`() async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            let browser = try await school.signInWithBrowser(.sam)
            let app = try await school.authorization(by: browser, Self.plain)
            #expect(app.status == 422 && app.pointers == ["/codeChallenge"])
            let system = try await school.registerSystem(["requiresPkce": false])
            let code = Array(repeating: UInt8(7), count: 32)
            // Not even a server that forgets to ask gets a code without one.
            func authorize(_ challenge: String?) throws -> Bool {
                try school.sql(
                    """
                    select school.authorize_system(
                               \(code), \(UUID(system.id)), \(TestSchool.callback), \(challenge), '{}', null,
                               sha256('nothing')) as is_known
                    """, as: school.caller(.sam))[0].bool("is_known")
            }
            _ = try await school.patch(
                "/v1/connected-systems/\(system.id)", as: .ada, json: ["requiresPkce": true])
            #expect(try !authorize(nil))
            #expect(try authorize("challenge"))
        }
    }

    // MARK: Addresses (OpenID Connect Core section 5.1)

    @Test func `a system gets the address where the school turned that on`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.person set email = 'Sam@Hillside.example' where person_id = \(school.id(.sam).uuid)
                """)
            let silent = try await school.registerSystem()
            let telling = try await school.registerSystem(scopes: ["email"])
            let browser = try await school.signInWithBrowser(.sam)
            let without = try await school.signIn(browser, to: silent, ["scope": "openid email"])
            #expect(without.json["scope"] == "openid")
            #expect(try school.claims(of: without)["email"] == nil)
            let asked = try await school.authorization(
                "/check", for: telling, by: browser, ["scope": "openid email"])
            #expect(asked.json["sees"] == ["id", "email"])
            let tokens = try await school.signIn(browser, to: telling, ["scope": "openid email"])
            #expect(tokens.json["scope"] == "openid email")
            let claims = try school.claims(of: tokens)
            let token = tokens.json["access_token"]?.text ?? ""
            let info = try await school.userinfo(token)
            for found in [claims, info.json.object] {
                #expect(found?["email"] == "Sam@Hillside.example")
                #expect(found?["email_verified"]?.bool == true)
                #expect(found?["name"] == nil)
            }
            _ = try await school.patch(
                "/v1/connected-systems/\(telling.id)", as: .ada, json: ["scopes": []])
            #expect(try await school.userinfo(token).json["email"] == nil, "turned off again")
        }
    }

    @Test(arguments: [
        ("sam@elsewhere.example", false), ("sam@gmail.example", false),
        ("sam@sub.hillside.example", false), ("sam@evil@hillside.example", false),
        ("sue@hillside.example", false), ("SAM@HILLSIDE.EXAMPLE", true),
    ])
    func `an address is verified only if it is the school's and one person's`(
        address: String, isVerified: Bool
    ) async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.person
                   set email = case person_id when \(school.id(.sam).uuid) then \(address) else 'Sue@Hillside.example' end,
                       deactivated_at = case person_id when \(school.id(.sue).uuid) then now() end
                 where person_id in (\(school.id(.sam).uuid), \(school.id(.sue).uuid))
                """)
            let system = try await school.registerSystem(scopes: ["email"])
            let browser = try await school.signInWithBrowser(.sam)
            let claims = try await school.claims(of: school.signIn(browser, to: system))
            #expect(claims["email"]?.text == address)
            #expect(claims["email_verified"]?.bool == isVerified)
        }
    }

    @Test func `who has no address is known by the rest`() async throws {
        try await withSchool { school in
            let system = try await school.registerSystem(scopes: ["email", "profile"])
            let browser = try await school.signInWithBrowser(.sam)
            let claims = try await school.claims(of: school.signIn(browser, to: system))
            #expect(claims["name"] != nil)
            #expect(!claims.has("email") && !claims.has("email_verified"))
        }
    }

    // MARK: The answer as a form (OAuth 2.0 Form Post Response Mode)

    @Test func `a system may ask for the answer as a form, and an app may not`() async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            let metadata = try await school.get("/.well-known/openid-configuration", as: nil)
            #expect(metadata.json["response_modes_supported"] == ["query", "form_post"])
            let system = try await school.registerSystem()
            let browser = try await school.signInWithBrowser(.sam)
            let form: [String: JSONValue] = ["responseMode": "form_post"]
            let tokens = try await school.signIn(browser, to: system, form)
            #expect(try school.claims(of: tokens)["nonce"] == "once")
            let app = try await school.authorization(by: browser, form)
            #expect(app.status == 422 && app.pointers == ["/responseMode"])
        }
    }

    // MARK: What nobody knows (RFC 6749 section 3.1)

    @Test func `unknown parameters change nothing`() async throws {
        try await withSchool { school in
            let more = "?utm_source=mail&x=1&x=2"
            for path in [
                "/oauth/jwks", "/.well-known/openid-configuration",
                "/.well-known/oauth-authorization-server",
            ] {
                let plain = try await school.get(path, as: nil)
                let answer = try await school.get(path + more, as: nil)
                #expect(answer.status == 200 && answer.text == plain.text, "\(path)")
            }
            let system = try await school.registerSystem()
            let browser = try await school.signInWithBrowser(.sam)
            let tokens = try await school.signIn(browser, to: system)
            let token = tokens.json["access_token"]?.text ?? ""
            for method in [HTTPMethod.get, .post] {
                let info = try await school.send(method, "/oauth/userinfo" + more, token: token)
                #expect(info.status == 200 && info.json["sub"] != nil)
            }
            let strict = try await school.get("/v1/people" + more, as: .ada)
            #expect(strict.status == 400, "a call of our own says so")
        }
    }
}
