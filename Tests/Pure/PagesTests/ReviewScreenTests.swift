import JSONBytes
import Testing

@testable import Pages

/// Returning work and marking it as looked at, on the pages of a teacher.
@Suite struct ReviewScreens {
    private static let reviewed = "GET /v1/handouts/h1/reviewed"
    private static let mark = "PUT /v1/handouts/h1/reviewed"
    private static let returns = "POST /v1/handouts/h1/returns"

    private func browser(
        marks: [JSONValue] = [], _ answers: [String: FakeAPI.Answer] = [:]
    ) -> Browser {
        var all = MadeUpReport.answers
        all[Self.reviewed] = (200, ["items": .array(marks)])
        all[Self.mark] = (200, ["students": 1])
        all[Self.returns] = (200, ["students": 1])
        all["DELETE /v1/handouts/h1/reviewed"] = (200, ["students": 1])
        return teacherBrowser(all.merging(answers) { $1 })
    }

    /// The students whose work the page lists, by the values of the boxes.
    private func listed(_ page: Browser.Shown) throws -> [String] {
        try #require(SentForm(page.text, action: "/handouts/h1/review")).ticked
    }

    @Test func `students with work that nobody returned or looked at are listed, and ticked`()
        async throws
    {
        let page = try await browser().get("/handouts/h1/review")
        let all = try listed(page)
        #expect(all.count == 2)
        #expect(page.text.contains("3 tasks done") && page.text.contains("1 task done"))
        #expect(!page.text.contains("/review/undo"), "nothing was marked yet")
        let marked: JSONValue = [
            "personId": .text(all[0]), "reviewedAt": "2026-11-22T09:00:00.000Z",
        ]
        let later = try await browser(marks: [marked]).get("/handouts/h1/review")
        #expect(try listed(later) == [all[1]])
        #expect(later.text.contains("/handouts/h1/review/undo"))
        let old: JSONValue = [
            "personId": .text(all[0]), "reviewedAt": "2026-11-01T09:00:00.000Z",
        ]
        let again = try await browser(marks: [old]).get("/handouts/h1/review")
        #expect(try listed(again) == all, "more was done since")
    }

    @Test(arguments: [("give", returns), ("again", returns), ("looked", mark)])
    func `each button does what it says, for what the page showed`(does: String, call: String)
        async throws
    {
        let browser = browser()
        let page = try await browser.get("/handouts/h1/review")
        let form = try #require(SentForm(page.text, action: "/handouts/h1/review"))
        let done = try await browser.send(
            form.with("note", "Well <done>").with("does", does), to: "/handouts/h1/review")
        #expect(done.status == 303 && done.location == "/handouts/h1/review")
        let sent = try #require(browser.api.calls.last { $0.line == call }?.body)
        #expect(sent["until"] == "2026-11-22T09:41:07.000Z")
        #expect(sent["personIds"]?.array?.compactMap(\.text) == form.ticked)
        #expect(sent["tryAgain"] == (does == "again" ? true : nil))
        #expect(sent["note"] == (does == "looked" ? nil : "Well <done>"))
    }

    @Test func `what the teacher wrote is kept where the server refuses or nobody is ticked`()
        async throws
    {
        let browser = browser([
            Self.returns: FakeAPI.problem(409, "completed")
        ])
        let page = try await browser.get("/handouts/h1/review")
        let form = try #require(SentForm(page.text, action: "/handouts/h1/review"))
            .with("note", "Well <done>").with("does", "again")
        let refused = try await browser.send(form, to: "/handouts/h1/review")
        #expect(refused.status == 409 && refused.text.contains("Well &lt;done&gt;"))
        let nobody = try await browser.send(form.with("who", nil), to: "/handouts/h1/review")
        #expect(nobody.status == 422 && nobody.text.contains("Tick at least one student."))
        #expect(nobody.text.contains("Well &lt;done&gt;"))
    }

    @Test func `the list of today is emptied with one button each, and that is undone`()
        async throws
    {
        let browser = browser([
            "GET /v1/me/overview": (
                200,
                [
                    "generatedAt": "2026-11-22T09:41:00.000Z", "late": [],
                    "toReview": [["id": "h1", "title": "Fractions", "studentsToReview": 2]],
                    "dueThisWeek": [["id": "h1", "title": "Fractions"]],
                ]
            ), "GET /v1/me/insights": (200, ["classes": []]),
        ])
        let today = try await browser.get("/today")
        #expect(today.text.components(of: ">Fractions<") == 1, "a handout stands once")
        let form = try #require(SentForm(today.text, action: "/handouts/h1/review/all"))
        let done = try await browser.send(form, to: "/handouts/h1/review/all")
        #expect(done.location == "/today?looked=h1")
        #expect(
            browser.api.calls.last { $0.line == Self.mark }?.body
                == ["until": "2026-11-22T09:41:00.000Z"])
        let after = try await browser.get("/today?looked=h1")
        let undo = try #require(SentForm(after.text, action: "/handouts/h1/review/undo"))
        let undone = try await browser.send(undo, to: "/handouts/h1/review/undo")
        #expect(undone.location == "/today")
        #expect(browser.api.lines.contains("DELETE /v1/handouts/h1/reviewed"))
    }
}

extension SentForm {
    /// The students whose boxes are ticked.
    fileprivate var ticked: [String] { items.filter { $0.0 == "who" }.map(\.1) }
}

extension String {
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
