import JSONBytes
import Testing
import Values

@testable import Pages

@Suite struct Doors {
    @Test func `a wrong password says so, and keeps the managed ID`() async throws {
        let browser = Browser(
            FakeAPI(["POST /v1/sign-in": FakeAPI.problem(401, "sign_in_refused")]))
        _ = try await browser.get("/sign-in?to=/my-work")
        let refused = try await browser.post(
            "/sign-in", [("managedId", "mira\"><b>"), ("password", "secret"), ("to", "/my-work")])
        #expect(refused.status == 422)
        #expect(refused.text.contains("<title>Error: Sign in – Homeroom</title>"))
        #expect(refused.text.contains("The managed ID or the password is wrong"))
        #expect(refused.text.contains("value=\"mira&quot;&gt;&lt;b&gt;\""))
        #expect(refused.text.contains("name=\"to\" value=\"/my-work\""))
        #expect(!refused.text.contains("secret"))
        #expect(refused.text.contains("href=\"#managedId\"") && refused.text.contains("autofocus"))
    }

    @Test func `the code on a slip fills in the managed ID`() async throws {
        let page = try await Browser().get("/sign-in?managedId=mira%40harbour.example%22%3E")
        #expect(page.text.contains("value=\"mira@harbour.example&quot;&gt;\""))
    }

    @Test func `an empty form is refused at its fields, without asking`() async throws {
        let browser = Browser()
        _ = try await browser.get("/sign-in")
        let refused = try await browser.post("/sign-in", [("managedId", ""), ("password", "")])
        #expect(refused.status == 422)
        #expect(refused.text.contains("Enter your managed ID"))
        #expect(refused.text.contains("Enter your password"))
        // Each time, the page asks with what else one may sign in.
        let offered = "GET /v1/sign-in/offered-providers"
        #expect(browser.api.lines == [offered, offered])
    }

    @Test func `too many attempts say when to come back`() async throws {
        let browser = Browser(
            FakeAPI(["POST /v1/sign-in": FakeAPI.problem(429, "too_many_tries")]))
        _ = try await browser.get("/sign-in")
        let refused = try await browser.post("/sign-in", [("managedId", "a"), ("password", "b")])
        #expect(refused.status == 429 && refused.header("Retry-After") == "90")
        #expect(refused.text.contains("Too many attempts. Try again in 2 minutes."))
    }

    @Test(arguments: ["//evil.example", "https://evil.example/", "/\\evil.example"])
    func `signing in never leads to another server`(address: String) async throws {
        let browser = Browser()
        _ = try await browser.get("/sign-in?to=\(LocalPath.encoded(address))")
        let signedIn = try await browser.post(
            "/sign-in", [("managedId", "a"), ("password", "b"), ("to", address)])
        #expect(signedIn.location == "/")
    }

    @Test func `a temporary password has to be changed first`() async throws {
        let browser = Browser(
            FakeAPI([
                "POST /v1/sign-in": (
                    200,
                    [
                        "accessToken": .text(FakeAPI.token), "expiresIn": 3600,
                        "mustChangePassword": true, "person": ["id": "p1"],
                    ]
                ),
                "GET /v1/me": FakeAPI.problem(403, "password_must_change"),
            ]))
        _ = try await browser.get("/sign-in")
        let signedIn = try await browser.post(
            "/sign-in", [("managedId", "a"), ("password", "b"), ("to", "/my-work")])
        #expect(signedIn.location == "/me/password?to=%2Fmy-work")
        #expect(try await browser.get("/my-work").location == "/me/password")
        let page = try await browser.get("/me/password?to=%2Fmy-work")
        #expect(page.status == 200 && page.text.contains("temporary password"))
        #expect(page.text.contains("action=\"/sign-out\""))
        let changed = try await browser.post(
            "/me/password", [("password", "b"), ("newPassword", "c"), ("to", "/my-work")])
        #expect(changed.status == 303 && changed.location == "/my-work")
        #expect(
            browser.api.body(of: "PUT /v1/me/password") == ["password": "b", "newPassword": "c"])
    }

    /// What the API says about a new password, and what the person reads.
    struct Objection: Sendable, CustomTestStringConvertible {
        let pointer: String
        let code: String
        let words: String
        var testDescription: String { code }
    }

    @Test(arguments: [
        Objection(
            pointer: "/password", code: "wrong_password", words: "This is not your current password"
        ),
        Objection(
            pointer: "/newPassword", code: "same_password",
            words: "The new password must differ from the old one"),
        Objection(pointer: "/newPassword", code: "weak_password", words: "too easy to guess"),
    ])
    func `a new password that cannot be used is explained`(objection: Objection) async throws {
        let errors: JSONValue = [
            ["pointer": .text(objection.pointer), "code": .text(objection.code)]
        ]
        let browser = Browser(
            FakeAPI([
                "PUT /v1/me/password": FakeAPI.problem(
                    422, "invalid_body", JSONObject([("errors", errors)]))
            ]))
        browser.signIn()
        _ = try await browser.get("/me/password")
        let refused = try await browser.post(
            "/me/password", [("password", "b"), ("newPassword", "c")])
        #expect(refused.status == 422 && refused.text.contains(objection.words))
    }

    @Test(arguments: [
        (["student"], "/my-work"), (["teacher", "administrator"], "/today"),
        (["administrator"], "/school"), (["staff"], "/me/sign-in"),
    ])
    func `the start page is what the person came for`(
        standings: [String], path: String
    ) async throws {
        let browser = Browser(FakeAPI(["GET /v1/me": (200, FakeAPI.me(standings: standings))]))
        #expect(try await browser.get("/").location == "/sign-in")
        browser.signIn()
        #expect(try await browser.get("/").location == path)
        #expect(try await browser.get("/sign-in").location == "/")
    }

    @Test func `sessions are listed and ended`() async throws {
        let browser = Browser()
        browser.signIn()
        let page = try await browser.get("/me/sign-in")
        #expect(page.text.contains("Firefox on Windows") && page.text.contains("This browser"))
        #expect(page.text.contains("The app com.example.quiz&lt;b&gt;"))
        #expect(page.text.contains("Last used today, 8:00"))
        #expect(page.text.contains("action=\"/me/sessions/s2/end\""))
        #expect(!page.text.contains("action=\"/me/sessions/s1/end\""), "not this one")
        #expect(try await browser.post("/me/sessions/s2/end").location == "/me/sign-in")
        let after = try await browser.get("/me/sign-in")
        #expect(after.text.contains("That sign-in is ended."))
        #expect(try await browser.post("/me/sessions/end-others").status == 303)
        #expect(browser.api.lines.contains("DELETE /v1/me/sessions"))
    }

    @Test func `the language is the person's choice, and nothing else`() async throws {
        let browser = Browser()
        _ = try await browser.get("/me/language?to=/sign-in")
        let chosen = try await browser.post(
            "/me/language", [("language", "de"), ("to", "/sign-in")])
        #expect(chosen.location == "/sign-in")
        let door = try await browser.get("/sign-in", [(name: "Accept-Language", value: "ja")])
        #expect(door.text.contains("<html lang=\"de\"") && door.text.contains("Anmelden"))
        #expect(door.text.contains("Die Seiten sind jetzt auf Deutsch."))
        let wrong = try await browser.post("/me/language", [("language", "xx")])
        #expect(wrong.status == 422 && browser.cookie("homeroom-language") == "de")
    }

    @Test(arguments: [
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/120.0 Safari/537.36 Edg/120.0", "Edge", "Windows"),
        (
            "Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) Version/17.0 Safari/604.1", "Safari",
            "iPad"
        ),
        ("Mozilla/5.0 (X11; CrOS x86_64) Chrome/120.0 Safari/537.36", "Chrome", "ChromeOS"),
    ])
    func `browsers are named`(agent: String, browser: String, system: String) {
        #expect(UserAgent(agent)?.browser == browser && UserAgent(agent)?.system == system)
        #expect(UserAgent("curl/8.0") == nil)
    }
}
