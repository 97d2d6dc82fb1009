import API
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Codes by which apps get tokens: RFC 6749 section 4.1, RFC 7636, RFC 8252 and RFC 9207.
@Suite struct AuthorizationCodes {
    @Test func `a person allows an app, and the app gets tokens and a pseudonym`() async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            let browser = try await school.signInWithBrowser(.sam)
            let asked = try await school.authorization("/check", by: browser)
            #expect(asked.json["client"]?["id"]?.text == school.quizzler)
            #expect(asked.json["client"]?["name"]?.text == "Quizzler")
            #expect(asked.json["sees"] == ["progressOnAssigned", "completions"])

            let answer = try await school.authorization(
                by: browser, ["state": "a b&c"], headers: [("Host", "school.example")])
            #expect(answer.status == 201)
            let target = try #require(answer.json["redirectTo"]?.text)
            #expect(target.hasPrefix("http://127.0.0.1:4711/callback?code="))
            #expect(target.hasSuffix("&state=a%20b%26c&iss=http%3A%2F%2Fschool.example"))

            let tokens = try await school.exchange(school.code(in: answer))
            #expect(tokens.status == 200)
            #expect(tokens.json["token_type"] == "Bearer" && tokens.json["scope"] == "classkit")
            #expect(tokens.json["expires_in"]?.int64 == 3600)
            #expect(tokens.header("cache-control") == "no-store")
            let subject = try #require(tokens.json["subject"]?.text)
            #expect(subject.utf8.count == 43)
            #expect(!tokens.text.contains(school.id(.sam).uuid.description))
            let token = tokens.json["access_token"]?.text ?? ""
            #expect(
                try await school.send("GET", "/v1/me/contexts?path=%5B%22a%22%5D", token: token)
                    .status == 200)
            #expect(try await school.send("GET", "/v1/me", token: token).status == 403)
            #expect(try school.countEvents("signIn", about: .sam) == 2)
            let kinds = try await school.sessions(browser).items.map { $0["kind"]?.text }
            #expect(kinds == ["app", "browser"])
        }
    }

    @Test func `a pseudonym is the person's in one app, whichever way the token came`()
        async throws
    {
        try await withSchool { school in
            try await school.registerQuizzler()
            let signedIn = try await school.signIn(.sam, app: school.quizzler)
            let subject = try #require(signedIn.answer.json["subject"]?.text)
            let refreshed = try await school.refresh(signedIn.refreshToken)
            #expect(refreshed.json["subject"]?.text == subject)
            let browser = try await school.signInWithBrowser(.sam)
            #expect(browser.answer.json["subject"] == nil)
            let answer = try await school.authorization(by: browser)
            let tokens = try await school.exchange(try school.code(in: answer))
            #expect(tokens.json["subject"]?.text == subject)
            let again = try await school.refreshApp(tokens.json["refresh_token"]?.text ?? "")
            #expect(again.status == 200 && again.json["subject"]?.text == subject)
            let other = try await school.signIn(.sam, app: "org.example.other")
            let sues = try await school.signIn(.sue, app: school.quizzler)
            let subjects = [subject] + [other, sues].compactMap { $0.answer.json["subject"]?.text }
            #expect(Set(subjects).count == 3)
        }
    }

    @Test func `a code works once, and its second use ends what it gave`() async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            let browser = try await school.signInWithBrowser(.sam)
            let code = try school.code(in: try await school.authorization(by: browser))
            let first = try await school.exchange(code)
            #expect(first.status == 200)
            let second = try await school.exchange(code)
            #expect(second.status == 400 && second.json["error"] == "invalid_grant")
            let refreshed = try await school.refreshApp(first.json["refresh_token"]?.text ?? "")
            #expect(refreshed.status == 400 && refreshed.json["error"] == "invalid_grant")
            let token = first.json["access_token"]?.text ?? ""
            #expect(try await school.status(of: token) == 401)
            #expect(try school.countEvents("tokenRevoked", about: .sam) == 1)
            #expect(try await school.status(of: browser.accessToken) == 200)
        }
    }

    @Test func `of two who send a code at once one gets tokens, which end`() async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            let browser = try await school.signInWithBrowser(.sam)
            let code = try school.code(in: try await school.authorization(by: browser))
            async let one = school.exchange(code)
            async let two = school.exchange(code)
            let answers = try await [one, two]
            #expect(answers.map(\.status).sorted() == [200, 400])
            for answer in answers where answer.status == 200 {
                let token = answer.json["access_token"]?.text ?? ""
                #expect(try await school.status(of: token) == 401)
            }
        }
    }

    enum Spoiling: CaseIterable {
        case client, redirect, verifier, time, person, session, app, code
    }

    @Test(arguments: Spoiling.allCases)
    func `a code is good for its app, address and verifier, for a minute, while the person may`(
        spoiling: Spoiling
    ) async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            try await school.registerQuizzler("org.example.other", adamID: "990011224")
            let browser = try await school.signInWithBrowser(.sam)
            let code = try school.code(in: try await school.authorization(by: browser))
            var fields: [String: String] = [:]
            switch spoiling {
            case .client: fields["client_id"] = "org.example.other"
            case .redirect: fields["redirect_uri"] = "http://127.0.0.1:4712/callback"
            case .verifier: fields["code_verifier"] = String(repeating: "b", count: 43)
            case .code: fields["code"] = String(repeating: "b", count: 43)
            case .time:
                try school.sql(
                    "update school.authorization_code set expires_at = now() - interval '1 ms'")
            case .person:
                try school.sql(
                    """
                    update school.person set deactivated_at = now() where person_id = \(school.id(.sam))
                    """)
            case .session:
                _ = try await school.send("POST", "/v1/sign-out", token: browser.accessToken)
            case .app: try school.sql("delete from school.app where bundle_id = \(school.quizzler)")
            }
            let answer = try await school.exchange(code, fields)
            #expect(answer.status == 400)
            #expect(answer.json["error"] == "invalid_grant")
            #expect(answer.json["access_token"] == nil)
            #expect(
                try school.sql("select from school.session where kind = 'app'").count == 0)
            guard [.client, .redirect, .verifier].contains(spoiling) else { return }
            // Who tries uses it up.
            #expect(try await school.exchange(code).status == 400)
        }
    }

    @Test(arguments: [
        ("clientId", "org.example.unknown", "/clientId"),
        ("redirectUri", "https://evil.example/callback", "/redirectUri"),
        ("redirectUri", "http://127.0.0.1:4711/callback/more", "/redirectUri"),
        ("redirectUri", "http://localhost:4711/callback", "/redirectUri"),
    ])
    func `nobody is sent to an address that is not the app's`(
        field: String, value: String, pointer: String
    ) async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            let browser = try await school.signInWithBrowser(.sam)
            for path in ["", "/check"] {
                let answer = try await school.authorization(
                    path, by: browser, [field: .text(value), "responseType": "token"])
                #expect(answer.status == 422)
                #expect(answer.pointers == [pointer])
                #expect(answer.json["redirectTo"] == nil)
            }
        }
    }

    @Test(arguments: [
        ("responseType", "token" as JSONValue?, "unsupported_response_type"),
        ("responseType", nil, "invalid_request"), ("codeChallenge", nil, "invalid_request"),
        ("codeChallenge", "short", "invalid_request"),
        ("codeChallengeMethod", "plain", "invalid_request"),
        ("codeChallengeMethod", nil, "invalid_request"), ("scope", "openid", "invalid_scope"),
        ("scope", "classkit profile", "invalid_scope"),
        ("environment", "staging", "invalid_request"),
    ])
    func `the app learns of any other mistake`(field: String, value: JSONValue?, error: String)
        async throws
    {
        try await withSchool { school in
            try await school.registerQuizzler()
            let browser = try await school.signInWithBrowser(.sam)
            for path in ["", "/check"] {
                let answer = try await school.authorization(
                    path, by: browser, ["state": "xyz"], changing: field, to: value)
                #expect(answer.status == 422)
                let target = answer.json["redirectTo"]?.text ?? ""
                #expect(target.hasPrefix("http://127.0.0.1:4711/callback?error=\(error)&"))
                #expect(target.contains("&state=xyz&iss="))
                #expect(!target.contains("code="))
            }
            #expect(try school.sql("select from school.authorization_code").count == 0)
        }
    }

    @Test func `an app allows nothing, and another school's app is unknown`() async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            let app = try await school.signIn(.sam, app: school.quizzler)
            #expect(try await school.authorization(by: app).status == 403)
            let elsewhere = try await school.signInWithBrowser(.omar)
            let answer = try await school.authorization(by: elsewhere)
            #expect(answer.status == 422 && answer.pointers == ["/clientId"])
        }
    }

    @Test func `another app does not refresh, nor is a secret taken from an app`() async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            let browser = try await school.signInWithBrowser(.sam)
            let answer = try await school.authorization(by: browser)
            let tokens = try await school.exchange(try school.code(in: answer))
            let refresh = tokens.json["refresh_token"]?.text ?? ""
            let other = try await school.refreshApp(refresh, as: "org.example.other")
            #expect(other.status == 400 && other.json["error"] == "invalid_grant")
            let secret = try await school.askForToken(
                "grant_type=refresh_token&client_id=\(school.quizzler)&client_secret=x&refresh_token=\(refresh)"
            )
            #expect(secret.status == 401 && secret.json["error"] == "invalid_client")
            let scope = try await school.askForToken(
                "grant_type=refresh_token&client_id=\(school.quizzler)&scope=profile&refresh_token=\(refresh)"
            )
            #expect(scope.status == 400 && scope.json["error"] == "invalid_scope")
            #expect(try await school.refreshApp(refresh).status == 200)
        }
    }
}

extension TestSchool {
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    /// Buys an app, so that it may ask people for tokens.
    func registerQuizzler(
        _ bundleID: String = TestIDs.quizzler, adamID: String = "990011223"
    ) async throws {
        let answer = try await post(
            "/v1/apps", as: .ada,
            json: [
                "adamId": .text(adamID), "bundleId": .text(bundleID), "name": "Quizzler",
                "productType": "App",
            ])
        try #require(answer.status == 201, "\(answer.text)")
    }

    /// Asks for a code, or with `/check` who would get it.
    func authorization(
        _ path: String = "", by signedIn: SignedIn, _ more: [String: JSONValue] = [:],
        changing field: String? = nil, to value: JSONValue? = nil,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        var members: [String: JSONValue] = [
            "clientId": .text(quizzler), "redirectUri": "http://127.0.0.1:4711/callback",
            "responseType": "code", "codeChallengeMethod": "S256",
            // RFC 7636 appendix B.
            "codeChallenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        ]
        members.merge(more) { $1 }
        if let field { members[field] = value }
        members = members.filter { !$0.value.isNull }
        let body = JSONValue.object(
            JSONObject(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
        return try await send(
            "POST", "/v1/me/authorizations\(path)", token: signedIn.accessToken, body: body.bytes,
            headers: headers)
    }

    /// The code in the address to which a browser is sent.
    func code(in answer: Answer) throws -> String {
        let target = try #require(answer.json["redirectTo"]?.text, "\(answer.text)")
        return String(try #require(target.firstMatch(of: /[?&]code=([^&]+)/)).1)
    }

    func exchange(_ code: String, _ fields: [String: String] = [:]) async throws -> Answer {
        let form = [
            "grant_type": "authorization_code", "code": code, "client_id": quizzler,
            "redirect_uri": "http://127.0.0.1:4711/callback", "code_verifier": Self.verifier,
        ].merging(fields) { $1 }
        return try await askForToken(
            form.map { "\($0.key)=\(percentEncode($0.value))" }.joined(separator: "&"))
    }

    func refreshApp(_ token: String, as app: String = TestIDs.quizzler) async throws -> Answer {
        try await askForToken("grant_type=refresh_token&client_id=\(app)&refresh_token=\(token)")
    }
}
