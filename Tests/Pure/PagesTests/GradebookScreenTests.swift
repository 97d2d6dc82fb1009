import JSONBytes
import Testing

@testable import Pages

/// Granting another system the gradebook, on the page of its service account.
@Suite struct GradebookScreens {
    private static let path = "/v1/service-accounts/s1/gradebook-grants"

    private static func account(_ role: String, revoked: Bool = false) -> JSONValue {
        var account = JSONObject([
            ("id", "s1"), ("name", "Markbook <b>"), ("role", .text(role)),
        ])
        if revoked { account["revokedAt"] = "2026-11-21T08:00:00.000Z" }
        return .object(account)
    }

    private static func item(
        _ id: String, class name: String = "Mathematics", at location: String = "l1"
    ) -> JSONValue {
        [
            "id": .text(id), "name": .text("\(name) <\(id)>"), "number": "7A",
            "locationId": .text(location),
        ]
    }

    private static let grants: JSONValue = [
        "items": [
            [
                "classId": nil, "locationId": "l2", "readsResults": false,
                "grantedAt": "2026-11-20T08:00:00.000Z",
            ],
            [
                "classId": "c1", "locationId": nil, "readsResults": true,
                "grantedAt": "2026-11-22T08:00:00.000Z",
            ],
        ]
    ]

    private func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        let own: [String: FakeAPI.Answer] = [
            "GET /v1/service-accounts/s1": (200, Self.account("rosterReader")),
            "GET \(Self.path)": (200, Self.grants), "PUT \(Self.path)": (200, ["items": []]),
            "GET /v1/classes/c1": (200, Self.item("c1")),
            "GET /v1/classes": (
                200, ["items": [Self.item("c1"), Self.item("c2", at: "l2")], "nextPageToken": "t"]
            ),
        ]
        return AdministratorsPages.browser(own.merging(answers) { $1 })
    }

    private func pageWithoutGrants(of account: JSONValue) async throws -> Browser.Shown {
        try await browser([
            "GET /v1/service-accounts/s1": (200, account),
            "GET \(Self.path)": (200, ["items": []]),
        ]).get("/services/s1")
    }

    @Test func `only accounts that read rosters have the form`() async throws {
        let reader = try await pageWithoutGrants(of: Self.account("rosterReader"))
        #expect(reader.text.contains("action=\"/services/s1/gradebook\""))
        #expect(reader.text.contains("Nothing is granted yet"))
        for account in [
            Self.account("provisioner"), Self.account("rosterReader", revoked: true),
        ] {
            let page = try await pageWithoutGrants(of: account)
            #expect(page.status == 200 && page.text.contains("Markbook &lt;b&gt;"))
            #expect(!page.text.contains("gradebook"), "\(account)")
        }
    }

    @Test func `grants are listed with what they are for and what they let the system read`()
        async throws
    {
        let page = try await browser().get("/services/s1")
        #expect(page.text.contains("All classes at <bdi>Lower School</bdi></p>"))
        #expect(page.text.contains("Does not read results of handouts · Granted Fri 20 Nov, 8:00"))
        #expect(page.text.contains("<bdi>Mathematics &lt;c1&gt;</bdi></p>"))
        #expect(page.text.contains("<bdi>7A</bdi> · <bdi>Upper &lt;School&gt;</bdi>"))
        #expect(page.text.contains("Reads results of handouts · Granted today, 8:00"))
        #expect(page.text.contains("href=\"/services/s1/gradebook/end?scope=class%3Ac1\""))
        #expect(page.text.contains("aria-label=\"Take back: All classes at Lower School\""))
        // What is granted cannot be chosen once more.
        #expect(page.text.contains("value=\"location:l2\" disabled"))
        #expect(page.text.contains("value=\"location:l1\">"))
        #expect(page.text.contains("students see on which days it looked"))
    }

    @Test func `many grants come in pages, and each page asks only for its own names`()
        async throws
    {
        let ids = (1...60).map { "c\($0)" }
        let many: [JSONValue] = ids.map {
            [
                "classId": .text($0), "locationId": nil, "readsResults": false,
                "grantedAt": "2026-11-20T08:00:00.000Z",
            ]
        }
        var answers: [String: FakeAPI.Answer] = [
            "GET \(Self.path)": (200, ["items": .array(many)])
        ]
        for id in ids { answers["GET /v1/classes/\(id)"] = (200, Self.item(id)) }
        let browser = browser(answers)
        let last = try await browser.get("/services/s1?page=3")
        #expect(last.text.ranges(of: "Take back</a>").count == 10)
        #expect(last.text.contains("&lt;c60&gt;") && !last.text.contains("&lt;c50&gt;"))
        #expect(last.text.contains("href=\"/services/s1?page=2\""))
        #expect(!last.text.contains("page=4"))
        #expect(browser.api.lines.filter { $0.hasPrefix("GET /v1/classes/") }.count == 10)
    }

    // MARK: Granting

    @Test func `a class is found by a search, and granted beside what is there`() async throws {
        let browser = browser()
        _ = try await browser.get("/services/s1")
        #expect(browser.api.queries("GET /v1/classes").isEmpty, "no list of thousands")
        let found = try await browser.get("/services/s1?q=%20math%20%22b%22&location=l2")
        #expect(
            browser.api.queries("GET /v1/classes")
                == ["status=active&order=name&limit=20&q=math \"b\"&locationId=l2"])
        #expect(found.text.contains("name=\"scope\" value=\"class:c2\">"))
        #expect(found.text.contains("<bdi>7A</bdi> · <bdi>Lower School</bdi>"))
        #expect(found.text.contains("value=\"class:c1\" disabled"))
        #expect(found.text.contains("</bdi></span><span class=\"hint\">Granted already."))
        #expect(found.text.contains("There are more classes than these"))
        #expect(found.text.contains("name=\"q\" value=\"math &quot;b&quot;\""))
        #expect(found.text.contains("<option value=\"l2\" selected>"))
        let done = try await browser.post(
            "/services/s1/gradebook",
            [("scope", "class:c2"), ("scope", "all"), ("readsResults", "on"), ("q", "math")])
        #expect(done.location == "/services/s1")
        let expected: JSONValue = [
            "items": [
                ["readsResults": false, "locationId": "l2"],
                ["readsResults": true, "classId": "c1"],
                ["readsResults": true, "classId": "c2"],
                ["readsResults": true],
            ]
        ]
        #expect(browser.api.body(of: "PUT \(Self.path)") == expected)
    }

    @Test func `a search that finds nothing says so`() async throws {
        let browser = browser(["GET /v1/classes": (200, ["items": []])])
        let page = try await browser.get("/services/s1?q=zzz")
        #expect(page.text.contains("No class found.") && page.text.contains("value=\"all\">"))
        let blank = try await browser.get("/services/s1?q=%20&location=")
        #expect(!blank.text.contains("No class found."))
    }

    @Test func `a school with many locations chooses one in the search`() async throws {
        let many: [JSONValue] = (1...9).map {
            ["id": .text("l\($0)"), "name": .text("School \($0)")]
        }
        let browser = browser(["GET /v1/locations": (200, ["items": .array(many)])])
        let page = try await browser.get("/services/s1")
        #expect(page.text.contains("value=\"all\">"))
        #expect(page.text.contains("choose it in the search first"))
        #expect(!page.text.contains("value=\"location:l3\""))
        let found = try await browser.get("/services/s1?location=l3")
        #expect(found.text.contains("value=\"location:l3\">"))
        #expect(!found.text.contains("value=\"location:l4\""))
        #expect(!found.text.contains("choose it in the search first"))
        let single = self.browser(["GET /v1/locations": (200, ["items": [many[0]]])])
        let plain = try await single.get("/services/s1")
        #expect(!plain.text.contains("value=\"location:l1\""))
        #expect(page.text.contains("id=\"location\"") && !plain.text.contains("id=\"location\""))
    }

    @Test func `what the API refuses is said at the field, and what was chosen is kept`()
        async throws
    {
        func invalid(_ pointer: String, _ code: String) -> FakeAPI.Answer {
            FakeAPI.problem(
                422, "invalid_body",
                JSONObject([("errors", [["pointer": .text(pointer), "code": .text(code)]])]))
        }
        for (answer, words) in [
            (FakeAPI.problem(422, "grant_made_twice"), "Some of these were granted meanwhile"),
            (invalid("/items/2/classId", "unknown_reference"), "that you chose is gone"),
            (invalid("/items", "wrong_count"), "at most 1,000 grants"),
        ] {
            let browser = browser(["PUT \(Self.path)": answer])
            _ = try await browser.get("/services/s1")
            let page = try await browser.post(
                "/services/s1/gradebook",
                [("scope", "class:c2"), ("readsResults", "on"), ("q", "m"), ("location", "l2")])
            #expect(page.status == 422 && page.text.contains("The gradebook is not granted"))
            #expect(page.text.contains("<a href=\"#scope\">") && page.text.contains(words))
            #expect(page.text.contains("aria-describedby=\"scope-problem\""))
            #expect(page.text.contains("value=\"class:c2\" checked"))
            let search = try #require(browser.api.queries("GET /v1/classes").last)
            #expect(search.hasSuffix("&q=m&locationId=l2"))
            #expect(page.text.contains("name=\"readsResults\" value=\"on\" checked"))
        }
        let browser = browser()
        _ = try await browser.get("/services/s1")
        let empty = try await browser.post("/services/s1/gradebook", [("scope", "<b>")])
        #expect(empty.status == 422 && empty.text.contains("Choose at least one"))
        #expect(!browser.api.lines.contains("PUT \(Self.path)"))
    }

    // MARK: Taking back

    @Test func `a grant is taken back after a question, and the others stay`() async throws {
        let browser = browser()
        let question = try await browser.get("/services/s1/gradebook/end?scope=class%3Ac1")
        #expect(question.text.contains("Take back this grant?"))
        #expect(question.text.contains("<bdi>Mathematics &lt;c1&gt;</bdi>"))
        #expect(question.text.contains("Markbook &lt;b&gt; can no longer use the gradebook"))
        #expect(question.text.contains("name=\"scope\" value=\"class:c1\""))
        let done = try await browser.post("/services/s1/gradebook/end", [("scope", "class:c1")])
        #expect(done.location == "/services/s1")
        let expected: JSONValue = ["items": [["readsResults": false, "locationId": "l2"]]]
        #expect(browser.api.body(of: "PUT \(Self.path)") == expected)
    }

    @Test func `what is not granted, or gone, is not asked about or taken back`() async throws {
        let browser = browser()
        for target in ["", "?scope=", "?scope=%3Cb%3E", "?scope=class%3Agone"] {
            let shown = try await browser.get("/services/s1/gradebook/end\(target)")
            #expect(shown.location == "/services/s1", "\(target)")
        }
        _ = try await browser.get("/services/s1")
        let done = try await browser.post("/services/s1/gradebook/end", [("scope", "class:c9")])
        #expect(done.location == "/services/s1")
        #expect(!browser.api.lines.contains("PUT \(Self.path)"))
    }
}
