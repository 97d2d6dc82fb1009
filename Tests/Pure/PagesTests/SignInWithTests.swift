import HTTPWire
import JSONBytes
import Testing

@testable import Pages

/// There to another system, and back from it.
@Suite struct SignInWithAnotherSystem {
    private static let beginning = "POST /v1/sign-in/with-provider/beginning"
    private static let finishing = "POST /v1/sign-in/with-provider"
    private static let secret = "secret-of-this-browser"

    private func browser(
        _ answers: [String: FakeAPI.Answer] = [:], isSecure: Bool = false
    ) -> Browser {
        let own: [String: FakeAPI.Answer] = [
            "GET /v1/sign-in/offered-providers": (
                200,
                [
                    "items": [["id": "p1", "name": "School <mail>", "kind": "google"]],
                    "byDomain": false, "redirectUri": "https://school.example/sign-in/callback",
                ]
            ),
            Self.beginning: (
                200,
                [
                    "redirectTo": "https://id.example/authorize?state=s1&nonce=n",
                    "secret": .text(Self.secret),
                ]
            ),
            Self.finishing: (
                200,
                [
                    "accessToken": .text(FakeAPI.token), "expiresIn": 3600,
                    "mustChangePassword": false, "person": ["id": "p1"],
                ]
            ),
        ]
        return Browser(
            FakeAPI(own.merging(answers) { _, new in new }), isSecure: isSecure)
    }

    @Test func `the sign-in page leads to each provider, and remembers where to go on`()
        async throws
    {
        let browser = browser()
        let door = try await browser.get("/sign-in?to=/my-work")
        #expect(door.text.contains("Sign in with <bdi>School &lt;mail&gt;</bdi>"))
        #expect(door.text.contains("href=\"/sign-in/with/p1?to=%2Fmy-work\""))
        #expect(!door.text.contains("href=\"/sign-in/with?"))
    }

    @Test func `the door opens where the API does not name any`() async throws {
        let browser = browser([
            "GET /v1/sign-in/offered-providers": FakeAPI.problem(503, "unavailable")
        ])
        let door = try await browser.get("/sign-in")
        #expect(door.status == 200 && !door.text.contains("/sign-in/with"))
    }

    @Test func `with several schools one says which, by managed ID or domain`() async throws {
        let none: FakeAPI.Answer = (
            200, ["items": [], "byDomain": true, "redirectUri": "https://school.example"]
        )
        let browser = browser(["GET /v1/sign-in/offered-providers": none])
        let door = try await browser.get("/sign-in?to=/my-work")
        #expect(door.text.contains("href=\"/sign-in/with?to=%2Fmy-work\""))
        let asked = try await browser.get("/sign-in/with?to=/my-work")
        #expect(asked.text.contains("name=\"of\"") && !asked.text.contains("role=\"status\""))
        let found = try await browser.get("/sign-in/with?of=mira%40Harbour.example&to=/my-work")
        #expect(found.text.contains("managed ID and password only"))
        #expect(
            browser.api.queries("GET /v1/sign-in/offered-providers") == [
                "", "", "domain=Harbour.example",
            ])
        // A managed ID that was typed with a wrong password says which, too.
        _ = try await browser.get("/sign-in")
        _ = try await browser.post(
            "/sign-in", [("managedId", "mira@harbour.example"), ("password", "")])
        #expect(
            browser.api.queries("GET /v1/sign-in/offered-providers").last
                == "domain=harbour.example")
    }

    @Test(arguments: [false, true])
    func `there and back again`(isSecure: Bool) async throws {
        let browser = browser(isSecure: isSecure)
        let name = isSecure ? "__Host-homeroom-attempt" : "homeroom-attempt"
        let there = try await browser.get("/sign-in/with/p1?to=/my-work")
        #expect(there.status == 303)
        #expect(there.location == "https://id.example/authorize?state=s1&nonce=n")
        #expect(there.header("Referrer-Policy") == "no-referrer")
        let cookie = try #require(there.cookie(name))
        #expect(cookie.contains("HttpOnly; SameSite=Lax; Max-Age=600"))
        #expect(cookie.hasSuffix("; Secure") == isSecure)
        let back = try await browser.get(
            "/sign-in/callback?state=s1&code=c1&iss=https%3A%2F%2Fid.example",
            [(name: "User-Agent", value: "Firefox")])
        #expect(back.status == 303 && back.location == "/my-work")
        #expect(
            browser.api.body(of: Self.finishing) == [
                "providerId": "p1", "secret": .text(Self.secret), "state": "s1", "code": "c1",
                "browser": ["shared": true, "userAgent": "Firefox"],
                "iss": "https://id.example",
            ])
        #expect(browser.cookie(name) == nil)
        let session = try #require(back.cookie(isSecure ? "__Host-homeroom" : "homeroom"))
        #expect(!session.contains("Max-Age"), "it ends with the browser")
        #expect(try await browser.get("/").location == "/my-work")
    }

    @Test func `signing in ends the session that the browser had`() async throws {
        let browser = browser()
        browser.signIn()
        _ = try await browser.get("/sign-in/with/p1")
        #expect(try await browser.get("/sign-in/callback?state=s&code=c").location == "/")
        #expect(browser.api.lines.contains("POST /v1/sign-out"))
    }

    @Test(arguments: [
        "", "p1", "p1.secret", "p1.secret.not base64!", "a.b.c.d",
    ])
    func `without what the browser kept, nothing is asked`(cookie: String) async throws {
        let browser = browser()
        browser.set("homeroom-attempt", cookie)
        let page = try await browser.get("/sign-in/callback?state=s1&code=c1")
        #expect(page.status == 400 && page.text.contains("Please begin again"))
        #expect(browser.api.calls.isEmpty)
    }

    @Test(arguments: ["//evil.example", "https://evil.example/", "/\\evil.example"])
    func `coming back never leads to another server`(address: String) async throws {
        let browser = browser()
        _ = try await browser.get("/sign-in/with/p1?to=\(LocalPath.encoded(address))")
        #expect(try await browser.get("/sign-in/callback?state=s&code=c").location == "/")
    }

    @Test func `who changes his or her mind there is back where it began`() async throws {
        let browser = browser()
        _ = try await browser.get("/sign-in/with/p1?to=/my-work")
        let back = try await browser.get("/sign-in/callback?error=access_denied")
        #expect(back.location == "/sign-in?to=%2Fmy-work")
        #expect(browser.cookie("homeroom-attempt") == nil)
        #expect(!browser.api.lines.contains(Self.finishing))
    }

    /// What the API refuses, and what the person reads.
    struct Refusing: Sendable, CustomTestStringConvertible {
        let status: Int
        let shown: Int
        let words: String
        var testDescription: String { "\(status)" }
    }

    @Test(arguments: [
        Refusing(status: 401, shown: 403, words: "You cannot sign in with this account"),
        Refusing(status: 409, shown: 400, words: "Please begin again"),
        Refusing(status: 422, shown: 400, words: "Please begin again"),
        Refusing(status: 502, shown: 502, words: "The API&#39;s own words."),
        Refusing(status: 503, shown: 503, words: "does not answer as it should"),
        Refusing(status: 429, shown: 429, words: "Too many attempts"),
    ])
    func `what goes wrong is said in plain words`(refusing: Refusing) async throws {
        let refusal = FakeAPI.problem(refusing.status, "some_code")
        let finishing = browser([Self.finishing: refusal])
        _ = try await finishing.get("/sign-in/with/p1")
        let back = try await finishing.get("/sign-in/callback?state=s1&code=c1")
        #expect(back.status == refusing.shown, "\(back.text)")
        #expect(
            back.text.replacing("&apos;", with: "&#39;").replacing("'", with: "&#39;")
                .contains(refusing.words), "\(back.text)")
        #expect(finishing.cookie("homeroom") == nil)
        if refusing.status != 401, refusing.status != 409 {
            let beginning = browser([Self.beginning: refusal])
            let there = try await beginning.get("/sign-in/with/p1")
            #expect(there.status == refusing.shown)
            #expect(beginning.cookie("homeroom-attempt") == nil)
        }
    }
}
