import HTTPWire
import JSONBytes
import Testing

@testable import Pages

/// The pages about connected systems.
@Suite struct ConnectedSystemsShown {
    private static let system: JSONValue = [
        "id": "s1", "clientId": "s1", "name": "Library <one>",
        "redirectUris": ["https://library.example/callback", "https://library.example/two"],
        "scopes": ["profile", "classes"], "secretChangedAt": "2026-11-20T08:00:00.000Z",
        "idTokenSignedResponseAlg": "ES256", "requiresPkce": false,
        "postLogoutRedirectUris": ["https://library.example/bye"],
    ]

    private func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        let own: [String: FakeAPI.Answer] = [
            "GET /v1/connected-systems": (200, ["items": [Self.system]]),
            "GET /v1/connected-systems/s1": (200, Self.system),
            "GET /.well-known/openid-configuration": (200, ["issuer": "https://school.example"]),
        ]
        return AdministratorsPages.browser(own.merging(answers) { _, new in new })
    }

    @Test func `the list names each system and what it may ask for`() async throws {
        let page = try await browser().get("/connected-systems")
        #expect(page.text.contains("href=\"/connected-systems/s1\""))
        #expect(page.text.contains("Library &lt;one&gt;"))
        #expect(page.text.contains("Names and managed ID"))
        #expect(!page.text.contains("Roles and where people have them"))
        let none = try await browser(["GET /v1/connected-systems": (200, ["items": []])])
            .get("/connected-systems")
        #expect(none.text.contains("No system is registered"))
    }

    @Test func `a registered system's secret is shown with all that the other side needs`()
        async throws
    {
        let made: JSONValue = [
            "id": "s9", "clientId": "s9", "name": "Library", "clientSecret": "qwertz",
        ]
        let browser = browser(["POST /v1/connected-systems": (201, made)])
        _ = try await browser.get("/connected-systems/new")
        let page = try await browser.post(
            "/connected-systems/new",
            [
                ("name", " Library "), ("scope", "roles"), ("scope", "profile"),
                ("scope", "everything"), ("scope", "email"), ("algorithm", "RS256"),
                ("pkce", "yes"),
                ("afterwards", "https://a.example/bye"),
                ("addresses", "https://a.example/\r\n\r\nhttps://b.example/ "),
            ])
        #expect(page.status == 200 && page.header("Cache-Control") == "no-store")
        for text in ["qwertz", "https://school.example", "Copy it now."] {
            #expect(page.text.contains(text), "\(text)")
        }
        let expected: JSONValue = [
            "name": "Library", "redirectUris": ["https://a.example/", "https://b.example/"],
            "postLogoutRedirectUris": ["https://a.example/bye"],
            "scopes": ["profile", "email", "roles"], "idTokenSignedResponseAlg": "RS256",
            "requiresPkce": true,
        ]
        #expect(browser.api.body(of: "POST /v1/connected-systems") == expected)
    }

    @Test func `a refused system keeps what was written`() async throws {
        let refusal = FakeAPI.problem(
            422, "invalid_body",
            JSONObject([
                (
                    "errors",
                    [
                        ["pointer": "/name", "code": "too_short"],
                        ["pointer": "/redirectUris/0", "code": "invalid"],
                    ]
                )
            ]))
        let browser = browser(["POST /v1/connected-systems": refusal])
        _ = try await browser.get("/connected-systems/new")
        let page = try await browser.post(
            "/connected-systems/new",
            [("name", ""), ("scope", "roles"), ("addresses", "http://a.example/<x>")])
        #expect(page.status == 422 && page.text.contains("The system is not saved"))
        #expect(page.text.contains("<a href=\"#name\">Fill this in</a>"))
        #expect(page.text.contains("<a href=\"#addresses\">Give one to ten addresses"))
        #expect(page.text.contains("http://a.example/&lt;x&gt;"))
    }

    @Test func `a system is changed, gets a new secret, and is removed`() async throws {
        let browser = browser([
            "PATCH /v1/connected-systems/s1": (200, Self.system),
            "POST /v1/connected-systems/s1/secret": (
                200, ["id": "s1", "clientId": "s1", "name": "Library", "clientSecret": "new one"]
            ),
            "DELETE /v1/connected-systems/s1": (204, .null),
        ])
        let page = try await browser.get("/connected-systems/s1")
        #expect(page.text.contains("https://library.example/bye</textarea>"))
        #expect(page.text.contains("<option value=\"ES256\" selected>"))
        #expect(page.text.contains("type=\"checkbox\" name=\"pkce\" value=\"yes\">"))
        #expect(page.text.contains("https://library.example/callback\nhttps://library.example/two"))
        #expect(!page.text.contains("new one"))
        let saved = try await browser.post(
            "/connected-systems/s1",
            [("name", "B"), ("addresses", "https://b.example/"), ("algorithm", "ES256")])
        #expect(saved.status == 303 && saved.location == "/connected-systems")
        let body = browser.api.body(of: "PATCH /v1/connected-systems/s1")
        #expect(body?["scopes"] == [] && body?["name"] == "B")
        #expect(body?["idTokenSignedResponseAlg"] == "ES256" && body?["requiresPkce"] == false)
        let question = try await browser.get("/connected-systems/s1/secret")
        #expect(question.text.contains("The old secret stops working at once"))
        #expect(!browser.api.lines.contains("POST /v1/connected-systems/s1/secret"))
        let secret = try await browser.post("/connected-systems/s1/secret")
        #expect(secret.text.contains("new one"))
        let removal = try await browser.get("/connected-systems/s1/removal")
        #expect(removal.text.contains("Remove Library &lt;one&gt;?"))
        #expect(!browser.api.lines.contains("DELETE /v1/connected-systems/s1"))
        let removed = try await browser.post("/connected-systems/s1/removal")
        #expect(removed.status == 303 && removed.location == "/connected-systems")
        #expect(browser.api.lines.contains("DELETE /v1/connected-systems/s1"))
    }

    @Test func `the navigation leads administrators there, and nobody else`() async throws {
        let page = try await browser().get("/settings")
        #expect(page.text.contains("href=\"/connected-systems\""))
        let manager = try await AdministratorsPages.browser([:], as: "siteManager").get("/people")
        #expect(!manager.text.contains("href=\"/connected-systems\""))
    }
}
