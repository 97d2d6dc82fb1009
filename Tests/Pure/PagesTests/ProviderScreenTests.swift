import HTTPWire
import JSONBytes
import Testing

@testable import Pages

/// The administrator's pages of sign-in providers.
@Suite struct ProviderScreens {
    private static let provider: JSONValue = [
        "id": "p1", "kind": "microsoft", "name": "School <account>",
        "issuer": "https://login.microsoftonline.com/t/v2.0", "tenant": "t", "clientId": "c",
        "matching": "email", "emailDomains": ["a.example", "b.example"],
    ]

    private func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        let own: [String: FakeAPI.Answer] = [
            "GET /v1/sign-in-providers": (200, ["items": [Self.provider]]),
            "GET /v1/sign-in-providers/p1": (200, Self.provider),
        ]
        return AdministratorsPages.browser(own.merging(answers) { _, new in new })
    }

    @Test func `the list is in the navigation, with a way to connect each kind`() async throws {
        let page = try await browser().get("/sign-in-providers")
        #expect(page.status == 200)
        #expect(page.text.contains("<bdi>School &lt;account&gt;</bdi>"))
        for kind in ["google", "microsoft", "other"] {
            #expect(page.text.contains("href=\"/sign-in-providers/new?kind=\(kind)\""))
        }
        let none = try await browser(["GET /v1/sign-in-providers": (200, ["items": []])])
            .get("/sign-in-providers")
        #expect(none.text.contains("No provider is connected"))
    }

    @Test(arguments: [
        ("google", ["clientId"], ["issuer", "tenant"]), ("microsoft", ["tenant"], ["issuer"]),
        ("other", ["issuer"], ["tenant"]),
    ])
    func `each kind asks for what it needs, and shows the redirect URI`(
        kind: String, there: [String], absent: [String]
    ) async throws {
        let page = try await browser().get("/sign-in-providers/new?kind=\(kind)")
        #expect(page.text.contains("<code>https://school.example/sign-in/callback</code>"))
        for name in there { #expect(page.text.contains("name=\"\(name)\"")) }
        for name in absent { #expect(!page.text.contains("name=\"\(name)\"")) }
    }

    @Test func `one is connected as the API wants it`() async throws {
        let browser = browser(["POST /v1/sign-in-providers": (201, ["id": "p9"])])
        _ = try await browser.get("/sign-in-providers/new?kind=other")
        let made = try await browser.post(
            "/sign-in-providers",
            [
                ("kind", "other"), ("name", " Keycloak "), ("issuer", "https://id.example"),
                ("clientId", "homeroom"), ("clientSecret", "secret"), ("matching", "managedId"),
                ("emailDomains", "a.example, b.example"),
            ])
        #expect(made.location == "/sign-in-providers/p9")
        #expect(
            browser.api.body(of: "POST /v1/sign-in-providers") == [
                "name": "Keycloak", "clientId": "homeroom", "matching": "managedId",
                "emailDomains": ["a.example", "b.example"], "kind": "other",
                "clientSecret": "secret", "issuer": "https://id.example",
            ])
    }

    @Test func `a change keeps the kind, and the secret unless another was typed`() async throws {
        let browser = browser(["PATCH /v1/sign-in-providers/p1": (200, Self.provider)])
        let form = try await browser.get("/sign-in-providers/p1")
        #expect(form.text.contains("value=\"a.example b.example\""))
        #expect(form.text.contains("Leave it empty to keep the current one."))
        let fields = [
            ("kind", "microsoft"), ("name", "New"), ("tenant", "t"), ("clientId", "c"),
            ("matching", "email"), ("emailDomains", ""),
        ]
        let saved = try await browser.post(
            "/sign-in-providers/p1", fields + [("clientSecret", "")])
        #expect(saved.location == "/sign-in-providers/p1")
        let expected: JSONValue = [
            "name": "New", "clientId": "c", "matching": "email", "emailDomains": [],
            "tenant": "t",
        ]
        #expect(browser.api.body(of: "PATCH /v1/sign-in-providers/p1") == expected)
        _ = try await browser.post("/sign-in-providers/p1", fields + [("clientSecret", "new")])
        #expect(
            browser.api.body(of: "PATCH /v1/sign-in-providers/p1")?["clientSecret"] == "new")
    }

    @Test func `what the API refuses stands beside the fields, and no secret in the page`()
        async throws
    {
        let refusal = FakeAPI.problem(
            422, "invalid_body",
            JSONObject([
                (
                    "errors",
                    [
                        ["pointer": "/issuer", "code": "unfit_issuer"],
                        ["pointer": "/emailDomains/1", "code": "unfit_domain"],
                        ["pointer": "/clientId", "code": "too_short"],
                    ]
                )
            ]))
        let browser = browser(["POST /v1/sign-in-providers": refusal])
        _ = try await browser.get("/sign-in-providers/new?kind=other")
        let refused = try await browser.post(
            "/sign-in-providers",
            [
                ("kind", "other"), ("name", "Id"), ("issuer", "id.example"), ("clientId", ""),
                ("clientSecret", "typed secret"), ("matching", "email"),
                ("emailDomains", "a.example b"),
            ])
        #expect(refused.status == 422 && refused.text.contains("The provider is not saved"))
        #expect(refused.text.contains("Enter an address such as https://id.school.example"))
        #expect(refused.text.contains("Enter domains such as school.example"))
        #expect(refused.text.contains("Fill this in"))
        #expect(refused.text.contains("value=\"id.example\""))
        #expect(!refused.text.contains("typed secret"))
    }

    @Test func `the test of a connection says what the API says`() async throws {
        let path = "POST /v1/sign-in-providers/p1/check"
        let well = browser([path: (200, ["keys": 1])])
        _ = try await well.get("/sign-in-providers/p1")
        #expect(
            try await well.post("/sign-in-providers/p1/check").location == "/sign-in-providers/p1")
        let after = try await well.get("/sign-in-providers/p1")
        #expect(after.text.contains("The provider answers, and everything fits."))
        let ill = browser([path: FakeAPI.problem(502, "provider_failed")])
        _ = try await ill.get("/sign-in-providers/p1")
        let failed = try await ill.post("/sign-in-providers/p1/check")
        #expect(failed.status == 502 && failed.text.contains("The test failed"))
        #expect(failed.text.contains("own words."))
    }

    @Test func `one is disconnected after a question`() async throws {
        let browser = browser(["DELETE /v1/sign-in-providers/p1": (204, .null)])
        let question = try await browser.get("/sign-in-providers/p1/removal")
        #expect(question.text.contains("Disconnect School &lt;account&gt;?"))
        let gone = try await browser.post("/sign-in-providers/p1/removal")
        #expect(gone.location == "/sign-in-providers")
        #expect(browser.api.lines.contains("DELETE /v1/sign-in-providers/p1"))
    }
}
