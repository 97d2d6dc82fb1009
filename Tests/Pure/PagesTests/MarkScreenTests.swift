import Contract
import JSONBytes
import Testing
import Values

@testable import Pages

/// Marks on the pages of a teacher and of a student.
@Suite struct MarkScreens {
    private static let page = "/handouts/h1/students/ada"
    private static let action = "\(page)/marks"
    private static let marks = "GET /v1\(page)/marks"
    private static let draft = "PUT /v1\(page)/mark/draft"
    private static let taskDraft = "PUT /v1\(page)/tasks/t1/mark/draft"
    private static let returns = "POST /v1/handouts/h1/returns"

    private static func work(
        _ task: String?, _ maximum: Double?, given: Double? = nil, drafted: Double? = nil
    ) -> Document<MarkedWork> {
        Document {
            $0.personId = "ada"
            $0.taskId = task
            $0.maximum = maximum
            $0.mark = given.map { points in
                Document {
                    $0.points = points
                    $0.maximum = 20
                    $0.givenAt = Timestamp("2026-11-21T09:12:00.000Z") ?? Timestamp(milliseconds: 0)
                    $0.revision = 3
                }
            }
            $0.draft = drafted.map { points in
                Document {
                    $0.points = points
                    $0.replaces = given == nil ? 0 : 3
                    $0.updatedAt = Timestamp(milliseconds: 0)
                }
            }
        }
    }

    private func browser(_ works: [Document<MarkedWork>], done: String = "t1") -> Browser {
        var all = MadeUpReport.answers
        let task: JSONValue = [
            "taskId": .text(done), "title": "Quiz", "attempts": [],
            "doneAt": "2026-11-20T08:00:00.000Z",
        ]
        let student: JSONValue = ["personId": "ada", "givenName": "Ada", "familyName": "Abel"]
        all["GET /v1\(Self.page)"] = (200, ["student": student, "tasks": [task]])
        all["GET /v1\(Self.page)/comments"] = (200, ["items": []])
        all[Self.marks] = FakeAPI.answer(ListPage(works))
        for call in [Self.draft, Self.taskDraft] { all[call] = (200, .null) }
        all[Self.returns] = (200, ["students": 1])
        for call in ["mark", "mark/draft"] { all["DELETE /v1\(Self.page)/\(call)"] = (204, .null) }
        return teacherBrowser(all)
    }

    private func form(_ browser: Browser) async throws -> SentForm {
        try #require(SentForm(await browser.get(Self.page).text, action: Self.action))
    }

    @Test func `what is typed is drafted, and given with the note`() async throws {
        let browser = browser([Self.work(nil, 20), Self.work("t1", 2.5)])
        let sent = try await browser.send(
            try await form(browser).with("points-all", "13,5").with("points-t1", "2")
                .with("note", "Well <done>").with("does", "give"), to: Self.action)
        #expect(sent.status == 303)
        #expect(browser.api.body(of: Self.draft) == ["points": 13.5, "replaces": 0])
        #expect(browser.api.body(of: Self.taskDraft) == ["points": 2.0, "replaces": 0])
        let body = try #require(browser.api.body(of: Self.returns))
        #expect(body["marks"] == true && body["note"] == "Well <done>")
        #expect(body["personIds"] == ["ada"])
        #expect(body["work"]?.array?.map { $0["taskId"] } == ["t1"])
    }

    @Test func `a draft is saved without giving anything, and what stays is not sent again`()
        async throws
    {
        let browser = browser([Self.work(nil, 20, given: 12, drafted: 13), Self.work("t1", 5)])
        let page = try await browser.get(Self.page)
        #expect(page.text.contains("value=\"13\"") && page.text.contains("Mark: 12 of 20 points"))
        let form = try await form(browser)
        let same = try await browser.send(form.with("does", "save"), to: Self.action)
        #expect(same.location == Self.page)
        #expect(!browser.api.lines.contains { $0.hasPrefix("P") && $0.contains("mark") })
        let other = try await browser.send(
            form.with("points-all", "14").with("does", "save"), to: Self.action)
        #expect(other.status == 303)
        #expect(browser.api.body(of: Self.draft) == ["points": 14.0, "replaces": 3])
        #expect(!browser.api.lines.contains(Self.returns))
    }

    @Test(arguments: [("", "DELETE", "mark/draft", 13.0), ("", "DELETE", "mark", nil)])
    func `an emptied field discards the draft, or takes the mark away`(
        typed: String, method: String, call: String, drafted: Double?
    ) async throws {
        let browser = browser([Self.work(nil, 20, given: 12, drafted: drafted)])
        _ = try await browser.send(
            try await form(browser).with("points-all", typed).with("does", "give"),
            to: Self.action)
        #expect(browser.api.lines.contains("\(method) /v1\(Self.page)/\(call)"))
    }

    @Test(arguments: [
        ("ten", "Enter a number with at most two decimal places"),
        ("1.234", "Enter a number with at most two decimal places"),
        ("20.5", "Enter at most 20 points"),
    ])
    func `what cannot be a mark is said, and what was typed stays`(typed: String, says: String)
        async throws
    {
        let browser = browser([Self.work(nil, 20)])
        let refused = try await browser.send(
            try await form(browser).with("points-all", typed).with("note", "Mine")
                .with("does", "give"), to: Self.action)
        #expect(refused.status == 422 && refused.text.contains(says))
        #expect(refused.text.contains("value=\"\(typed)\"") && refused.text.contains("Mine"))
        #expect(!browser.api.lines.contains(Self.returns))
    }

    @Test func `a mark that was not given is said, and kept`() async throws {
        let browser = browser([Self.work(nil, 20, given: 18, drafted: 13)])
        let kept = try await browser.send(
            try await form(browser).with("does", "give"), to: Self.action)
        #expect(kept.status == 422 && kept.text.contains("Yours is kept as a draft."))
        #expect(kept.text.contains("Mark: 18 of 20 points"))
    }

    @Test func `the student sees what was given`() async throws {
        let call = "GET /v1/handouts/h1/students/p1/marks"
        let given = [Self.work(nil, 20, given: 12.5), Self.work("t1", 20, given: 2)]
        let page = try await StudentAnswers.browser([call: FakeAPI.answer(ListPage(given))])
            .get("/my-work/h1")
        #expect(page.text.contains("Mark: 12.5 of 20 points"))
        #expect(page.text.contains("Mark: 2 of 20 points"))
        let none = try await StudentAnswers.browser([
            call: FakeAPI.answer(ListPage([Self.work(nil, 20)]))
        ])
        .get("/my-work/h1")
        #expect(!none.text.contains("Mark:"))
    }
}
