import HTTPWire
import JSONBytes
import Testing

@testable import Pages

/// The answer to a client as a form (OAuth 2.0 Form Post Response Mode).
@Suite struct FormPosts {
    private func browser(_ answers: [String: FakeAPI.Answer]) -> Browser {
        Browser(FakeAPI(answers))
    }

    @Test func `a system gets the answer as a form that carries no token of ours`() async throws {
        let registered = "https://library.example/callback?shelf=1&a=<b>"
        let address =
            "/oauth/authorize?client_id=s1&response_mode=form_post&redirect_uri="
            + LocalPath.encoded(registered)
        let target = registered + "&code=c%3C%22&state=a%26b&iss=https%3A%2F%2Fschool.example"
        let browser = browser([
            "POST /v1/me/authorizations/check": (200, ["next": "allow", "sees": []]),
            "POST /v1/me/authorizations": (201, ["redirectTo": .text(target)]),
        ])
        browser.signIn()
        let page = try await browser.get(address)
        #expect(page.status == 200 && page.location == nil)
        #expect(page.header("Cache-Control") == "no-store")
        #expect(
            page.header("Content-Security-Policy")?.hasSuffix(
                "form-action 'self' https://library.example") == true)
        let form = try #require(
            page.text.firstMatch(of: /(?s)<form method="post" action="https.*?<\/form>/))
        let text = String(form.0)
        #expect(
            text.contains("action=\"https://library.example/callback?shelf=1&amp;a=&lt;b&gt;\""))
        #expect(text.contains("data-go"))
        for (name, value) in [
            ("code", "c&lt;&quot;"), ("state", "a&amp;b"), ("iss", "https://school.example"),
        ] {
            #expect(text.contains("name=\"\(name)\" value=\"\(value)\""), "\(text)")
        }
        #expect(!text.contains("formToken") && !text.contains("name=\"shelf\""))
        #expect(text.contains("Continue</button>"), "without a script, the person presses")
    }

    @Test func `a system learns of mistakes and of nobody in a form, too`() async throws {
        let registered = "https://library.example/callback"
        let address =
            "/oauth/authorize?client_id=s1&prompt=none&response_mode=form_post&redirect_uri="
            + LocalPath.encoded(registered)
        let absent = browser([
            "POST /v1/authorizations/absence": (
                200, ["redirectTo": .text(registered + "?error=login_required&state=x")]
            )
        ])
        let nobody = try await absent.get(address)
        #expect(nobody.text.contains("name=\"error\" value=\"login_required\""))
        let mistaken = browser([
            "POST /v1/me/authorizations/check": FakeAPI.problem(
                422, "invalid_body",
                JSONObject([("redirectTo", .text(registered + "?error=invalid_scope"))]))
        ])
        mistaken.signIn()
        let page = try await mistaken.get(address)
        #expect(page.text.contains("name=\"error\" value=\"invalid_scope\""))
        let elsewhere = browser([
            "POST /v1/me/authorizations/check": FakeAPI.problem(
                422, "invalid_body",
                JSONObject([("redirectTo", "https://other.example/?error=x")]))
        ])
        elsewhere.signIn()
        let answer = try await elsewhere.get(address)
        #expect(answer.status == 303, "the form goes nowhere but to the redirect URI")
    }
}

/// What a system that knows people by their addresses is allowed.
@Suite struct AddressesAsked {
    @Test func `the page says that a system learns the address`() async throws {
        let browser = Browser(
            FakeAPI([
                "POST /v1/me/authorizations/check": (
                    200,
                    [
                        "client": ["id": "s1", "name": "Library"], "kind": "system", "next": "ask",
                        "sees": ["id", "email"],
                    ]
                )
            ]))
        browser.signIn()
        let page = try await browser.get("/oauth/authorize?client_id=s1")
        #expect(page.text.contains("learn your email address"))
        #expect(!page.text.contains("learn your name"), "an address has it in it")
    }
}
