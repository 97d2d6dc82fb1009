import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// What a connected system has to send, and what the page does before it gets a code.
@Suite struct SystemCodes {
    enum Spoiling: CaseIterable {
        case secret, otherSystem, redirect, verifier, time, signOut, used, noSecret, app
    }

    @Test(arguments: Spoiling.allCases)
    func `a code is good for its system, address and verifier, once`(spoiling: Spoiling)
        async throws
    {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let other = try await school.registerSystem()
            let browser = try await school.signInWithBrowser(.sam)
            let code = try school.code(in: try await school.authorization(for: system, by: browser))
            var (asker, fields) = (system, [String: String]())
            var headers: [(String, String)]?
            switch spoiling {
            case .secret: asker = MadeSystem(id: system.id, secret: other.secret)
            case .otherSystem: asker = other
            case .redirect: fields["redirect_uri"] = "https://library.example/callback"
            case .verifier: fields["code_verifier"] = String(repeating: "b", count: 43)
            case .time:
                try school.sql(
                    "update school.authorization_code set expires_at = now() - interval '1 ms'")
            case .signOut:
                _ = try await school.send("POST", "/v1/sign-out", token: browser.accessToken)
            case .used: #expect(try await school.exchange(code, as: system).status == 200)
            case .noSecret:
                fields["client_id"] = system.id
                headers = []
            case .app:
                try await school.registerQuizzler()
                fields["client_id"] = school.quizzler
                headers = []
            }
            let answer = try await school.exchange(code, as: asker, fields, headers: headers)
            let isStranger = [.secret, .noSecret].contains(spoiling)
            #expect(answer.status == (isStranger ? 401 : 400))
            #expect(answer.json["error"]?.text == (isStranger ? "invalid_client" : "invalid_grant"))
            #expect(answer.json["access_token"] == nil)
            if isStranger { #expect(answer.header("www-authenticate") != nil) }
            #expect(
                try school.sql(
                    "select from school.session where kind in ('system', 'app') and ended_at is null"
                ).count == 0)
        }
    }

    @Test func `a system gets nothing for the code of an app`() async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            let system = try await school.registerSystem()
            let browser = try await school.signInWithBrowser(.sam)
            let code = try school.code(in: try await school.authorization(by: browser))
            let answer = try await school.exchange(
                code, as: system, ["redirect_uri": "http://127.0.0.1:4711/callback"])
            #expect(answer.status == 400 && answer.json["error"] == "invalid_grant")
            #expect(try await school.exchange(code).status == 400, "who tries uses it up")
        }
    }

    @Test func `an unknown system and a wrong secret get the same answer`() async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let wrong = MadeSystem(id: system.id, secret: "wrong")
            let unknown = MadeSystem(id: "0195d1a0-0000-7000-8000-000000000000", secret: "wrong")
            let one = try await school.exchange("code", as: wrong)
            let two = try await school.exchange("code", as: unknown)
            #expect(one.status == 401 && one.status == two.status && one.text == two.text)
            let events = try await school.get(
                "/v1/audit-events?kind=signInFailure&subjectId=\(system.id)", as: .ada)
            #expect(events.items.count == 1)
        }
    }

    @Test func `the secret may stand in the form, and never twice`() async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let browser = try await school.signInWithBrowser(.sam)
            let code = try school.code(in: try await school.authorization(for: system, by: browser))
            let fields = ["client_id": system.id, "client_secret": system.secret]
            let both = try await school.exchange(code, as: system, fields)
            #expect(both.status == 400 && both.json["error"] == "invalid_request")
            #expect(
                try await school.exchange(code, as: system, fields, headers: []).status == 200)
        }
    }

    @Test func `who allowed a system is not asked again until that ends`() async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let browser = try await school.signInWithBrowser(.sam)
            func next(_ more: [String: JSONValue] = [:]) async throws -> String? {
                try await school.authorization("/check", for: system, by: browser, more)
                    .json["next"]?.text
            }
            #expect(try await next() == "ask")
            _ = try await school.signIn(browser, to: system, ["scope": "openid profile"])
            #expect(try await next() == "ask", "for more than was allowed")
            #expect(try await next(["scope": "openid profile"]) == "allow")
            #expect(try await next(["scope": "openid"]) == "allow")
            #expect(try await next(["scope": "openid", "prompt": "consent"]) == "ask")
            #expect(try await next(["scope": "openid", "prompt": "login"]) == "signIn")
            #expect(try await next(["scope": "openid", "prompt": "none"]) == "allow")
            #expect(try await next(["scope": "openid", "maxAge": "100"]) == "allow")
            try school.sql("update school.session set started_at = now() - interval '101 seconds'")
            #expect(try await next(["scope": "openid", "maxAge": "100"]) == "signIn")
            let elsewhere = try await school.signInWithBrowser(.sue)
            let sues = try await school.authorization(
                "/check", for: system, by: elsewhere, ["scope": "openid"])
            #expect(sues.json["next"] == "ask", "everyone allows for themselves")
            _ = try await school.send("DELETE", "/v1/me/sessions", token: browser.accessToken)
            #expect(try await next(["scope": "openid"]) == "ask")
        }
    }

    @Test(
        arguments: [
            (["prompt": "none"], "consent_required"),
            (["prompt": "none", "maxAge": "0"], "login_required"),
            (["prompt": "none login"], "invalid_request"), (["prompt": "dance"], "invalid_request"),
            (["maxAge": "-1"], "invalid_request"),
            (["responseMode": "fragment"], "invalid_request"),
            (["responseMode": "form_post", "scope": "profile"], "invalid_scope"),
            (["request": "e30"], "request_not_supported"),
            (["requestUri": "https://a.example"], "request_uri_not_supported"),
            (["scope": "profile"], "invalid_scope"),
            (["responseType": "token"], "unsupported_response_type"),
            (["environment": "development"], "invalid_request"),
            (["codeChallengeMethod": "plain"], "invalid_request"),
        ] as [([String: JSONValue], String)])
    func `a system learns of its mistakes and of what a page would have to ask`(
        more: [String: JSONValue], error: String
    ) async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let browser = try await school.signInWithBrowser(.sam)
            try school.sql("update school.session set started_at = now() - interval '2 seconds'")
            let answer = try await school.authorization("/check", for: system, by: browser, more)
            #expect(answer.status == 422)
            let target = answer.json["redirectTo"]?.text ?? ""
            #expect(target.hasPrefix(TestSchool.callback + "&error=\(error)&"), "\(target)")
            #expect(target.hasSuffix("&state=s%20t&iss=http%3A%2F%2Flocalhost"))
        }
    }

    @Test func `who refuses sends the system away with its state and the issuer`() async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let browser = try await school.signInWithBrowser(.sam)
            let asked = try await school.authorization("/check", for: system, by: browser)
            let target = asked.json["refusedTo"]?.text ?? ""
            #expect(target.hasPrefix(TestSchool.callback + "&error=access_denied&"))
            #expect(target.hasSuffix("&state=s%20t&iss=http%3A%2F%2Flocalhost"))
        }
    }

    @Test func `nobody is sent to an address that the system has not registered`() async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            let browser = try await school.signInWithBrowser(.sam)
            for address in ["https://library.example/callback", "https://evil.example/"] {
                let answer = try await school.authorization(
                    for: system, by: browser, ["redirectUri": .text(address), "prompt": "none"])
                #expect(answer.status == 422 && answer.pointers == ["/redirectUri"])
                #expect(answer.json["redirectTo"] == nil)
            }
            let omar = try await school.signInWithBrowser(.omar)
            let foreign = try await school.authorization(for: system, by: omar)
            let removed = try await school.delete("/v1/connected-systems/\(system.id)", as: .ada)
            #expect(removed.status == 204)
            let gone = try await school.authorization(for: system, by: browser)
            for answer in [foreign, gone] {
                #expect(answer.status == 422 && answer.pointers == ["/clientId"])
            }
            #expect(try school.sql("select from school.authorization_code").count == 0)
        }
    }

    @Test func `a system learns that nobody is signed in, at its own address only`() async throws {
        try await withSchool { school in
            let system = try await school.registerSystem()
            try await school.registerQuizzler()
            func absence(_ client: String, _ address: String) async throws -> Answer {
                try await school.post(
                    "/v1/authorizations/absence", as: nil,
                    json: ["clientId": .text(client), "redirectUri": .text(address), "state": "x"])
            }
            let known = try await absence(system.id, TestSchool.callback)
            #expect(
                known.json["redirectTo"]?.text?.hasPrefix(
                    TestSchool.callback + "&error=login_required&") == true)
            #expect(
                known.json["redirectTo"]?.text?.hasSuffix("&state=x&iss=http%3A%2F%2Flocalhost")
                    == true)
            let app = try await absence(school.quizzler, "http://127.0.0.1:4711/callback")
            #expect(app.status == 200)
            let unknown = [
                try await absence(system.id, "https://evil.example/"),
                try await absence("0195d1a0-0000-7000-8000-000000000000", TestSchool.callback),
                try await absence(school.quizzler, "https://evil.example/"),
                try await absence("org.example.unknown", "http://127.0.0.1:4711/callback"),
            ]
            for answer in unknown {
                #expect(answer.status == 422 && answer.pointers == ["/redirectUri"])
            }
        }
    }
}
