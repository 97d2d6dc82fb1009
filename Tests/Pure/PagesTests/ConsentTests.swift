import HTTPWire
import JSONBytes
import Testing

@testable import Pages

@Suite struct Consents {
    private static let address =
        "/oauth/authorize?client_id=com.example.quiz&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2Fcallback"
        + "&response_type=code&state=a%26b&code_challenge=abc&code_challenge_method=S256"
    private static let request: JSONValue = [
        "clientId": "com.example.quiz", "redirectUri": "http://127.0.0.1:4711/callback",
        "responseType": "code", "state": "a&b", "codeChallenge": "abc",
        "codeChallengeMethod": "S256",
    ]
    private static let check: FakeAPI.Answer = (
        200,
        [
            "client": ["id": "com.example.quiz", "name": "Quiz<zler>"],
            "kind": "app", "next": "ask",
            "sees": ["progressOnAssigned", "completions", "somethingNew"],
            "refusedTo": .text(refused),
        ]
    )
    private static let refused =
        "http://127.0.0.1:4711/callback?error=access_denied&state=a%26b&iss=http%3A%2F%2Fschool"

    private func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        let own: [String: FakeAPI.Answer] = [
            "POST /v1/me/authorizations/check": Self.check,
            "POST /v1/me/authorizations": (
                201, ["redirectTo": "http://127.0.0.1:4711/callback?code=c&state=a%26b"]
            ),
        ]
        return Browser(FakeAPI(own.merging(answers) { _, new in new }))
    }

    @Test func `who is not signed in signs in first, and comes back to the question`() async throws
    {
        let browser = browser()
        let door = try await browser.get(Self.address)
        #expect(door.status == 303)
        #expect(door.location == "/sign-in?to=\(LocalPath.encoded(Self.address))")
        let form = try await browser.get(try #require(door.location))
        let policy = form.header("Content-Security-Policy")
        #expect(
            policy?.hasSuffix("form-action 'self' http://127.0.0.1:4711") == true,
            "the browser may go on to the app at once")
        let plain = try await browser.get("/sign-in?to=%2Fme%3Fredirect_uri%3Dhttp%3A%2F%2Fa%2F")
        #expect(plain.header("Content-Security-Policy")?.hasSuffix("form-action 'self'") == true)
    }

    @Test func `a question that comes as a form is shown, and allows nothing`() async throws {
        let browser = browser()
        browser.signIn()
        let fields = [
            ("client_id", "com.example.quiz"),
            ("redirect_uri", "http://127.0.0.1:4711/callback"), ("response_type", "code"),
            ("state", "a&b"), ("code_challenge", "abc"), ("code_challenge_method", "S256"),
        ]
        let origin = [(name: "Origin", value: "https://elsewhere.example")]
        let sent = try await browser.post(
            "/oauth/authorize", fields + [("do", "allow"), ("more", "x")], headers: origin)
        #expect(sent.status == 303)
        let location = try #require(sent.location)
        #expect(browser.api.body(of: "POST /v1/me/authorizations") == nil)
        #expect(try await browser.get(location).text.contains("Quiz&lt;zler&gt;"))
        #expect(browser.api.body(of: "POST /v1/me/authorizations/check") == Self.request)
        let twice = try await browser.post(
            "/oauth/authorize", fields + [("state", "c")], token: .some(nil), headers: origin)
        #expect(try await browser.get(try #require(twice.location)).status == 400)
        let long = try await browser.post(
            "/oauth/authorize", fields + [("scope", String(repeating: "x", count: 9_000))],
            token: .some(nil), headers: origin)
        #expect(long.location == "/oauth/authorize")
        let forged = try await browser.post(
            Self.address, [("do", "allow"), (FormKey.field, "guessed")], token: .some(nil),
            headers: origin)
        #expect(forged.status == 403 || forged.status == 400)
        #expect(browser.api.body(of: "POST /v1/me/authorizations") == nil)
    }

    @Test func `a system that wants no page learns that nobody is signed in`() async throws {
        let target = "http://127.0.0.1:4711/callback?error=login_required"
        let browser = browser([
            "POST /v1/authorizations/absence": (200, ["redirectTo": .text(target)])
        ])
        let answer = try await browser.get(Self.address + "&prompt=none")
        #expect(answer.status == 303 && answer.location == target)
        let body = browser.api.body(of: "POST /v1/authorizations/absence")
        #expect(body?["prompt"] == "none" && body?["clientId"] == "com.example.quiz")
        let unknown = self.browser([
            "POST /v1/authorizations/absence": FakeAPI.problem(422, "invalid_body")
        ])
        let refused = try await unknown.get(Self.address + "&prompt=none")
        #expect(refused.status == 400 && refused.location == nil)
    }

    @Test func `who has to sign in again sees the form, and comes back to another question`()
        async throws
    {
        let browser = browser([
            "POST /v1/me/authorizations/check": (200, ["next": "signIn", "sees": []])
        ])
        browser.signIn()
        let answer = try await browser.get(Self.address + "&prompt=login&max_age=60")
        let location = try #require(answer.location)
        #expect(
            location == "/sign-in?again=yes&to=\(LocalPath.encoded(Self.address))",
            "without the wish")
        let form = try await browser.get(location)
        #expect(form.status == 200 && form.text.contains("name=\"password\""))
        #expect(try await browser.get("/sign-in").status == 303, "nobody else is asked again")
    }

    @Test func `who allowed a system before goes on to it at once`() async throws {
        let browser = browser([
            "POST /v1/me/authorizations/check": (200, ["next": "allow", "sees": []])
        ])
        browser.signIn()
        let answer = try await browser.get(Self.address)
        #expect(answer.status == 303)
        #expect(answer.location == "http://127.0.0.1:4711/callback?code=c&state=a%26b")
        #expect(answer.header("Cache-Control") == "no-store")
    }

    @Test func `the page says what a system learns, and what not`() async throws {
        let browser = browser([
            "POST /v1/me/authorizations/check": (
                200,
                [
                    "client": ["id": "s1", "name": "Library"], "kind": "system", "next": "ask",
                    "sees": ["id", "name", "roles", "classes"],
                ]
            )
        ])
        browser.signIn()
        let page = try await browser.get(Self.address)
        #expect(page.text.contains("<bdi>Library</bdi> wants to know who you are"))
        for text in [
            "recognize you when you come back", "learn your name and your managed ID",
            "student or teacher", "As <bdi>Mira Castell</bdi>, of",
            "which classes you are in", "learn your password", "how well you did",
        ] { #expect(page.text.contains(text), "\(text)") }
        #expect(!page.text.contains("learn your name, your managed ID or your password"))
    }

    @Test func `the page names the app, the school and what the app will see`() async throws {
        let browser = browser()
        browser.signIn()
        let page = try await browser.get(Self.address)
        #expect(page.status == 200)
        #expect(browser.api.body(of: "POST /v1/me/authorizations/check") == Self.request)
        #expect(page.text.contains("<bdi>Quiz&lt;zler&gt;</bdi> wants to report your work"))
        #expect(page.text.contains("Harbour &lt;Upper&gt; School"))
        #expect(page.text.contains("<strong>on tasks that a teacher assigned to you</strong>"))
        #expect(page.text.contains("<code>somethingNew</code>"), "nothing is granted unseen")
        #expect(
            page.header("Content-Security-Policy")?.hasSuffix(
                "form-action 'self' http://127.0.0.1:4711") == true)
        #expect(!browser.api.lines.contains("POST /v1/me/authorizations"))
    }

    @Test func `allowing leads to the app with its code`() async throws {
        let browser = browser()
        browser.signIn()
        _ = try await browser.get(Self.address)
        let allowed = try await browser.post(Self.address, [("do", "allow")])
        #expect(allowed.status == 303)
        #expect(allowed.location == "http://127.0.0.1:4711/callback?code=c&state=a%26b")
        #expect(allowed.header("Cache-Control") == "no-store")
        #expect(browser.api.body(of: "POST /v1/me/authorizations") == Self.request)
    }

    @Test func `refusing leads to the app without one`() async throws {
        let browser = browser()
        browser.signIn()
        _ = try await browser.get(Self.address)
        for answer in [[("do", "refuse")], [], [("do", "ALLOW")]] {
            let refused = try await browser.post(Self.address, answer)
            #expect(refused.location == Self.refused)
        }
        #expect(!browser.api.lines.contains("POST /v1/me/authorizations"))
    }

    @Test func `an address that is not the app's is never followed`() async throws {
        let browser = browser([
            "POST /v1/me/authorizations/check": FakeAPI.problem(422, "invalid_body")
        ])
        browser.signIn()
        let page = try await browser.get(Self.address)
        #expect(page.status == 400 && page.location == nil)
        #expect(page.text.contains("This app cannot be connected"))
        _ = try await browser.get("/me/sign-in")
        let refused = try await browser.post(Self.address, [("do", "refuse")])
        #expect(refused.status == 400 && refused.location == nil)
    }

    @Test func `other mistakes go to the app, at the address that the API has checked`()
        async throws
    {
        let target = "http://127.0.0.1:4711/callback?error=invalid_scope"
        let browser = browser([
            "POST /v1/me/authorizations/check": FakeAPI.problem(
                422, "invalid_body", JSONObject([("redirectTo", .text(target))]))
        ])
        browser.signIn()
        let answer = try await browser.get(Self.address)
        #expect(answer.status == 303 && answer.location == target)
    }

    @Test func `a parameter that is there twice is refused`() async throws {
        let browser = browser()
        browser.signIn()
        let page = try await browser.get(Self.address + "&client_id=com.example.other")
        #expect(page.status == 400)
        #expect(!browser.api.lines.contains { $0.hasPrefix("POST /v1/me/authorizations") })
    }

    @Test(arguments: [
        ("http://127.0.0.1:4711/callback", ["http://127.0.0.1:4711"]),
        ("https://School.example/cb?x=1", ["https://School.example"]),
        ("http://[::1]:4711/callback", ["http:"]),
        ("com.example.quiz:/callback", ["com.example.quiz:"]),
        ("http://a;script-src *", ["http:"]), ("x y:/callback", []), ("a'b:/callback", []),
        ("", []),
        ("http://u@v/", ["http:"]),
    ])
    func `the policy of the page admits the app's address and nothing else`(
        address: String, sources: [String]
    ) throws {
        let query = Query([QueryItem(name: "redirect_uri", value: address)])
        #expect(try #require(AuthorizationRequest(query)).formTargets == sources)
    }
}

@Suite struct Devices {
    private func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        let own: [String: FakeAPI.Answer] = [
            "POST /v1/me/device-codes/check": (
                200,
                [
                    "client": ["id": "com.example.quiz", "name": "Quizzler"],
                    "sees": ["progressOnAssigned"], "requestedAt": "2026-11-22T09:58:00.000Z",
                ]
            ),
            "POST /v1/me/device-codes/approval": (204, .null),
            "POST /v1/me/device-codes/refusal": (204, .null),
        ]
        let browser = Browser(FakeAPI(own.merging(answers) { _, new in new }))
        browser.signIn()
        return browser
    }

    @Test(arguments: ["WDJB-MJHT", "wdjbmjht", " wdjb mjht "])
    func `a code is taken as people type it, and asked about once more`(code: String) async throws {
        let browser = browser()
        _ = try await browser.get("/device")
        let question = try await browser.post("/device", [("code", code)])
        #expect(question.status == 200)
        #expect(
            browser.api.body(of: "POST /v1/me/device-codes/check") == ["userCode": "WDJBMJHT"])
        #expect(question.text.contains("<code>WDJB-MJHT</code>"))
        #expect(question.text.contains("Quizzler"))
        #expect(!browser.api.lines.contains("POST /v1/me/device-codes/approval"))
        let done = try await browser.post(
            "/device/decision", [("code", "WDJBMJHT"), ("do", "allow")])
        #expect(done.text.contains("The app is connected"))
        #expect(
            browser.api.body(of: "POST /v1/me/device-codes/approval") == ["userCode": "WDJBMJHT"])
    }

    @Test func `refusing allows nothing`() async throws {
        let browser = browser()
        _ = try await browser.get("/device")
        let refused = try await browser.post("/device/decision", [("code", "WDJBMJHT")])
        #expect(refused.text.contains("The app is not connected"))
        #expect(browser.api.lines.contains("POST /v1/me/device-codes/refusal"))
        #expect(!browser.api.lines.contains("POST /v1/me/device-codes/approval"))
    }

    @Test func `the address of a code fills it in and does nothing`() async throws {
        let browser = browser()
        let page = try await browser.get("/device?user_code=WDJB-MJHT")
        #expect(page.text.contains("value=\"WDJB-MJHT\""))
        #expect(!browser.api.lines.contains { $0.contains("device-codes") })
    }

    @Test(arguments: [(404, 422), (422, 422), (429, 429)])
    func `a wrong code says so at its field`(status: Int, shown: Int) async throws {
        let browser = browser([
            "POST /v1/me/device-codes/check": FakeAPI.problem(status, "unknown_code")
        ])
        _ = try await browser.get("/device")
        let refused = try await browser.post("/device", [("code", "WDJB-MJHX")])
        #expect(refused.status == shown && refused.text.contains("id=\"code-problem\""))
        #expect(refused.text.contains("value=\"WDJB-MJHX\""))
    }
}
