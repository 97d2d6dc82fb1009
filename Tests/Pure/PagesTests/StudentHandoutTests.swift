import JSONBytes
import Testing

@testable import Pages

/// What students see of their handouts.
@Suite struct StudentHandouts {
    private func student(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        StudentAnswers.browser(answers)
    }

    @Test func `a handout says for whom, since when and by which app progress is recorded`()
        async throws
    {
        let page = try await student().get("/my-work/h1")
        #expect(page.status == 200)
        #expect(page.text.contains("<h1 dir=\"auto\">First steps</h1>"))
        #expect(
            page.text.contains(
                "For <strong><bdi>Tom Example</bdi> and <bdi>Ann O&#39;Hara</bdi></strong> "
                    + "(<bdi>Biology &amp; more</bdi>), since Fri 13 Nov, 8:00, by "
                    + "<strong><bdi>Quiz &lt;zler&gt;</bdi></strong>"))
        #expect(
            page.text.contains("<p class=\"reading\" dir=\"auto\">Read this.<br>Then do it.</p>"))
        #expect(
            page.text.contains("Was due Fri 20 Nov, 16:00") && page.text.contains("1 of 3 done"))
    }

    @Test func `each task shows its figures, what was returned and its buttons`() async throws {
        let page = try await student().get("/my-work/h1")
        #expect(page.text.contains("Your latest: <strong>6.5 of 10</strong> · 100% · 27 min"))
        #expect(page.text.contains("2 attempts") && page.text.contains("href=\"/progress/h1\""))
        #expect(page.text.contains("Your teacher asks you to try again."))
        #expect(page.text.contains("“Look at &lt;two&gt;.”"))
        #expect(page.text.contains("Returned: Sat 21 Nov, 8:00"))
        #expect(page.text.contains("10 minutes in <bdi>com.example.other</bdi>"))
        #expect(page.text.contains("Link to <bdi>news.example:8443</bdi>"))
        #expect(page.text.contains("aria-label=\"Mark as done: Article\""))
        #expect(page.text.contains("aria-label=\"Not done after all: Practice\""))
        #expect(page.text.contains("action=\"/my-work/h1/tasks/t1/opened\""))
        #expect(page.text.ranges(of: "src=\"/thumbnails/").count == 1)
        #expect(page.text.contains("src=\"/thumbnails/x7\" alt=\"\""))
    }

    @Test func `figures are asked for the moment of publication`() async throws {
        let browser = student()
        _ = try await browser.get("/my-work/h1")
        let queries = browser.api.calls.filter { $0.line == "GET /v1/me/report" }.map(\.query)
        #expect(queries == ["from=2026-11-13T07:00:00.250Z&to=2026-11-13T07:00:00.251Z"])
    }

    @Test func `where nothing is recorded the page says so`() async throws {
        let browser = student([
            "GET /v1/me/handouts/h1": (200, StudentAnswers.handout(recording: .null))
        ])
        let page = try await browser.get("/my-work/h1")
        #expect(page.text.contains("Nothing is recorded"))
        #expect(!page.text.contains("Your progress is recorded"))
    }

    @Test(arguments: [
        (true, false, "This handout is locked."), (false, true, "This handout is completed."),
        (true, true, "This handout is completed."),
    ])
    func `a closed handout offers nothing to mark`(locked: Bool, completed: Bool, note: String)
        async throws
    {
        let handout = StudentAnswers.handout(locked: locked, completed: completed, recording: .null)
        let page = try await student(["GET /v1/me/handouts/h1": (200, handout)]).get("/my-work/h1")
        #expect(page.text.contains(note))
        #expect(!page.text.contains("/done\"") && !page.text.contains("/undone\""))
        #expect(page.text.contains("/tasks/t1/opened\""))
        #expect(!page.text.contains("Overdue") && !page.text.contains("Nothing is recorded"))
    }

    @Test func `a task is marked as done and not done`() async throws {
        let browser = student([
            "PUT /v1/assignments/t1/done": (200, [:]),
            "DELETE /v1/assignments/t2/done": (200, [:]),
        ])
        _ = try await browser.get("/my-work/h1")
        let done = try await browser.post("/my-work/h1/tasks/t1/done")
        #expect(done.status == 303 && done.location == "/my-work/h1")
        #expect(try await browser.get("/my-work/h1").text.contains("It is marked as done."))
        let undone = try await browser.post("/my-work/h1/tasks/t2/undone")
        #expect(undone.status == 303 && undone.location == "/my-work/h1")
        #expect(
            try await browser.get("/my-work/h1").text.contains("It is no longer marked as done."))
        #expect(browser.api.lines.contains("PUT /v1/assignments/t1/done"))
        #expect(browser.api.lines.contains("DELETE /v1/assignments/t2/done"))
    }

    @Test func `a handout that was locked in the meantime takes no mark`() async throws {
        let browser = student([
            "PUT /v1/assignments/t1/done": FakeAPI.problem(409, "handout_locked")
        ])
        _ = try await browser.get("/my-work/h1")
        let answer = try await browser.post("/my-work/h1/tasks/t1/done")
        #expect(answer.status == 303 && answer.location == "/my-work/h1")
        #expect(!(try await browser.get("/my-work/h1").text.contains("It is marked as done.")))
    }

    @Test func `a handout of someone else is not there`() async throws {
        let page = try await student().get("/my-work/h2")
        #expect(page.status == 404 && page.text.contains("Nothing to see here"))
    }

    // MARK: Before an app opens

    @Test func `opening a task notes it and says what the app records`() async throws {
        let browser = student(["PUT /v1/assignments/t1/opened": (200, [:])])
        _ = try await browser.get("/my-work/h1")
        let opened = try await browser.post("/my-work/h1/tasks/t1/opened")
        #expect(opened.status == 303 && opened.location == "/my-work/h1/tasks/t1")
        #expect(browser.api.lines.contains("PUT /v1/assignments/t1/opened"))
        let page = try await browser.get("/my-work/h1/tasks/t1")
        #expect(
            page.text.contains(
                "since Fri 13 Nov, 8:00, by the app <strong><bdi>Quiz &lt;zler&gt;</bdi></strong>.")
        )
        #expect(page.text.contains("href=\"https://quiz.example/fractions\" rel=\"noreferrer\""))
        #expect(page.text.contains("Your school has <bdi>Quiz &lt;zler&gt;</bdi> for you."))
        #expect(page.text.contains("You need version <bdi>2.1</bdi>"))
    }

    @Test func `without a link the page says how to get there`() async throws {
        let page = try await student().get("/my-work/h1/tasks/t2")
        #expect(page.text.contains("Work in the app for 10 minutes."))
        #expect(page.text.contains("and go to “<bdi>Practice</bdi>”."))
        #expect(page.text.contains("If you do not have <bdi>com.example.other</bdi>"))
        #expect(page.text.contains("Your teachers do not see what you do in the app."))
    }

    @Test func `a link says where it leads`() async throws {
        let page = try await student().get("/my-work/h1/tasks/t3")
        #expect(page.text.contains("This link leads to <bdi>news.example:8443</bdi>."))
        #expect(page.text.contains("href=\"https://reader@news.example:8443/a?b\""))
    }

    @Test func `a task that is not in the handout is not there`() async throws {
        #expect(try await student().get("/my-work/h1/tasks/t9").status == 404)
    }
}
