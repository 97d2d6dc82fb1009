import JSONBytes
import Testing

@testable import Pages

/// Systems that are called when the directory changes, as an administrator registers and watches them.
@Suite struct WebhooksOnPages {
    private static func webhook(
        enabled: Bool = true, because: JSONValue = .null, failing: JSONValue = .null
    ) -> JSONValue {
        [
            "id": "w1", "name": "Library <one>", "url": "https://library.example/hook?a=<b>",
            "kinds": ["person", "roster"], "enabled": .bool(enabled), "disabledBecause": because,
            "failingSince": failing, "secretChangedAt": "2026-11-20T08:00:00.000Z",
            "formerSecretUntil": "2099-01-15T10:00:00.000Z",
        ]
    }

    private static func delivery(
        _ id: String, _ status: String, _ attempt: JSONValue, next: JSONValue = .null
    ) -> JSONValue {
        [
            "id": .text(id), "kind": "changes", "changes": 2, "status": .text(status),
            "createdAt": "2026-11-20T08:00:00.000Z", "nextAttemptAt": next, "attempts": [attempt],
        ]
    }

    private static let deliveries: JSONValue = [
        "items": [
            delivery(
                "d3", "waiting",
                ["at": "2026-11-20T09:00:00.000Z", "status": .null, "failure": "No <answer>."],
                next: "2099-01-15T10:00:00.000Z"),
            delivery("d2", "failed", ["at": "2026-11-20T09:00:00.000Z", "status": 500]),
            [
                "id": "d1", "kind": "test", "changes": 0, "status": "delivered",
                "createdAt": "2026-11-20T08:00:00.000Z",
                "attempts": [["at": "2026-11-20T09:00:00.000Z", "status": 204]],
            ],
        ]
    ]

    private func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        let own: [String: FakeAPI.Answer] = [
            "GET /v1/webhooks": (200, ["items": [Self.webhook()]]),
            "GET /v1/webhooks/w1": (200, Self.webhook()),
            "GET /v1/webhooks/w1/deliveries": (200, Self.deliveries),
            "PATCH /v1/webhooks/w1": (200, Self.webhook()),
            "GET /v1/connected-systems": (200, ["items": []]),
        ]
        return AdministratorsPages.browser(own.merging(answers) { _, new in new })
    }

    @Test func `the list says which are called, and with success`() async throws {
        let page = try await browser().get("/webhooks")
        for text in ["href=\"/webhooks/w1\"", "Library &lt;one&gt;", "hook?a=&lt;b", "Works"] {
            #expect(page.text.contains(text), "\(text)")
        }
        for (webhook, text) in [
            (Self.webhook(failing: "2026-11-20T08:00:00.000Z"), "Calls fail"),
            (Self.webhook(enabled: false), "Off"),
        ] {
            let page = try await browser(["GET /v1/webhooks": (200, ["items": [webhook]])])
                .get("/webhooks")
            #expect(page.text.contains(text) && !page.text.contains("Works"))
        }
        let none = try await browser(["GET /v1/webhooks": (200, ["items": []])]).get("/webhooks")
        #expect(none.text.contains("No webhook is registered"))
        let systems = try await browser().get("/connected-systems")
        #expect(systems.text.contains("href=\"/webhooks\""))
    }

    @Test func `a webhook is registered, and its secret is shown once`() async throws {
        var made = Self.webhook().object ?? JSONObject([])
        made["secret"] = "whsec_qwertz"
        let browser = browser(["POST /v1/webhooks": (201, .object(made))])
        _ = try await browser.get("/webhooks/new")
        let page = try await browser.post(
            "/webhooks/new",
            [
                ("name", " Library "), ("url", " https://library.example/ "), ("kind", "roster"),
                ("kind", "person"), ("kind", "handout"),
            ])
        #expect(page.status == 200 && page.header("Cache-Control") == "no-store")
        #expect(page.text.contains("whsec_qwertz"))
        let expected: JSONValue = [
            "name": "Library", "url": "https://library.example/", "kinds": ["person", "roster"],
        ]
        #expect(browser.api.body(of: "POST /v1/webhooks") == expected)
    }

    @Test func `what the API refuses is said at its field, and what was typed stays`() async throws
    {
        let refusal = FakeAPI.problem(
            422, "invalid_body",
            JSONObject([
                (
                    "errors",
                    [
                        ["pointer": "/url", "code": "invalid_url"],
                        ["pointer": "/kinds", "code": "wrong_count"],
                    ]
                )
            ]))
        for (answer, texts) in [
            (
                refusal,
                [
                    "<a href=\"#url\">Give an address", "<a href=\"#kinds\">Choose at least one",
                    "ftp://&lt;x",
                ]
            ),
            (FakeAPI.problem(409, "too_many_webhooks"), ["There are 20 webhooks already."]),
        ] {
            let browser = browser(["POST /v1/webhooks": answer])
            _ = try await browser.get("/webhooks/new")
            let page = try await browser.post(
                "/webhooks/new", [("name", "Library"), ("url", "ftp://<x>")])
            #expect(page.status == answer.status)
            for text in texts { #expect(page.text.contains(text), "\(text)") }
        }
    }

    @Test func `deliveries are shown with what became of them, and sent again`() async throws {
        let again = "POST /v1/webhooks/w1/deliveries/d2"
        let browser = browser([
            again: (202, .null), "POST /v1/webhooks/w1/test": (202, .null),
        ])
        let page = try await browser.get("/webhooks/w1")
        for text in [
            "2 changes", "No &lt;answer&gt;.", "Next try", "answered with 500",
            "answered with 204", "Test", "The previous one also signs calls",
            "action=\"/webhooks/w1/deliveries/d2\"",
        ] { #expect(page.text.contains(text), "\(text)") }
        #expect(!page.text.contains("action=\"/webhooks/w1/deliveries/d3\""), "it waits already")
        let sent = try await browser.post("/webhooks/w1/deliveries/d2", [])
        #expect(sent.status == 303 && browser.api.lines.contains(again))
        let test = try await browser.post("/webhooks/w1/test", [])
        #expect(test.status == 303 && browser.api.lines.contains("POST /v1/webhooks/w1/test"))
    }

    @Test(arguments: [("failing", "no call succeeded"), ("gone", "gone for good")])
    func `one that was turned off says why, sends nothing, and is turned on`(
        because: String, text: String
    ) async throws {
        let off = Self.webhook(enabled: false, because: .text(because))
        let browser = browser([
            "GET /v1/webhooks/w1": (200, off),
            "POST /v1/webhooks/w1/test": FakeAPI.problem(409, "webhook_disabled"),
        ])
        let page = try await browser.get("/webhooks/w1")
        #expect(page.text.contains(text))
        #expect(!page.text.contains("Send again") && !page.text.contains("Send a test"))
        let refused = try await browser.post("/webhooks/w1/test", [])
        #expect(refused.status == 409 && refused.text.contains("Turn it on first."))
        let done = try await browser.post("/webhooks/w1/state", [("enabled", "yes")])
        #expect(done.status == 303)
        #expect(browser.api.body(of: "PATCH /v1/webhooks/w1") == ["enabled": true])
    }

    @Test func `settings are saved, unless someone else changed them`() async throws {
        let browser = browser()
        _ = try await browser.get("/webhooks/w1")
        let form = [("name", "B"), ("url", "https://b.example/"), ("kind", "class")]
        let saved = try await browser.post("/webhooks/w1", form)
        #expect(saved.status == 303 && saved.location == "/webhooks/w1")
        let sent = browser.api.body(of: "PATCH /v1/webhooks/w1")
        #expect(sent == ["name": "B", "url": "https://b.example/", "kinds": ["class"]])
        let changed = self.browser([
            "PATCH /v1/webhooks/w1": FakeAPI.problem(412, "version_mismatch")
        ])
        _ = try await changed.get("/webhooks/w1")
        let page = try await changed.post("/webhooks/w1", form)
        #expect(page.status == 412)
    }

    @Test func `a new secret and removing come after a question`() async throws {
        var made = Self.webhook().object ?? JSONObject([])
        made["secret"] = "whsec_new"
        let browser = browser([
            "POST /v1/webhooks/w1/secret": (200, .object(made)),
            "DELETE /v1/webhooks/w1": (204, .null),
        ])
        let question = try await browser.get("/webhooks/w1/secret")
        #expect(question.text.contains("signed with both secrets for a day"))
        #expect(!browser.api.lines.contains("POST /v1/webhooks/w1/secret"))
        #expect(try await browser.post("/webhooks/w1/secret").text.contains("whsec_new"))
        let removal = try await browser.get("/webhooks/w1/removal")
        #expect(removal.text.contains("Remove Library &lt;one&gt;?"))
        #expect(!browser.api.lines.contains("DELETE /v1/webhooks/w1"))
        let removed = try await browser.post("/webhooks/w1/removal")
        #expect(removed.status == 303 && removed.location == "/webhooks")
    }
}
