import JSONBytes
import Testing
import Values

@testable import Pages

@Suite struct Sessions {
    @Test func `who is not signed in is asked to, and comes back`() async throws {
        let browser = Browser()
        let refused = try await browser.get("/my-work?class=c1")
        #expect(refused.status == 303)
        #expect(refused.location == "/sign-in?to=%2Fmy-work%3Fclass%3Dc1")
        let door = try await browser.get("/sign-in?to=%2Fmy-work%3Fclass%3Dc1")
        #expect(door.status == 200 && door.text.contains("name=\"password\""))
        let signedIn = try await browser.post(
            "/sign-in",
            [("managedId", "mira"), ("password", "pass word"), ("to", "/my-work?class=c1")],
            headers: [
                (name: "User-Agent", value: "Firefox/1 (Linux)"),
                (name: "Accept-Language", value: "de"),
            ])
        #expect(signedIn.status == 303 && signedIn.location == "/my-work?class=c1")
        #expect(
            browser.api.body(of: "POST /v1/sign-in") == [
                "managedId": "mira", "password": "pass word",
                "browser": [
                    "shared": false, "userAgent": "Firefox/1 (Linux)",
                    "secret": .text(browser.cookie("homeroom-device") ?? ""),
                ],
            ])
        let call = try #require(browser.api.calls.last)
        #expect(call.token == nil && call.address == "192.0.2.7" && call.language == "de, de")
    }

    @Test(arguments: [true, false])
    func `the cookie holds the token of the API, out of scripts' reach`(isSecure: Bool) async throws
    {
        let browser = Browser(isSecure: isSecure)
        _ = try await browser.get("/sign-in")
        let signedIn = try await browser.post(
            "/sign-in", [("managedId", "mira"), ("password", "secret")])
        let cookie = try #require(
            signedIn.cookie(isSecure ? "__Host-homeroom" : "homeroom"))
        #expect(
            cookie == (isSecure ? "__Host-homeroom" : "homeroom")
                + "=\(FakeAPI.token).kept; Path=/; HttpOnly; SameSite=Lax; Max-Age=43200"
                + (isSecure ? "; Secure" : ""))
    }

    @Test func `where others use the device too, the cookie ends with the browser`() async throws {
        let browser = Browser()
        _ = try await browser.get("/sign-in")
        let signedIn = try await browser.post(
            "/sign-in", [("managedId", "mira"), ("password", "secret"), ("shared", "yes")])
        #expect(signedIn.cookie("homeroom")?.contains("Max-Age") == false)
        #expect(browser.api.calls.last?.body["browser"]?["shared"] == true)
        // Also after the session was renewed.
        let work = try await browser.get("/me/language")
        #expect(browser.api.lines.contains("POST /v1/me/session/renewal"))
        #expect(
            work.cookie("homeroom") == "homeroom=\(FakeAPI.token); Path=/; HttpOnly; SameSite=Lax")
    }

    @Test(arguments: [true, false])
    func `a browser is known again by a cookie that outlives the session`(
        isSecure: Bool
    ) async throws {
        let browser = Browser(isSecure: isSecure)
        let name = isSecure ? "__Host-homeroom-device" : "homeroom-device"
        let form = [("managedId", "mira"), ("password", "secret")]
        _ = try await browser.get("/sign-in")
        let first = try await browser.post("/sign-in", form)
        let secret = try #require(browser.cookie(name))
        #expect(
            first.cookie(name)
                == "\(name)=\(secret); Path=/; HttpOnly; SameSite=Lax; Max-Age=15552000"
                + (isSecure ? "; Secure" : ""))
        #expect(secret.utf8.count == 43)
        try await browser.signOut()
        #expect(browser.cookie(name) == secret)
        _ = try await browser.get("/sign-in")
        _ = try await browser.post("/sign-in", form)
        let sent = browser.api.calls.filter { $0.line == "POST /v1/sign-in" }
        #expect(sent.map { $0.body["browser"]?["secret"]?.text } == [secret, secret])

        try await browser.signOut()
        browser.set(name, "short")
        _ = try await browser.get("/sign-in")
        _ = try await browser.post("/sign-in", form)
        #expect(browser.cookie(name)?.utf8.count == 43)
    }

    @Test func `who does not get in leaves nothing in the browser`() async throws {
        let browser = Browser(
            FakeAPI(["POST /v1/sign-in": FakeAPI.problem(401, "sign_in_refused")]))
        _ = try await browser.get("/sign-in")
        let refused = try await browser.post(
            "/sign-in", [("managedId", "mira"), ("password", "secret")])
        #expect(refused.status == 422 && refused.cookie("homeroom-device") == nil)
    }

    @Test func `a session is renewed at most once a minute`() async throws {
        let browser = Browser()
        browser.signIn()
        func renewals() -> Int {
            browser.api.lines.count { $0 == "POST /v1/me/session/renewal" }
        }
        for _ in 0..<3 { _ = try await browser.get("/me/language") }
        #expect(renewals() == 1)
        browser.wait(seconds: 59)
        _ = try await browser.get("/me/language")
        #expect(renewals() == 1)
        browser.wait(seconds: 1)
        _ = try await browser.get("/me/language")
        #expect(renewals() == 2)
    }

    @Test func `inner calls carry the token, the client's address and the language`() async throws {
        let browser = Browser()
        browser.signIn()
        browser.set("homeroom-language", "ja")
        _ = try await browser.get("/me/language", [(name: "Accept-Language", value: "fr")])
        let call = try #require(browser.api.calls.first { $0.line == "GET /v1/me" })
        #expect(call.token == FakeAPI.token && call.address == "192.0.2.7")
        #expect(call.language == "ja, fr")
    }

    @Test func `a session that has ended leads to the door, which works`() async throws {
        let browser = Browser(FakeAPI(["GET /v1/me": FakeAPI.problem(401, "unauthorized")]))
        browser.signIn()
        let ended = try await browser.get("/my-work")
        #expect(ended.status == 303 && ended.location == "/sign-in?to=%2Fmy-work")
        #expect(browser.cookie("homeroom") == nil)
        browser.signIn()
        // The form of this very answer must be good for a browser without a session.
        _ = try await browser.get("/sign-in")
        #expect(browser.cookie("homeroom") == nil)
        let again = try await browser.post(
            "/sign-in", [("managedId", "mira"), ("password", "secret")])
        #expect(again.status == 303)
    }

    @Test(arguments: [
        "", "short", "a b c d e f g h i j", "x\"; Path=/", "token-token-token-token.other",
        String(repeating: "a", count: 201), "token-token-token-token.kept.kept",
    ])
    func `a cookie that cannot be a token is none`(value: String) async throws {
        #expect(Session(cookie: value) == nil)
        let browser = Browser()
        browser.set("homeroom", value)
        #expect(try await browser.get("/my-work").location == "/sign-in?to=%2Fmy-work")
        #expect(browser.api.calls.isEmpty)
    }

    @Test func `signing out ends the session and empties the cache`() async throws {
        let browser = Browser()
        browser.signIn()
        _ = try await browser.get("/me/language")
        let out = try await browser.post("/sign-out")
        #expect(out.status == 303 && out.location == "/sign-in")
        #expect(out.header("Clear-Site-Data") == "\"cache\", \"storage\"")
        #expect(out.header("Cache-Control") == "no-store")
        #expect(browser.cookie("homeroom") == nil)
        #expect(browser.api.lines.contains("POST /v1/sign-out"))
        let door = try await browser.get("/sign-in")
        #expect(door.text.contains("You are signed out."))
        #expect(try await browser.get("/sign-in").text.contains("You are signed out.") == false)
    }

    @Test func `a new sign-in ends the session that the browser had`() async throws {
        let browser = Browser()
        browser.set("homeroom", "an-older-token-of-someone")
        _ = try await browser.get("/me/language")
        _ = try await browser.post("/sign-in", [("managedId", "mira"), ("password", "secret")])
        #expect(browser.cookie("homeroom") == FakeAPI.token + ".kept")
        let ended = browser.api.calls.filter { $0.line == "POST /v1/sign-out" }
        #expect(ended.map(\.token) == ["an-older-token-of-someone"])
    }
}

@Suite struct FormTokens {
    @Test func `a token is good for its secret only, and differs each time`() {
        let key = FormKey(secret: "secret")
        let (first, second) = (key.token(), key.token())
        #expect(first != second)
        #expect(key.accepts(first) && key.accepts(second))
        #expect(!FormKey(secret: "other").accepts(first))
        for wrong in ["", "x", String(first.dropLast()), first + "A", String(first.reversed())] {
            #expect(!key.accepts(wrong), "\(wrong)")
        }
    }

    @Test func `a form without its token changes nothing`() async throws {
        let browser = Browser()
        browser.signIn()
        _ = try await browser.get("/me/sign-in")
        let stranger = Browser()
        stranger.set("homeroom", "token-of-someone-else")
        _ = try await stranger.get("/me/language")
        for token in [nil, "", "AAAA", stranger.lastFormToken] {
            let refused = try await browser.post("/me/sessions/s2/end", token: token)
            #expect(refused.status == 403, "\(token ?? "none")")
            #expect(refused.text.contains("out of date"))
        }
        #expect(!browser.api.lines.contains { $0.hasPrefix("DELETE") })
        _ = try await browser.get("/me/sign-in")
        #expect(try await browser.post("/me/sessions/s2/end").status == 303)
        #expect(browser.api.lines.contains("DELETE /v1/me/sessions/s2"))
    }

    @Test func `the token of the sign-in form belongs to the browser that saw it`() async throws {
        let attacker = Browser()
        _ = try await attacker.get("/sign-in")
        let victim = Browser()
        _ = try await victim.get("/sign-in")
        let refused = try await victim.post(
            "/sign-in", [("managedId", "attacker"), ("password", "secret")],
            token: attacker.lastFormToken)
        #expect(refused.status == 403)
        #expect(victim.api.lines == ["GET /v1/sign-in/offered-providers"], "for the page alone")
    }

    @Test(arguments: [
        [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
        [("Origin", "https://evil.example"), ("Host", "school.example")],
        [("Origin", "null"), ("Host", "school.example")],
        [("Origin", "https://school.example.evil.example"), ("Host", "school.example")],
        [("Origin", "https://school.example")],
    ])
    func `a form from another site is refused, whatever its token`(
        headers: [(String, String)]
    ) async throws {
        let browser = Browser()
        browser.signIn()
        _ = try await browser.get("/me/sign-in")
        let fields = headers.map { (name: $0.0, value: $0.1) }
        #expect(try await browser.post("/sign-out", headers: fields).status == 403)
        #expect(!browser.api.lines.contains("POST /v1/sign-out"))
    }

    @Test(arguments: [
        [
            ("Sec-Fetch-Site", "same-origin"), ("Origin", "https://school.example"),
            ("Host", "School.example"),
        ],
        [("Origin", "http://127.0.0.1:8080"), ("Host", "127.0.0.1:8080")], [],
    ])
    func `a form from here is taken`(headers: [(String, String)]) async throws {
        let browser = Browser()
        browser.signIn()
        _ = try await browser.get("/me/sign-in")
        let fields = headers.map { (name: $0.0, value: $0.1) }
        #expect(try await browser.post("/sign-out", headers: fields).status == 303)
    }
}

extension Browser {
    fileprivate func signOut() async throws {
        _ = try await get("/me/sign-in")
        let answer = try await post("/sign-out")
        #expect(answer.status == 303 && cookie(isSecure ? "__Host-homeroom" : "homeroom") == nil)
    }
}
