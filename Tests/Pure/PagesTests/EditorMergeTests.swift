import JSONBytes
import Testing

@testable import Pages

/// Saving the form of a handout changes what that form changed, and nothing else.
@Suite struct MergingChanges {
    private static let call = "PATCH /v1/handouts/h1"
    private static let path = "/handouts/h1/edit"
    private static let jonas: FakeAPI.Answer = (
        200,
        [
            "at": "2026-11-22T10:00:00.000Z",
            "changedBy": [
                "id": "p2", "givenName": "Jonas <b>", "familyName": "Weiß",
                "nameOrder": "givenFirst",
            ],
        ]
    )

    private func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        let own: [String: FakeAPI.Answer] = [Self.call: (200, ["id": "h1"])]
        let browser = TeacherBrowser.make(own.merging(answers) { $1 })
        browser.api.keepVersions()
        return browser
    }

    private func form(_ browser: Browser) async throws -> SentForm {
        try #require(SentForm(try await browser.get(Self.path).text, action: Self.path))
    }

    /// What somebody else changes.
    private func change(_ browser: Browser, _ theirs: [String: JSONValue]) throws {
        var handout = try #require(TeacherBrowser.handout().object)
        for (name, value) in theirs { handout[name] = value }
        browser.api.set("GET /v1/handouts/h1", (200, .object(handout)))
    }

    @Test(
        arguments: [
            ("title", "Ratios", "title", "Ratios"),
            ("instructions", "Read", "instructions", "Read"),
            ("instructions", "", "instructions", nil),
            ("points", "17.5", "marking", ["kind": "points", "maximum": 17.5]),
            ("dueTime", "17:00", "dueAt", "2026-11-27T17:00:00.000Z"),
        ] as [(String, String, String, JSONValue)])
    func `only what was changed is sent`(
        field: String, typed: String, name: String, value: JSONValue
    ) async throws {
        let browser = browser()
        let saved = try await browser.send(form(browser).with(field, typed), to: Self.path)
        #expect(saved.status == 303)
        #expect(browser.api.body(of: Self.call) == .object(JSONObject([(name, value)])))
    }

    @Test func `what was not changed is not sent`() async throws {
        let browser = browser()
        let saved = try await browser.send(form(browser), to: Self.path)
        #expect(saved.status == 303 && !browser.api.lines.contains(Self.call))
    }

    @Test func `a colleague's change elsewhere stays`() async throws {
        let browser = browser()
        let form = try await form(browser)
        try change(browser, ["dueAt": "2026-12-04T16:00:00.000Z", "title": "Theirs"])
        let saved = try await browser.send(
            form.with("instructions", "One more line"), to: Self.path)
        #expect(saved.status == 303)
        #expect(browser.api.body(of: Self.call) == ["instructions": "One more line"])
        let tries = browser.api.lines.count { $0 == Self.call }
        #expect(tries == 2, "the second for the version that is now")
    }

    @Test func `the same change by both is no conflict`() async throws {
        let browser = browser()
        let form = try await form(browser)
        try change(browser, ["title": "Ratios"])
        let saved = try await browser.send(form.with("title", "Ratios"), to: Self.path)
        #expect(saved.status == 303)
    }

    @Test(arguments: ["theirs", "yours"])
    func `what both changed is asked field by field, with who and when`(side: String) async throws {
        let browser = browser(["GET /v1/changes/latest": Self.jonas])
        let form = try await form(browser)
        try change(
            browser, ["title": "Theirs <b>", "dueAt": "2026-12-04T16:00:00.000Z"])
        let page = try await browser.send(
            form.with("title", "Mine").with("instructions", "Mine too"), to: Self.path)
        #expect(page.status == 412)
        #expect(
            page.text.contains(
                ">Jonas &lt;b&gt; Weiß has changed “Fractions &lt;1&gt;” since you opened it</h1>"))
        #expect(page.text.contains("It was saved today, 10:00."))
        for text in [
            "Before: Fractions &lt;1&gt;", ">Theirs &lt;b&gt;</span>", ">Mine</span>",
            "Leave it as Jonas &lt;b&gt; Weiß has it",
            "Fri 27 Nov, 16:00 → <strong>Fri 4 Dec, 16:00",
        ] { #expect(page.text.contains(text), "\(text)") }
        #expect(!page.text.contains("name=\"decide-1\""), "only the title clashes")
        #expect(browser.api.queries("GET /v1/changes/latest") == ["kind=handout&id=h1"])
        let asked = try #require(SentForm(page.text, action: Self.path))
        #expect(asked["decide-0"] == "yours", "what one typed is not given up by pressing on")
        let saved = try await browser.send(asked.with("decide-0", side), to: Self.path)
        #expect(saved.status == 303)
        var sent = JSONObject([("instructions", "Mine too")])
        if side == "yours" { sent = JSONObject([("title", "Mine"), ("instructions", "Mine too")]) }
        #expect(browser.api.body(of: Self.call) == .object(sent))
    }

    @Test func `whom the reader may not see has no name, and oneself is told so`() async throws {
        for (answer, title) in [
            (
                FakeAPI.problem(404, "not_found"),
                "Someone else has changed “Fractions &lt;1&gt;” since you opened it"
            ),
            (
                (200, ["at": "2026-11-22T10:00:00.000Z", "changedBy": .null]),
                "Someone else has changed “Fractions &lt;1&gt;” since you opened it"
            ),
            (
                (
                    200,
                    [
                        "at": "2026-11-22T10:00:00.000Z",
                        "changedBy": ["id": "p1", "givenName": "Mira", "familyName": "Castell"],
                    ]
                ), "You have changed “Fractions &lt;1&gt;” in another window"
            ),
            (
                (
                    200,
                    [
                        "at": "2026-11-22T09:59:59.000Z",
                        "changedBy": ["id": "p2", "givenName": "Jonas", "familyName": "Weiß"],
                    ]
                ), "Someone else has changed “Fractions &lt;1&gt;” since you opened it"
            ),
        ] as [(FakeAPI.Answer, String)] {
            let browser = browser(["GET /v1/changes/latest": answer])
            let form = try await form(browser)
            try change(browser, ["title": "Theirs"])
            let page = try await browser.send(form.with("title", "Mine"), to: Self.path)
            #expect(page.status == 412 && page.text.contains(">\(title)</h1>"), "\(title)")
            #expect(!page.text.contains("Jonas"), "a change from before the form was filled")
        }
    }

    @Test func `what cannot be saved for others' haste stays on the page`() async throws {
        let browser = browser([Self.call: FakeAPI.problem(412, "precondition_failed")])
        let page = try await browser.send(form(browser).with("title", "Mine"), to: Self.path)
        #expect(page.status == 412 && page.text.contains("value=\"Mine\""))
        #expect(browser.api.lines.count { $0 == Self.call } == 3)
    }

    @Test func `students that two teachers ticked are asked about as a whole`() async throws {
        let browser = browser()
        let form = try await form(browser)
        try change(browser, ["recipients": .null])
        let page = try await browser.send(form.ticking("student", "s1", true), to: Self.path)
        #expect(page.status == 412)
        #expect(page.text.contains(">Everyone in the class</span>"))
        #expect(page.text.contains(">Mira Castell, Ifẹ́ Adélékè</span>"))
        let asked = try #require(SentForm(page.text, action: Self.path))
        _ = try await browser.send(asked, to: Self.path)
        #expect(browser.api.body(of: Self.call) == ["recipients": ["s1", "s2"]])
    }

    @Test func `a form that is shown again still knows what it was filled with`() async throws {
        let browser = browser()
        let form = try await form(browser)
        // Refused for the title; meanwhile somebody changes the instructions.
        let refused = try await browser.send(
            form.with("title", "").with("dueTime", "17:00"), to: Self.path)
        #expect(refused.status == 422)
        try change(browser, ["instructions": "Theirs"])
        let again = try #require(SentForm(refused.text, action: Self.path))
        let saved = try await browser.send(again.with("title", "Mine"), to: Self.path)
        #expect(saved.status == 303)
        #expect(
            browser.api.body(of: Self.call)
                == ["title": "Mine", "dueAt": "2026-11-27T17:00:00.000Z"])
    }

    @Test func `so does one that comes back after a sign-in`() async throws {
        let browser = browser()
        let form = try await form(browser)
        browser.api.set("GET /v1/me", FakeAPI.problem(503, "unavailable"))
        let failed = try await browser.send(form.with("dueTime", "17:00"), to: Self.path)
        #expect(failed.status == 503)
        browser.api.set("GET /v1/me", (200, FakeAPI.me(standings: ["teacher"])))
        try change(browser, ["instructions": "Theirs"])
        let again = try #require(SentForm(failed.text, action: Self.path))
        let saved = try await browser.send(again, to: Self.path)
        #expect(saved.status == 303)
        #expect(browser.api.body(of: Self.call) == ["dueAt": "2026-11-27T17:00:00.000Z"])
    }
}
