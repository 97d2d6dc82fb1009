import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// OpenID Connect Core 1.0 for connected systems.
@Suite struct OpenID {
    @Test func `a person allows a system, which learns who that is`() async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let browser = try await school.signInWithBrowser(.tom)
            let asked = try await school.authorization("/check", for: system, by: browser)
            #expect(asked.json["client"]?["name"] == "Library" && asked.json["kind"] == "system")
            #expect(asked.json["sees"] == ["id", "name", "roles", "classes"])
            #expect(asked.json["next"] == "ask")

            let allowed = try await school.authorization(for: system, by: browser)
            let target = try #require(allowed.json["redirectTo"]?.text)
            #expect(target.hasPrefix(TestSchool.callback + "&code="))
            #expect(target.hasSuffix("&state=s%20t&iss=http%3A%2F%2Flocalhost"))
            let tokens = try await school.exchange(try school.code(in: allowed), as: system)
            #expect(tokens.status == 200 && tokens.header("cache-control") == "no-store")
            #expect(tokens.json["scope"] == "openid profile roles classes")
            #expect(tokens.json["subject"] == nil)

            let claims = try school.claims(of: tokens)
            let now = Clock.system.now.milliseconds / 1000
            #expect(claims["iss"] == "http://localhost" && claims["nonce"] == "once")
            #expect(claims["sub"]?.text == school.id(.tom).uuid.description)
            #expect(claims["aud"]?.text == system.id)
            #expect(try #require(claims["exp"]?.int64) > now)
            #expect(try #require(claims["iat"]?.int64) <= now)
            #expect(try #require(claims["auth_time"]?.int64) <= now)
            let token = tokens.json["access_token"]?.text ?? ""
            let half = SHA256.digest(token).bytes.prefix(16)
            #expect(claims["at_hash"]?.text == Base64.encodeURL(Array(half)))

            for method in [HTTPMethod.get, .post] {
                let info = try await school.userinfo(token, method)
                #expect(info.status == 200 && info.json["sub"] == claims["sub"])
                for name in ["name", "given_name", "family_name", "preferred_username"] {
                    #expect(info.json[name] == claims[name] && claims[name] != nil, "\(name)")
                }
                #expect(info.json["preferred_username"]?.text == Persona.tom.managedID)
                let role = info.json["roles"]?[0]
                #expect(role?["role"] == "teacher")
                #expect(role?["location"]?["id"]?.text == school.mainLocation.uuid.description)
                #expect(info.json["classes"]?.array?.count == 1)
                #expect(info.json["classes"]?[0]?["name"] == "Biology")
                #expect(info.json["classes"]?[0]?["role"] == "teacher")
            }
        }
    }

    @Test func `a system sees what it registered and the person allowed, as long as both hold`()
        async throws
    {
        try await withSchool { school in
            let system = try await school.registerSystem(scopes: ["profile", "classes"])
            let browser = try await school.signInWithBrowser(.sam)
            let tokens = try await school.signIn(
                browser, to: system, ["scope": "openid roles classes"])
            #expect(tokens.json["scope"] == "openid classes")
            let token = tokens.json["access_token"]?.text ?? ""
            func members() async throws -> Set<String> {
                Set(try await school.userinfo(token).json.object?.members.map(\.key) ?? [])
            }
            #expect(try await members() == ["sub", "classes"])
            #expect(try school.claims(of: tokens)["name"] == nil)
            _ = try await school.patch(
                "/v1/connected-systems/\(system.id)", as: .ada, json: ["scopes": ["profile"]])
            #expect(try await members() == ["sub"])
        }
    }

    @Test func `the token of a system opens no call of the API`() async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let browser = try await school.signInWithBrowser(.tom)
            let tokens = try await school.signIn(browser, to: system)
            let token = tokens.json["access_token"]?.text ?? ""
            #expect(try await school.userinfo(token).status == 200)
            for path in ["/v1/me", "/v1/classes", "/v1/me/sessions"] {
                let refused = try await school.send("GET", path, token: token)
                #expect(refused.status == 401, "\(path)")
            }
            let refresh = try await school.refresh(tokens.json["refresh_token"]?.text ?? "")
            #expect(refresh.status == 401)
            let asApp = try await school.refreshApp(tokens.json["refresh_token"]?.text ?? "")
            #expect(asApp.status == 400 && asApp.json["error"] == "invalid_grant")
            let again = try await school.refresh(
                tokens.json["refresh_token"]?.text ?? "", as: system)
            #expect(again.status == 200, "nothing was spent")
        }
    }

    @Test func `other tokens do not reveal the person`() async throws {
        try await withSchool { school in
            for token in [Persona.tom.token, Persona.samsApp.token] {
                let answer = try await school.userinfo(token)
                #expect(answer.status == 403 && answer.json["error"] == "insufficient_scope")
                #expect(answer.header("www-authenticate")?.contains("scope=\"openid\"") == true)
            }
            let unknown = try await school.userinfo("nothing")
            #expect(unknown.status == 401 && unknown.json["error"] == "invalid_token")
            let without = try await school.get("/oauth/userinfo", as: nil)
            #expect(without.status == 401)
            #expect(without.header("www-authenticate") == "Bearer realm=\"Homeroom\"")
        }
    }

    @Test func `tokens are renewed with the secret, and end with what gave them`() async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let other = try await school.registerSystem()
            let browser = try await school.signInWithBrowser(.sam)
            let tokens = try await school.signIn(browser, to: system)
            let refresh = tokens.json["refresh_token"]?.text ?? ""
            let foreign = try await school.refresh(refresh, as: other)
            #expect(foreign.status == 400 && foreign.json["error"] == "invalid_grant")
            let renewed = try await school.refresh(refresh, as: system)
            #expect(renewed.status == 200 && renewed.json["scope"] == tokens.json["scope"])
            let claims = try school.claims(of: renewed)
            #expect(claims["nonce"] == nil)
            #expect(try claims["auth_time"] == school.claims(of: tokens)["auth_time"])
            let old = tokens.json["access_token"]?.text ?? ""
            let new = renewed.json["access_token"]?.text ?? ""
            #expect(try await school.userinfo(old).status == 401)
            #expect(try await school.userinfo(new).status == 200)
            let reused = try await school.refresh(refresh, as: system)
            #expect(reused.status == 400)
            #expect(try await school.userinfo(new).status == 401)
        }
    }

    enum Ending: CaseIterable {
        case person, administrator, secret, removal, deactivation, revocation
    }

    @Test(arguments: Ending.allCases)
    func `what a person allowed ends`(ending: Ending) async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let browser = try await school.signInWithBrowser(.sam)
            let tokens = try await school.signIn(browser, to: system)
            let token = tokens.json["access_token"]?.text ?? ""
            #expect(try await school.userinfo(token).status == 200)
            let sam = school.id(.sam).uuid
            let sessions = try await school.get("/v1/people/\(sam)/sessions", as: .ada).items
            let entry = try #require(sessions.first { $0["kind"] == "system" })
            #expect(entry["clientName"] == "Library")
            #expect(entry["connectedSystemId"]?.text == system.id)
            let session = entry["id"]?.text ?? ""
            let path = "/v1/connected-systems/\(system.id)"
            switch ending {
            case .person:
                _ = try await school.send(
                    "DELETE", "/v1/me/sessions/\(session)", token: browser.accessToken)
            case .administrator:
                _ = try await school.delete("/v1/people/\(sam)/sessions/\(session)", as: .ada)
            case .secret: _ = try await school.post(path + "/secret", as: .ada)
            case .removal: _ = try await school.delete(path, as: .ada)
            case .deactivation:
                _ = try await school.put("/v1/people/\(sam)/deactivation", as: .ada)
            case .revocation:
                let other = try await school.registerSystem()
                _ = try await school.callOAuth("revoke", "token=\(token)", headers: [other.basic])
                #expect(try await school.userinfo(token).status == 200, "not its own")
                _ = try await school.callOAuth("revoke", "token=\(token)", headers: [system.basic])
            }
            #expect(try await school.userinfo(token).status == 401)
            let refresh = try await school.refresh(
                tokens.json["refresh_token"]?.text ?? "", as: system)
            #expect([400, 401].contains(refresh.status))
        }
    }

    @Test func `a system learns of its own tokens, and a service account of its school's`()
        async throws
    {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let other = try await school.registerSystem()
            let account = try await school.makeServiceAccount()
            let browser = try await school.signInWithBrowser(.sam)
            let tokens = try await school.signIn(browser, to: system)
            let token = tokens.json["access_token"]?.text ?? ""
            for header in [system.basic, account.basic] {
                let answer = try await school.callOAuth(
                    "introspect", "token=\(token)", headers: [header])
                #expect(answer.json["active"]?.bool == true)
                #expect(answer.json["client_id"]?.text == system.id)
                #expect(answer.json["sub"]?.text == school.id(.sam).uuid.description)
                #expect(answer.json["scope"] == "openid classes profile roles")
            }
            for token in [token, Persona.tom.token] {
                let answer = try await school.callOAuth(
                    "introspect", "token=\(token)", headers: [other.basic])
                #expect(answer.text == #"{"active":false}"#)
            }
        }
    }
}
