import Crypto
import HTTPClient
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// What an attacker sends, who is neither the provider nor the browser that began.
@Suite struct AttacksOnProviderSignIn {
    /// A change to the ID token, and the words that say what is wrong.
    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let words: String
        var claims: @Sendable (inout JSONObject) -> Void = { _ in }
        var token: @Sendable (String) -> String = { $0 }
    }

    static let forgeries = [
        Forgery(
            testDescription: "alg none", words: "neither RS256 nor ES256",
            token: { token in
                let claims = token.split(separator: ".")[1]
                return "\(Base64.encodeURL(Array(#"{"alg":"none"}"#.utf8))).\(claims)."
            }),
        Forgery(
            testDescription: "another key under the same name", words: "does not verify",
            token: { token in
                let claims = Base64.decodeURL(String(token.split(separator: ".")[1]))!
                let object = (try? JSONValue(parsing: claims))?.object ?? JSONObject()
                return JWT.sign(object, keyID: "K1", with: ES256PrivateKey())
            }),
        Forgery(
            testDescription: "an unknown key", words: "does not publish",
            token: { token in
                let claims = Base64.decodeURL(String(token.split(separator: ".")[1]))!
                let object = (try? JSONValue(parsing: claims))?.object ?? JSONObject()
                return JWT.sign(object, keyID: "K9", with: ES256PrivateKey())
            }),
        Forgery(
            testDescription: "for another client", words: "another client id",
            claims: { $0["aud"] = "other" }),
        Forgery(
            testDescription: "of another issuer", words: "another issuer's",
            claims: { $0["iss"] = "https://evil.example" }),
        Forgery(
            testDescription: "of another sign-in", words: "another sign-in",
            claims: { $0["nonce"] = "n" }),
        Forgery(testDescription: "expired", words: "expired", claims: { $0["exp"] = 1000 }),
        Forgery(
            testDescription: "nothing at all", words: "compact form", token: { _ in "token" }),
    ]

    @Test(arguments: forgeries) func `a token that is not as it should be signs nobody in`(
        forgery: Forgery
    ) async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            issuer.change {
                $0.account = account("t", Persona.tom.managedID).object!
                $0.forge = forgery.claims
                $0.replace = forgery.token
            }
            let refused = try await school.signIn(with: provider, at: issuer)
            #expect(refused.status == 502 && refused.code == "provider_failed")
            #expect(refused.json["detail"]?.text?.contains(forgery.words) == true)
            #expect(try school.count("session") == 0)
            #expect(try school.refusals() == ["token"])
            issuer.change {
                $0.forge = { _ in }
                $0.replace = { $0 }
            }
            #expect(try await school.signIn(with: provider, at: issuer).status == 200)
        }
    }

    @Test func `only the browser that began comes to an end, and only with its provider`()
        async throws
    {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            let other = try await school.connect(issuer, ["name": "Another"])
            issuer.change { $0.account = account("t", Persona.tom.managedID).object! }
            let mine = try await school.begin(with: provider)
            let theirs = try await school.begin(with: provider)
            let back = try issuer.visit(mine.redirect)
            // The attacker's code and state in the victim's browser (login CSRF), and the other way round.
            #expect(try await school.finish(theirs, back).status == 409)
            let stolen = (code: back.code, state: try issuer.visit(theirs.redirect).state)
            // The state fits, but the code was asked for with another verifier.
            #expect(try await school.finish(theirs, stolen).code == "sign_in_not_begun")
            // The answer of one provider as that of another (mix-up).
            let mixed = BegunSignIn(providerID: other, secret: mine.secret, redirect: "")
            let again = try issuer.visit(mine.redirect)
            #expect(try await school.finish(mixed, again).status == 409)
            for iss in ["https://evil.example", "https://id.example/", ""] {
                let refused = try await school.finish(mine, again, ["iss": .text(iss)])
                #expect(refused.status == (iss.isEmpty ? 422 : 409), "\(iss)")
            }
            let named = try await school.finish(mine, again, ["iss": "https://id.example"])
            #expect(named.status == 200)
            // A code is good once.
            #expect(try await school.finish(mine, again).code == "sign_in_not_begun")
            #expect(try school.count("session") == 1)
        }
    }

    @Test func `an issuer that names itself has to`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            issuer.change {
                $0.account = account("t", Persona.tom.managedID).object!
                $0.metadata = JSONObject([("authorization_response_iss_parameter_supported", true)])
            }
            let provider = try await school.connect(issuer)
            let begun = try await school.begin(with: provider)
            let back = try issuer.visit(begun.redirect)
            #expect(try await school.finish(begun, back).status == 409)
            let named = try await school.finish(begun, back, ["iss": .text(issuer.url)])
            #expect(named.status == 200)
        }
    }

    @Test func `a network that fails too often waits, and others do not`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            let begun = try await school.begin(with: provider)
            let body: JSONValue = [
                "providerId": .text(provider), "secret": .text(begun.secret), "state": "wrong",
                "code": "c", "browser": ["shared": true],
            ]
            func status(from address: String) async throws -> Int {
                try await school.send(
                    "POST", "/v1/sign-in/with-provider", token: nil, body: body.bytes,
                    from: address
                ).status
            }
            var failures = 0
            while failures < 200, try await status(from: "192.0.2.7") == 409 { failures += 1 }
            #expect((60..<200).contains(failures))
            #expect(try await status(from: "192.0.2.7") == 429)
            #expect(try await status(from: "192.0.2.8") == 409)
            #expect(!issuer.asked.contains("token"), "the provider was never bothered")
        }
    }

    @Test func `an account in another directory of Microsoft is nobody's`() async throws {
        let own = "11111111-2222-3333-4444-555555555555"
        let url = "https://login.microsoftonline.com/\(own)/v2.0"
        let issuer = FakeIssuer(url)
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(
                issuer, ["kind": "microsoft", "issuer": nil, "tenant": .text(own.uppercased())])
            func signIn(_ claims: JSONValue) async throws -> Int {
                try await school.signIn(with: provider, at: issuer, claims).status
            }
            let tom = Persona.tom.managedID
            // Nobody has verified `email`, which a directory may set to anything.
            #expect(
                try await signIn(["sub": "t", "tid": .text(own), "email": .text(tom)]) == 401)
            #expect(try await signIn(["sub": "t", "preferred_username": .text(tom)]) == 401)
            #expect(
                try await signIn([
                    "sub": "t", "tid": "99999999-2222-3333-4444-555555555555",
                    "preferred_username": .text(tom),
                ]) == 401)
            // A guest of the directory.
            #expect(
                try await signIn([
                    "sub": "t", "tid": .text(own), "preferred_username": .text(tom),
                    "idp": "https://sts.windows.net/99999999-2222-3333-4444-555555555555/",
                ]) == 401)
            issuer.change {
                $0.forge = { $0["iss"] = "https://login.microsoftonline.com/common/v2.0" }
            }
            let member: JSONValue = [
                "sub": "t", "tid": .text(own), "preferred_username": .text(tom),
            ]
            #expect(try await signIn(member) == 502)
            issuer.change { $0.forge = { _ in } }
            #expect(try await signIn(member) == 200)
        }
    }
}
