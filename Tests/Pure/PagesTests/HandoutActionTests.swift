import JSONBytes
import Testing

@testable import Pages

@Suite struct ActionsOnHandouts {
    @Test(arguments: [
        ("lock", "PUT /v1/handouts/h1/lock", "published"),
        ("unlock", "DELETE /v1/handouts/h1/lock", "locked"),
        ("complete", "PUT /v1/handouts/h1/completion", "published"),
        ("archive", "PUT /v1/handouts/h1/archive", "completed"),
        ("unarchive", "DELETE /v1/handouts/h1/archive", "archived"),
        ("unschedule", "DELETE /v1/handouts/h1/publication", "scheduled"),
        ("unpublish", "DELETE /v1/handouts/h1/publication", "published"),
        ("unpublish", "DELETE /v1/handouts/h1/publication", "locked"),
        ("delete", "DELETE /v1/handouts/h1", "draft"),
    ])
    func `each asks first and then makes its call`(
        action: String, call: String, state: String
    ) async throws {
        let browser = TeacherBrowser.make([
            call: (200, ["id": "h1"]),
            "GET /v1/handouts/h1": (200, TeacherBrowser.handout(state: state)),
            "GET /v1/handouts": (200, ["items": [TeacherBrowser.handout(state: state)]]),
        ])
        let list = try await browser.get("/classes/c1")
        #expect(list.text.contains("href=\"/handouts/h1/\(action)?to=%2Fclasses%2Fc1\""))
        let question = try await browser.get("/handouts/h1/\(action)?to=%2Fclasses%2Fc1%3Fa")
        #expect(question.text.contains("Fractions &lt;1&gt;"))
        #expect(!browser.api.lines.contains(call), "asking changes nothing")
        let done = try await browser.post(
            "/handouts/h1/\(action)?to=%2Fclasses%2Fc1%3Fa", [("tag", "\"3\"")])
        let home = action == "delete" ? "/classes/c1" : "/classes/c1?a"
        #expect(done.status == 303 && done.location == home)
        #expect(browser.api.calls.first { $0.line == call }?.match == "\"3\"")
    }

    @Test(arguments: ["published", "scheduled"])
    func `only its author is offered to make it a draft again`(state: String) async throws {
        var foreign = try #require(TeacherBrowser.handout(state: state).object)
        foreign["authorId"] = "p2"
        let browser = TeacherBrowser.make([
            "GET /v1/handouts": (200, ["items": [.object(foreign)]])
        ])
        let list = try await browser.get("/classes/c1")
        #expect(list.text.contains("/handouts/h1/delete"))
        #expect(!list.text.contains("/handouts/h1/unpublish"))
        #expect(!list.text.contains("/handouts/h1/unschedule"))
    }

    @Test func `where a student has begun it, it is said why it stays`() async throws {
        let browser = TeacherBrowser.make([
            "GET /v1/handouts/h1": (200, TeacherBrowser.handout(state: "published")),
            "DELETE /v1/handouts/h1/publication": FakeAPI.problem(409, "already_begun"),
        ])
        let question = try await browser.get("/handouts/h1/unpublish")
        #expect(question.text.contains("until the first of them opens it"))
        let page = try await browser.post("/handouts/h1/unpublish", [("tag", "\"3\"")])
        #expect(page.status == 409 && page.text.contains("A student has begun this handout."))
    }

    @Test func `no way back leads to another server`() async throws {
        let browser = TeacherBrowser.make(["PUT /v1/handouts/h1/lock": (200, ["id": "h1"])])
        let page = try await browser.get("/handouts/h1/lock?to=%2F%2Fevil.example")
        #expect(!page.text.contains("href=\"//evil"))
        let done = try await browser.post("/handouts/h1/lock?to=%2F%2Fevil.example")
        #expect(done.location == "/classes/c1")
    }

    @Test func `what was changed meanwhile is asked about again`() async throws {
        let browser = TeacherBrowser.make([
            "DELETE /v1/handouts/h1": FakeAPI.problem(412, "precondition_failed")
        ])
        _ = try await browser.get("/handouts/h1/delete")
        let page = try await browser.post("/handouts/h1/delete", [("tag", "\"3\"")])
        #expect(page.status == 412 && page.text.contains("Someone else has changed this handout"))
    }

    @Test func `a copy goes to another class and is edited at once`() async throws {
        let browser = TeacherBrowser.make(["POST /v1/handouts/h1/copy": (201, ["id": "h9"])])
        let page = try await browser.get("/handouts/h1/copy")
        #expect(page.text.contains("value=\"c1\" checked") && page.text.contains("Science"))
        let done = try await browser.post(
            "/handouts/h1/copy", [("class", "c2"), ("title", "Fractions again")])
        #expect(done.location == "/handouts/h9/edit")
        #expect(
            browser.api.body(of: "POST /v1/handouts/h1/copy") == [
                "classId": "c2", "title": "Fractions again",
            ])
        let wrong = try await browser.post("/handouts/h1/copy", [("class", "c2"), ("title", "")])
        #expect(wrong.status == 422 && wrong.text.contains("href=\"#title\">Give the copy a title"))
        #expect(wrong.text.contains("value=\"c2\" checked"))
    }

    @Test func `a class that takes no more handouts says so`() async throws {
        let browser = TeacherBrowser.make([
            "POST /v1/handouts/h1/copy": FakeAPI.problem(409, "class_archived")
        ])
        _ = try await browser.get("/handouts/h1/copy")
        let page = try await browser.post("/handouts/h1/copy", [("class", "c2"), ("title", "x")])
        #expect(page.text.contains("The class is archived"))
        #expect(!page.text.contains("The API's own words"))
    }

    @Test func `a teacher's own handouts are there to copy`() async throws {
        var foreign = try #require(TeacherBrowser.handout(state: "published").object)
        foreign["authorId"] = "p2"
        foreign["title"] = "By a colleague"
        let browser = TeacherBrowser.make([
            "GET /v1/handouts": (
                200,
                ["items": [TeacherBrowser.handout(state: "completed"), .object(foreign)]]
            )
        ])
        let page = try await browser.get("/library")
        #expect(
            page.text.contains("Fractions &lt;1&gt;") && page.text.contains("Mathematics &lt;7&gt;")
        )
        #expect(page.text.contains("href=\"/handouts/h1/copy\""))
        #expect(!page.text.contains("By a colleague"))
        _ = try await browser.get("/library?state=archived")
        #expect(
            browser.api.calls.last { $0.line == "GET /v1/handouts" }?.query
                == "limit=100&state=archived")
    }
}
