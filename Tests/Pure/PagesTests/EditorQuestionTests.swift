import JSONBytes
import Testing

@testable import Pages

@Suite struct QuestionsOfTheEditor {
    private func typed(_ changes: [(String, String)]) -> [(String, String)] {
        let filled = [
            ("title", "Ratios"), ("everyone", "yes"), ("dueDate", "2026-11-27"),
            ("dueTime", "17:05"), ("version", "\"7\""),
        ]
        return filled.filter { field in !changes.contains { $0.0 == field.0 } } + changes
    }

    @Test func `who is ticked gets it, whatever else the form says`() async throws {
        let browser = TeacherBrowser.make(["POST /v1/handouts": (201, ["id": "h9"])])
        let page = try await browser.get("/classes/c1/handouts/new")
        #expect(!page.text.contains("type=\"radio\""), "nothing that could overrule the ticks")
        let saved = try await browser.post(
            "/classes/c1/handouts/new",
            [("title", "For two"), ("recipients", "class"), ("student", "s1"), ("student", "s2")])
        #expect(saved.status == 303)
        #expect(
            browser.api.body(of: "POST /v1/handouts")?["recipients"]?.array?.count == 2)
        let both = try await browser.post(
            "/classes/c1/handouts/new",
            [("title", "For whom"), ("everyone", "yes"), ("student", "s1")])
        #expect(both.status == 422 && both.text.contains("Keep one of the two"))
    }

    @Test func `what was for chosen students goes to everyone only when that is said`()
        async throws
    {
        let browser = TeacherBrowser.make(["PATCH /v1/handouts/h1": (200, ["id": "h1"])])
        let page = try await browser.get("/handouts/h1/edit")
        #expect(page.text.contains("1 chosen student</p>"))
        let asked = try await browser.post("/handouts/h1/edit", [("title", "Ratios")])
        #expect(asked.status == 422 && asked.text.contains("Give it to everyone?"))
        #expect(asked.text.contains("name=\"everyone\" value=\"yes\""))
        #expect(!browser.api.lines.contains("PATCH /v1/handouts/h1"))
        let saved = try await browser.post(
            "/handouts/h1/edit", [("title", "Ratios"), ("everyone", "yes")])
        #expect(saved.status == 303)
        #expect(browser.api.body(of: "PATCH /v1/handouts/h1")?["recipients"] == "class")
    }

    @Test(arguments: [
        ("published", "2026-11-20", "Due in the past?", "2026-11-20T17:05:00.000Z/now"),
        (
            "scheduled", "2026-11-29", "Due before it appears?",
            "2026-11-29T17:05:00.000Z/2026-11-30T08:00:00.000Z"
        ),
    ])
    func `a due time that is over when students see it is asked about once`(
        state: String, day: String, title: String, answer: String
    ) async throws {
        let publishAt: JSONValue =
            state == "scheduled" ? "2026-11-30T08:00:00.000Z" : "2026-11-10T08:00:00.000Z"
        let browser = TeacherBrowser.make([
            "GET /v1/handouts/h1": (
                200, TeacherBrowser.handout(state: state, publishAt: publishAt)
            ),
            "PATCH /v1/handouts/h1": (200, ["id": "h1"]),
        ])
        _ = try await browser.get("/handouts/h1/edit")
        let asked = try await browser.post("/handouts/h1/edit", typed([("dueDate", day)]))
        #expect(asked.status == 422 && asked.text.contains(title))
        #expect(asked.text.contains("value=\"\(answer)\""))
        #expect(!browser.api.lines.contains("PATCH /v1/handouts/h1"))
        let other = try await browser.post(
            "/handouts/h1/edit", typed([("dueDate", "2026-11-19"), ("anyway", answer)]))
        #expect(other.status == 422, "the answer was about another time")
        let saved = try await browser.post(
            "/handouts/h1/edit", typed([("dueDate", day), ("anyway", answer)]))
        #expect(saved.status == 303)
    }

    @Test func `a due time that was there before is not asked about`() async throws {
        let browser = TeacherBrowser.make([
            "GET /v1/handouts/h1": (
                200,
                TeacherBrowser.handout(
                    state: "scheduled", publishAt: "2026-11-30T08:00:00.000Z")
            ),
            "PATCH /v1/handouts/h1": (200, ["id": "h1"]),
        ])
        _ = try await browser.get("/handouts/h1/edit")
        let saved = try await browser.post("/handouts/h1/edit", typed([("dueTime", "16:00")]))
        #expect(saved.status == 303)
    }
}
