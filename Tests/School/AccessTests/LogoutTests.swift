import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Signing out with a connected system (OpenID Connect RP-Initiated Logout 1.0).
@Suite struct SigningOutWithSystems {
    private static let after = "https://library.example/bye?shelf=1"

    /// A system with an address for afterwards, and a person who signed in to it with a browser.
    fileprivate struct Visit {
        let school: TestSchool
        let system: MadeSystem
        let browser: SignedIn
        let tokens: Answer

        var hint: JSONValue { tokens.json["id_token"] ?? .null }

        /// - Parameter token: of the browser in which the system asks; `nil` if nobody is signed in there.
        func ask(_ body: [String: JSONValue], token: String?) async throws -> Answer {
            let body = JSONValue.object(
                JSONObject(body.filter { !$0.value.isNull }.map { ($0.key, $0.value) }))
            return try await school.send(
                "POST", "/v1/authorizations/logout", token: token, body: body.bytes)
        }

        func ask(_ body: [String: JSONValue]) async throws -> Answer {
            try await ask(body, token: browser.accessToken)
        }
    }

    private func withVisit(
        _ more: [String: JSONValue] = [:], _ body: (Visit) async throws -> Void
    ) async throws {
        try await withSchool { school in
            let own: [String: JSONValue] = ["postLogoutRedirectUris": [.text(Self.after)]]
            let system = try await school.registerSystem(own.merging(more) { $1 })
            let browser = try await school.signInWithBrowser(.sam)
            let tokens = try await school.signIn(browser, to: system)
            try await body(
                Visit(school: school, system: system, browser: browser, tokens: tokens))
        }
    }

    @Test(arguments: ["RS256", "ES256"])
    func `the token of a sign-in proves that it may end`(algorithm: String) async throws {
        try await withVisit(["idTokenSignedResponseAlg": .text(algorithm)]) { visit in
            let answer = try await visit.ask([
                "idTokenHint": visit.hint, "postLogoutRedirectUri": .text(Self.after),
                "state": "a b&c", "clientId": .text(visit.system.id),
            ])
            #expect(answer.json["confirmed"]?.bool == true && answer.json["client"] == "Library")
            #expect(answer.json["redirectTo"]?.text == Self.after + "&state=a%20b%26c")
            let plain = try await visit.ask([
                "idTokenHint": visit.hint, "postLogoutRedirectUri": .text(Self.after),
            ])
            #expect(plain.json["redirectTo"]?.text == Self.after, "no state, none back")
            let me = try await visit.school.send(
                "GET", "/v1/me", token: visit.browser.accessToken)
            #expect(me.status == 200, "nothing has ended yet")
        }
    }

    @Test func `a token that is renewed, or has expired, proves the same`() async throws {
        try await withVisit { visit in
            let renewed = try await visit.school.refresh(
                visit.tokens.json["refresh_token"]?.text ?? "", as: visit.system)
            let claims = try visit.school.claims(of: renewed)
            #expect(try claims["sid"] == visit.school.claims(of: visit.tokens)["sid"])
            let answer = try await visit.ask(["idTokenHint": renewed.json["id_token"] ?? .null])
            #expect(answer.json["confirmed"]?.bool == true)
            var old = claims
            old["exp"] = 1
            let again = try await visit.ask(["idTokenHint": .text(visit.signed(old))])
            #expect(again.json["confirmed"]?.bool == true)
        }
    }

    @Test func `without a hint, or with a wrong one, the person is asked`() async throws {
        try await withVisit { visit in
            let claims = try visit.school.claims(of: visit.tokens)
            func changed(_ name: String, _ value: JSONValue) throws -> JSONValue {
                var other = claims
                other[name] = value
                return .text(try visit.signed(other))
            }
            let text = visit.hint.text ?? ""
            let stranger = JWT.sign(
                claims, keyID: try visit.school.header(of: visit.tokens)["kid"]?.text ?? "",
                with: RS256PrivateKey())
            let nobody = "0195d1a0-0000-7000-8000-000000000000"
            let hints: [JSONValue] = [
                .null, "", "nothing", .text(text + "A"), .text(String(text.dropLast(4))),
                .text(stranger), try changed("iss", "https://other.example"),
                try changed("sub", .text(visit.school.id(.sue).uuid.description)),
                try changed("sub", "x"), try changed("sid", .text(nobody)), try changed("aud", "x"),
                try changed("aud", .text(nobody)),
            ]
            for hint in hints {
                let answer = try await visit.ask(["idTokenHint": hint])
                #expect(answer.status == 200 && answer.json["confirmed"]?.bool == false, "\(hint)")
                #expect(answer.json["redirectTo"] == nil)
            }
        }
    }

    @Test func `another browser of the same person is asked`() async throws {
        try await withVisit { visit in
            let other = try await visit.school.signInWithBrowser(.sam)
            let hint: [String: JSONValue] = ["idTokenHint": visit.hint]
            let elsewhere = try await visit.ask(hint, token: other.accessToken)
            #expect(elsewhere.json["confirmed"]?.bool == false)
            let sue = try await visit.school.signInWithBrowser(.sue)
            #expect(try await visit.ask(hint, token: sue.accessToken).json["confirmed"] == false)
            #expect(try await visit.ask(hint, token: nil).json["confirmed"] == false)
            #expect(try await visit.ask(hint).json["confirmed"] == true)
        }
    }

    @Test func `nobody is sent to an address that the system has not registered`() async throws {
        try await withVisit { visit in
            let plain = try await visit.school.registerSystem()
            for address in [
                "https://library.example/bye", Self.after + "&x=1", TestSchool.callback,
                "https://evil.example/", "",
            ] {
                let answer = try await visit.ask([
                    "idTokenHint": visit.hint, "postLogoutRedirectUri": .text(address),
                ])
                #expect(answer.json["redirectTo"] == nil, "\(address)")
                #expect(answer.json["confirmed"]?.bool == true)
            }
            let own = try await visit.ask([
                "clientId": .text(visit.system.id), "postLogoutRedirectUri": .text(Self.after),
            ])
            #expect(own.json["redirectTo"]?.text == Self.after, "known by its id alone")
            #expect(own.json["confirmed"]?.bool == false)
            for (client, hint) in [
                (plain.id, JSONValue.null), (plain.id, visit.hint), ("x", visit.hint),
            ] {
                let answer = try await visit.ask([
                    "clientId": .text(client), "idTokenHint": hint,
                    "postLogoutRedirectUri": .text(Self.after),
                ])
                #expect(answer.json["redirectTo"] == nil && answer.json["confirmed"] == false)
            }
            _ = try await visit.school.delete("/v1/connected-systems/\(visit.system.id)", as: .ada)
            let gone = try await visit.ask([
                "idTokenHint": visit.hint, "postLogoutRedirectUri": .text(Self.after),
            ])
            #expect(gone.json["redirectTo"] == nil && gone.json["client"] == nil)
        }
    }

    @Test func `a system of another organization signs nobody out here`() async throws {
        try await withVisit { visit in
            let omar = try await visit.school.signInWithBrowser(.omar)
            let body: [String: JSONValue] = [
                "idTokenHint": visit.hint, "postLogoutRedirectUri": .text(Self.after),
            ]
            #expect(try await visit.ask(body).json["redirectTo"] != nil, "it is there")
            let foreign = try await visit.ask(body, token: omar.accessToken)
            #expect(foreign.json["confirmed"] == false)
            #expect(foreign.json["redirectTo"] == nil && foreign.json["client"] == nil)
            let nobody = try await visit.ask(body, token: nil)
            #expect(nobody.json["redirectTo"]?.text == Self.after, "nobody is signed in there")
        }
    }

    @Test func `addresses for afterwards are held to the same form`() async throws {
        try await withVisit { visit in
            let path = "/v1/connected-systems/\(visit.system.id)"
            for address in ["http://a.example/", "https://a@b.example/", "javascript:1"] {
                let refused = try await visit.school.patch(
                    path, as: .ada, json: ["postLogoutRedirectUris": [.text(address)]])
                #expect(refused.pointers == ["/postLogoutRedirectUris/0"])
            }
            let none = try await visit.school.patch(
                path, as: .ada, json: ["postLogoutRedirectUris": .null])
            #expect(none.json["postLogoutRedirectUris"] == [])
            let metadata = try await visit.school.get("/.well-known/openid-configuration", as: nil)
            #expect(
                metadata.json["end_session_endpoint"] == "http://localhost/oauth/logout")
        }
    }
}

extension SigningOutWithSystems.Visit {
    /// Claims, signed with the key of the deployment.
    fileprivate func signed(_ claims: JSONObject) throws -> String {
        let id = try school.header(of: tokens)["kid"]?.text ?? ""
        let row = try school.sql("select private_key from school.signing_key where key_id = \(id)")[
            0]
        return JWT.sign(claims, keyID: id, with: try RS256PrivateKey(pem: row.text("private_key")))
    }
}
