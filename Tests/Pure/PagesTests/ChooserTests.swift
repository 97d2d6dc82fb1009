import JSONBytes
import Testing

@testable import Pages

@Suite struct ChoosingActivities {
    private static let unit: JSONValue = [
        "id": "x2", "bundleId": "org.quiz", "identifierPath": ["unit"], "title": "Ratios <unit>",
        "type": "chapter", "isAssignable": false, "hasChildren": true,
    ]
    private static let quiz: JSONValue = [
        "id": "x3", "bundleId": "org.quiz", "identifierPath": ["unit", "q"], "title": "Paint",
        "type": "custom", "customTypeName": "Riddle", "isAssignable": true, "hasChildren": false,
        "summary": "Mix <colours>.", "suggestedAge": [11, nil],
        "suggestedCompletionTime": [10, 15],
        "progressReportingCapabilities": [["kind": "score"], ["kind": "binary"]],
        "thumbnail": "/v1/catalog/contexts/x3/thumbnail",
    ]
    private static let added: JSONValue = [
        "id": "x4", "bundleId": "org.quiz", "identifierPath": ["unit", "a\"b"], "title": "Old",
        "type": "quiz", "isAssignable": true, "hasChildren": false,
    ]

    private func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        let own: [String: FakeAPI.Answer] = [
            "GET /v1/catalog/apps/org.quiz/contexts": (
                200, ["items": [Self.unit, Self.quiz, Self.added], "nextPageToken": "more"]
            ),
            "GET /v1/catalog/search": (200, ["items": [Self.quiz]]),
            "PATCH /v1/handouts/h1": (200, ["id": "h1"]),
        ]
        return TeacherBrowser.make(own.merging(answers) { _, new in new })
    }

    @Test func `the apps come first`() async throws {
        let page = try await browser().get("/handouts/h1/activities")
        #expect(page.text.contains("Quizzler") && page.text.contains("2 tasks in the handout"))
        #expect(!page.text.contains("value=\"org.quiz\""), "an app that is not assignable")
    }

    @Test func `one opens an app, and adds what it lets be assigned`() async throws {
        let browser = browser()
        let address = "/handouts/h1/activities?app=org.quiz&path=%5B%22unit%22%5D"
        let page = try await browser.get(address)
        #expect(page.text.contains("<h2 id=\"here\" dir=\"auto\">Ratios &lt;unit&gt;</h2>"))
        #expect(page.text.contains("Riddle") && page.text.contains("Mix &lt;colours&gt;."))
        #expect(page.text.contains("Age 11 and up · 10–15 min · reports score and right or wrong"))
        #expect(page.text.contains("src=\"/thumbnails/x3\""))
        #expect(page.text.contains("Open it to choose from what it contains"))
        #expect(page.text.ranges(of: "name=\"bundleId\"").count == 1, "only the one not added yet")
        #expect(page.text.contains("page=more"))
        let saved = try await browser.post(
            address, [("bundleId", "org.quiz"), ("path", "[\"unit\",\"q\"]")])
        #expect(saved.status == 303 && saved.location == address)
        let tasks = browser.api.body(of: "PATCH /v1/handouts/h1")?["tasks"]?.array
        #expect(tasks?.count == 3)
        #expect(
            tasks?.last == [
                "kind": "appActivity", "bundleId": "org.quiz", "identifierPath": ["unit", "q"],
            ])
    }

    @Test func `a search asks for words, and passes topic, age and time on`() async throws {
        let browser = browser()
        let page = try await browser.get(
            "/handouts/h1/activities?q=mix+it&topic=math&age=12&minutes=20")
        #expect(page.text.contains("Paint") && page.text.contains("In <bdi>Quizzler</bdi>"))
        let call = try #require(browser.api.calls.last { $0.line == "GET /v1/catalog/search" })
        #expect(call.encodedQuery == "q=mix%20it&limit=60&topic=math&age=12&minutesMax=20")
        let wordless = try await browser.get("/handouts/h1/activities?q=&topic=math")
        #expect(wordless.text.contains("Enter at least one word to search for"))
        #expect(browser.api.lines.count { $0 == "GET /v1/catalog/search" } == 1)
    }

    @Test func `another teacher's change at the same moment is no obstacle`() async throws {
        let browser = browser(["PATCH /v1/handouts/h1": FakeAPI.problem(412, "precondition_failed")]
        )
        _ = try await browser.get("/handouts/h1/activities")
        let page = try await browser.post(
            "/handouts/h1/activities", [("bundleId", "org.quiz"), ("path", "[]")])
        #expect(page.status == 412 && page.text.contains("Someone else has changed this handout"))
        #expect(browser.api.lines.count { $0 == "PATCH /v1/handouts/h1" } == 3)
    }

    @Test func `pictures come through this server`() async throws {
        let browser = browser(["GET /v1/catalog/contexts/x3/thumbnail": (200, ["a": "picture"])])
        let picture = try await browser.get("/thumbnails/x3")
        #expect(picture.status == 200 && picture.text == "{\"a\":\"picture\"}")
        #expect(try await browser.get("/thumbnails/x9").status == 404)
    }

    @Test func `a link is added with its name`() async throws {
        let browser = browser()
        _ = try await browser.get("/handouts/h1/link")
        let empty = try await browser.post("/handouts/h1/link", [("url", ""), ("name", "")])
        #expect(empty.status == 422 && empty.text.contains("href=\"#url\">Enter the whole address"))
        #expect(empty.text.contains("href=\"#name\">Give the link a name"))
        let saved = try await browser.post(
            "/handouts/h1/link", [("url", "https://example.org/a b"), ("name", "Look")])
        #expect(saved.location == "/handouts/h1/edit#tasks")
        #expect(
            browser.api.body(of: "PATCH /v1/handouts/h1")?["tasks"]?.array?.last == [
                "kind": "link", "url": "https://example.org/a b", "title": "Look",
            ])
    }

    @Test func `what the API says against a link is said at its address`() async throws {
        let browser = browser([
            "PATCH /v1/handouts/h1": (
                422, ["errors": [["pointer": "/tasks/2/url", "code": "not_a_link"]]]
            )
        ])
        _ = try await browser.get("/handouts/h1/link")
        let page = try await browser.post(
            "/handouts/h1/link", [("url", "example.org"), ("name", "Look")])
        #expect(page.status == 422 && page.text.contains("href=\"#url\">Enter the whole address"))
        #expect(page.text.contains("value=\"example.org\"") && page.text.contains("value=\"Look\""))
    }

    @Test func `time in an app is as long as one says, or open`() async throws {
        let browser = browser()
        let page = try await browser.get("/handouts/h1/time")
        #expect(page.text.contains("value=\"org.quiz\"") && page.text.contains("Quizzler"))
        #expect(!page.text.contains("type=\"radio\""), "nothing that could overrule the minutes")
        for (minutes, task) in [
            ("15", ["kind": "timedApp", "bundleId": "org.quiz", "minutes": 15]),
            ("", ["kind": "wholeApp", "bundleId": "org.quiz"]),
        ] as [(String, JSONValue)] {
            // A page from before may still send which of the two it was.
            let saved = try await browser.post(
                "/handouts/h1/time",
                [("app", "org.quiz"), ("kind", "whole"), ("minutes", minutes)])
            #expect(saved.status == 303)
            let tasks = browser.api.body(of: "PATCH /v1/handouts/h1")?["tasks"]?.array
            #expect(tasks?.last == task)
        }
        let wrong = try await browser.post(
            "/handouts/h1/time", [("app", "org.quiz"), ("minutes", "ten")])
        #expect(wrong.status == 422 && wrong.text.contains("href=\"#minutes\">Enter 1 to 1,440"))
    }
}
