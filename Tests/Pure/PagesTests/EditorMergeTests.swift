import JSONBytes
import Testing

@testable import Pages

/// Saving a form changes what that form changed, and nothing else.
@Suite struct MergingChanges {
    private static let call = "PATCH /v1/handouts/h1"

    /// What the form of `TeacherBrowser.handout()` sends back untouched, with these fields changed.
    private func sent(_ changes: [(String, String)] = []) -> [(String, String)] {
        let values = [
            ("title", "Fractions <1>"), ("instructions", "Do the\r\nquiz"),
            ("dueDate", "2026-11-27"), ("dueTime", "16:00"), ("student", "s2"),
        ]
        let typed = values.filter { field in !changes.contains { $0.0 == field.0 } } + changes
        return typed + values.map { ("was-" + $0.0, $0.1) } + [("tag", "\"7\"")]
    }

    /// - Parameter theirs: what somebody else has changed since the form was filled.
    private func browser(_ theirs: [String: JSONValue] = [:]) throws -> Browser {
        var handout = try #require(TeacherBrowser.handout().object)
        for (name, value) in theirs { handout[name] = value }
        return TeacherBrowser.make([
            Self.call: (200, ["id": "h1"]), "GET /v1/handouts/h1": (200, .object(handout)),
        ])
    }

    @Test func `the form says what it was filled with`() async throws {
        let page = try await browser().get("/handouts/h1/edit")
        for (name, value) in sent() where name.hasPrefix("was-") {
            let written = value.replacing("\r\n", with: "\n").replacing("<", with: "&lt;")
                .replacing(">", with: "&gt;")
            #expect(page.text.contains("name=\"\(name)\" value=\"\(written)\""))
        }
    }

    @Test(
        arguments: [
            ("title", "Ratios", "title", "Ratios"),
            ("instructions", "Read", "instructions", "Read"),
            ("instructions", "", "instructions", nil),
            ("dueTime", "17:00", "dueAt", "2026-11-27T17:00:00.000Z"),
            ("student", "s1", "recipients", ["s1"]),
        ] as [(String, String, String, JSONValue)])
    func `only what was changed is sent`(
        field: String, typed: String, name: String, value: JSONValue
    ) async throws {
        let browser = try browser()
        _ = try await browser.get("/handouts/h1/edit")
        let saved = try await browser.post("/handouts/h1/edit", sent([(field, typed)]))
        #expect(saved.status == 303)
        #expect(browser.api.body(of: Self.call) == .object(JSONObject([(name, value)])))
    }

    @Test func `what was not changed is not sent`() async throws {
        let browser = try browser()
        _ = try await browser.get("/handouts/h1/edit")
        let saved = try await browser.post("/handouts/h1/edit", sent())
        #expect(saved.status == 303 && !browser.api.lines.contains(Self.call))
    }

    @Test func `a colleague's change elsewhere stays`() async throws {
        let browser = try browser(["dueAt": "2026-12-04T16:00:00.000Z"])
        _ = try await browser.get("/handouts/h1/edit")
        let saved = try await browser.post(
            "/handouts/h1/edit", sent([("instructions", "One more line")]))
        #expect(saved.status == 303)
        #expect(browser.api.body(of: Self.call) == ["instructions": "One more line"])
        let match = browser.api.calls.last { $0.line == Self.call }?.match
        #expect(match != "\"7\"", "it is compared with what is there now")
    }

    @Test func `the same change by both is no conflict`() async throws {
        let browser = try browser(["title": "Ratios"])
        _ = try await browser.get("/handouts/h1/edit")
        let saved = try await browser.post("/handouts/h1/edit", sent([("title", "Ratios")]))
        #expect(saved.status == 303 && !browser.api.lines.contains(Self.call))
    }

    @Test func `what both changed is shown, theirs and yours, and yours stands in the form`()
        async throws
    {
        let browser = try browser([
            "title": "Theirs <b>", "dueAt": "2026-12-04T16:00:00.000Z",
        ])
        _ = try await browser.get("/handouts/h1/edit")
        let page = try await browser.post("/handouts/h1/edit", sent([("title", "Mine")]))
        #expect(page.status == 412 && page.text.contains("You both changed this"))
        #expect(page.text.contains("today, 8:40"))
        #expect(page.text.contains(">Theirs &lt;b&gt;</dd>") && page.text.contains(">Mine</dd>"))
        #expect(page.text.contains("name=\"title\" value=\"Mine\""))
        #expect(page.text.contains("name=\"was-title\" value=\"Theirs &lt;b&gt;\""))
        #expect(page.text.contains("type=\"date\" value=\"2026-12-04\""), "only they changed it")
        #expect(!browser.api.lines.contains(Self.call))
        let seen = sent([("title", "Mine"), ("dueDate", "2026-12-04")])
            .map { name, value in
                switch name {
                case "was-title": (name, "Theirs <b>")
                case "was-dueDate": (name, "2026-12-04")
                default: (name, value)
                }
            }
        let saved = try await browser.post("/handouts/h1/edit", seen)
        #expect(saved.status == 303)
        #expect(browser.api.body(of: Self.call) == ["title": "Mine"])
    }
}
