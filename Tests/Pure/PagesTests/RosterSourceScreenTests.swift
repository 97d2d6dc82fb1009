import JSONBytes
import Testing

@testable import Pages

/// The page of the source from which people and classes are pulled every night.
@Suite struct RosterSourceOnPages {
    private static func source(
        _ changes: [(String, JSONValue)] = []
    ) -> JSONValue {
        var source = JSONObject([
            ("url", "https://sis.example/v1p2?<x>"), ("tokenUrl", "https://sis.example/token"),
            ("clientId", "homeroom"), ("pullTime", "03:15"), ("enabled", true),
            ("status", "resting"), ("nextPullAt", "2099-01-15T02:15:00.000Z"),
            ("finishedAt", "2026-11-20T02:16:00.000Z"), ("failure", .null),
            ("failingSince", .null),
            (
                "lastImport",
                ["id": "i1", "status": "succeeded", "createdAt": "2026-11-20T02:16:00.000Z"]
            ),
        ])
        for (key, value) in changes { source[key] = value }
        return .object(source)
    }

    private func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        let own: [String: FakeAPI.Answer] = [
            "GET /v1/roster-source": (200, Self.source()),
            "PUT /v1/roster-source": (200, Self.source()),
            "POST /v1/roster-source/pull": (202, Self.source()),
            "DELETE /v1/roster-source": (204, .null),
        ]
        return AdministratorsPages.browser(own.merging(answers) { _, new in new })
    }

    @Test func `the page says how the last pull went, and leads to its import`() async throws {
        let page = try await browser().get("/roster-source")
        for text in [
            "Works", "Pull now", "href=\"/imports/i1\"", "value=\"03:15\"", "value=\"homeroom\"",
            "v1p2?&lt;x", "href=\"/imports\"",
        ] {
            #expect(page.text.contains(text), "\(text)")
        }
        let failing = Self.source([
            ("failure", ["code": "refused", "text": "The <provider> refuses."]),
            ("failingSince", "2026-11-18T02:16:00.000Z"),
        ])
        for (source, texts) in [
            (
                failing,
                ["The last pull failed", "refuses the client ID", "The &lt;provider&gt; refuses."]
            ),
            (Self.source([("status", "running")]), ["Pulling now"]),
            (Self.source([("status", "waiting")]), ["Begins soon"]),
            (Self.source([("enabled", false), ("nextPullAt", .null)]), ["Off"]),
            (
                Self.source([("finishedAt", .null), ("lastImport", .null)]),
                ["None yet", "Not tried yet"]
            ),
        ] {
            let page = try await browser(["GET /v1/roster-source": (200, source)])
                .get("/roster-source")
            for text in texts { #expect(page.text.contains(text), "\(text)") }
        }
    }

    /// A pull that went well is not all: its import may have failed, or wait for someone.
    @Test(arguments: [("awaitingApproval", "Waits for approval"), ("failed", "Failed")])
    func `a source does not work as long as its import is not applied`(
        status: String, word: String
    ) async throws {
        let source = Self.source([("lastImport", ["id": "i1", "status": .text(status)])])
        let page = try await browser(["GET /v1/roster-source": (200, source)]).get("/roster-source")
        #expect(page.text.contains(word) && !page.text.contains("Works"))
    }

    @Test func `without a source there is only the form`() async throws {
        let none = ["GET /v1/roster-source": FakeAPI.problem(404, "not_found")]
        let page = try await browser(none).get("/roster-source")
        #expect(page.status == 200 && !page.text.contains("Pull now"))
        #expect(page.text.contains("value=\"02:30\"") && !page.text.contains("/removal"))
    }

    @Test func `a source is saved, and a secret that is not typed stays`() async throws {
        let browser = browser()
        _ = try await browser.get("/roster-source")
        _ = try await browser.post(
            "/roster-source",
            [
                ("url", " https://sis.example/v1p2 "), ("tokenUrl", ""), ("clientId", "homeroom"),
                ("clientSecret", ""), ("pullTime", "04:00"),
            ])
        let expected: JSONValue = [
            "url": "https://sis.example/v1p2", "clientId": "homeroom", "enabled": false,
            "pullTime": "04:00",
        ]
        #expect(browser.api.body(of: "PUT /v1/roster-source") == expected)
    }

    @Test func `what the API refuses is said at its field, and the secret is not repeated`()
        async throws
    {
        let refusal = FakeAPI.problem(
            422, "invalid_body",
            JSONObject([
                (
                    "errors",
                    [
                        ["pointer": "/url", "code": "invalid_url"],
                        ["pointer": "/clientSecret", "code": "missing"],
                        ["pointer": "/pullTime", "code": "invalid_time"],
                    ]
                )
            ]))
        let browser = browser(["PUT /v1/roster-source": refusal])
        _ = try await browser.get("/roster-source")
        let page = try await browser.post(
            "/roster-source",
            [("url", "ftp://<x>"), ("clientId", "c"), ("clientSecret", "opensesame")])
        #expect(page.status == 422)
        for text in [
            "<a href=\"#url\">Enter an address",
            "<a href=\"#clientSecret\">Enter the client secret",
            "<a href=\"#pullTime\">Enter a time", "ftp://&lt;x",
        ] {
            #expect(page.text.contains(text), "\(text)")
        }
        #expect(!page.text.contains("opensesame"))
        let other = browserOfOtherRefusal
        _ = try await other.get("/roster-source")
        let both = try await other.post("/roster-source", [("url", "https://sis.example")])
        for text in ["<a href=\"#url\">Enter an address", "<a href=\"#clientId\">Fill this in"] {
            #expect(both.text.contains(text), "\(text)")
        }
    }

    /// In front of an API that has not looked at the address yet.
    private var browserOfOtherRefusal: Browser {
        browser([
            "PUT /v1/roster-source": FakeAPI.problem(
                422, "invalid_body",
                JSONObject([("errors", [["pointer": "/clientId", "code": "wrong_length"]])]))
        ])
    }

    @Test func `a pull is ordered, and the source removed after a question`() async throws {
        let browser = browser()
        _ = try await browser.get("/roster-source")
        let ordered = try await browser.post("/roster-source/pull", [])
        #expect(ordered.status == 303)
        #expect(browser.api.lines.contains("POST /v1/roster-source/pull"))
        let question = try await browser.get("/roster-source/removal")
        #expect(question.text.contains("Remove the roster source?"))
        let removed = try await browser.post("/roster-source/removal", [])
        #expect(removed.status == 303)
    }
}
