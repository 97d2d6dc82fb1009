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
        all["GET /v1/handouts/h1/comments"] = (200, ["items": []])
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
        for id in all {
            #expect(page.text.contains("<a href=\"/handouts/h1/students/\(id)\" dir=\"auto\">"))
        }
        func marks(doneAt moment: JSONValue) -> [JSONValue] {
            ["t1", "t2", "t3"].map {
                ["personId": .text(all[0]), "taskId": .text($0), "doneAt": moment]
            }
        }
        let seen = marks(doneAt: "2026-11-19T16:40:00.000Z")
        let later = try await browser(marks: seen).get("/handouts/h1/review")
        #expect(try listed(later) == [all[1]])
        #expect(later.text.contains("/handouts/h1/review/undo"))
        let one = try await browser(marks: Array(seen[..<2])).get("/handouts/h1/review")
        #expect(try listed(one) == all, "the third task was not looked at")
        let old = marks(doneAt: "2026-11-18T16:40:00.000Z")
        let again = try await browser(marks: old).get("/handouts/h1/review")
        #expect(try listed(again) == all, "it was done again since")
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
        let work = sent["work"]?.array ?? []
        #expect(work.map { $0["taskId"] } == ["t1", "t2", "t3", "t3"])
        #expect(work.allSatisfy { $0["doneAt"] == "2026-11-19T16:40:00.000Z" })
        #expect(Set(work.compactMap { $0["personId"]?.text }) == Set(form.ticked))
        #expect(sent["personIds"]?.array?.compactMap(\.text) == form.ticked)
        #expect(sent["tryAgain"] == (does == "again" ? true : nil))
        #expect(sent["note"] == (does == "looked" ? nil : "Well <done>"))
        #expect(sent["marks"] == (does == "looked" ? nil : true), "drafted marks go with it")
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
                    "toReview": [
                        [
                            "id": "h1", "title": "Fractions", "studentsToReview": 2,
                            "workDigest": "d1", "studentsWithNewComments": 1,
                        ], ["id": "h2", "title": "Talk alone", "studentsWithNewComments": 3],
                    ],
                    "dueThisWeek": [["id": "h1", "title": "Fractions"]],
                ]
            ), "GET /v1/me/insights": (200, ["classes": []]),
        ])
        let today = try await browser.get("/today")
        #expect(today.text.components(of: ">Fractions<") == 1, "a handout stands once")
        #expect(today.text.contains("New comments of 1 student"))
        #expect(today.text.contains("New comments of 3 students"))
        #expect(!today.text.contains("/handouts/h2/review/all"), "talk is read, not looked at")
        let form = try #require(SentForm(today.text, action: "/handouts/h1/review/all"))
        let done = try await browser.send(form, to: "/handouts/h1/review/all")
        #expect(done.location == "/today?looked=h1")
        #expect(
            browser.api.calls.last { $0.line == Self.mark }?.body
                == ["until": "2026-11-22T09:41:00.000Z", "digest": "d1"])
        let after = try await browser.get("/today?looked=h1")
        let undo = try #require(SentForm(after.text, action: "/handouts/h1/review/undo"))
        let undone = try await browser.send(undo, to: "/handouts/h1/review/undo")
        #expect(undone.location == "/today")
        #expect(browser.api.lines.contains("DELETE /v1/handouts/h1/reviewed"))
        browser.api.set(Self.mark, FakeAPI.problem(409, "work_changed"))
        let changed = try await browser.send(form, to: "/handouts/h1/review/all")
        #expect(changed.location == "/today", "something else was done than the page counted")
    }

    @Test func `who wrote something is listed, with a way to what it is`() async throws {
        let talks: JSONValue = [
            "items": [
                ["personId": "dan", "comments": 3, "newComments": 2],
                ["personId": "cleo", "comments": 1, "newComments": 0],
            ]
        ]
        let page = try await browser(["GET /v1/handouts/h1/comments": (200, talks)])
            .get("/handouts/h1/review")
        #expect(page.text.contains("2 new comments"))
        #expect(page.text.contains("href=\"/handouts/h1/students/dan\""))
        #expect(!page.text.contains("href=\"/handouts/h1/students/cleo\""))
    }
}

extension SentForm {
    /// The students whose boxes are ticked.
    fileprivate var ticked: [String] { items.filter { $0.0 == "who" }.map(\.1) }
}

extension String {
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
