import JSONBytes
import Testing

@testable import Pages

/// The page of what is new, with made-up answers of the API.
@Suite struct NewsScreens {
    private static func item(
        _ kind: String, _ more: [(String, JSONValue)] = [], unseen: Bool = true
    ) -> JSONValue {
        let own: [(String, JSONValue)] = [
            ("id", .text(kind)), ("kind", .text(kind)), ("at", "2026-11-22T08:00:00.000Z"),
            ("unseen", .bool(unseen)), ("classId", "c1"), ("className", "Science <7>"),
            ("handoutId", "h1"), ("handoutTitle", "Quiz <1>"), ("students", []),
        ]
        return .object(JSONObject(own.filter { o in !more.contains { $0.0 == o.0 } } + more))
    }

    private static func person(_ given: String, _ family: String, _ order: String = "givenFirst")
        -> JSONValue
    {
        [
            "personId": "p", "givenName": .text(given), "familyName": .text(family),
            "nameOrder": .text(order),
        ]
    }

    private static let items: [JSONValue] = [
        item("finished", [("studentCount", 7)]), item("allFinished", [("studentCount", 24)]),
        item("doneAgain", [("studentCount", 1)]),
        item("posted", [("author", person("花子", "田中", "familyFirst"))]),
        item("scheduledPosted", unseen: false),
        item(
            "joined",
            [
                ("studentCount", 5),
                ("students", [person("Ben", "I<to>"), person("Anna", "Nagy", "familyFirst")]),
            ]),
        item(
            "announcement",
            [("author", person("Cora", "Lee")), ("excerpt", "Bring <b>your</b> atlas")]),
        item("of a later version"),
    ]

    private func browser(_ items: [JSONValue] = NewsScreens.items, next: JSONValue? = nil)
        -> Browser
    {
        var page = JSONObject([("items", .array(items))])
        if let next { page["nextPageToken"] = next }
        return teacherBrowser([
            "GET /v1/me/news": (200, .object(page)),
            "GET /v1/me/news/seen": (200, ["position": .null, "unseenCount": 6]),
            "PUT /v1/me/news/seen": (200, ["position": .null, "unseenCount": 0]),
            "GET /v1/me/overview": (200, ["dueThisWeek": [], "late": [], "toReview": []]),
            "GET /v1/me/insights": (200, ["classes": []]),
        ])
    }

    @Test func `what happened is told in sentences that lead there`() async throws {
        let page = try await browser().get("/news")
        for words in [
            "<strong>7 students</strong> finished <bdi>Quiz &lt;1&gt;</bdi>",
            "<strong>Everyone</strong> finished", "<strong>1 student</strong> did",
            "<bdi>田中花子</bdi> posted <bdi>Quiz &lt;1&gt;</bdi>", "was posted as scheduled",
            "<bdi>Ben I&lt;to&gt;</bdi>, <bdi>Nagy Anna</bdi> and 3 more joined the class",
            "<bdi>Cora Lee</bdi> announced: <bdi>Bring &lt;b&gt;your&lt;/b&gt; atlas</bdi>",
            "href=\"/handouts/h1\"", "href=\"/classes/c1/roster\"",
            "href=\"/classes/c1/announcements\"",
        ] {
            #expect(page.text.contains(words), "\(words)")
        }
        #expect(page.text.split(separator: "<li><span class=\"chip").count - 1 == 7)
    }

    @Test func `the navigation says how much is unseen, on every page`() async throws {
        let browser = browser()
        for path in ["/news", "/today"] {
            let page = try await browser.get(path)
            #expect(page.text.contains("<span class=\"count tag tag-info\">6 new</span>"))
        }
        let broken = teacherBrowser([
            "GET /v1/me/news/seen": FakeAPI.problem(500, "internal"),
            "GET /v1/me/overview": (200, ["dueThisWeek": [], "late": [], "toReview": []]),
            "GET /v1/me/insights": (200, ["classes": []]),
        ])
        let page = try await broken.get("/today")
        #expect(page.status == 200 && !page.text.contains("class=\"count"))
    }

    @Test func `a button marks what was shown as seen`() async throws {
        let browser = browser()
        #expect(try await browser.get("/news").text.contains("Mark all as seen"))
        let marked = try await browser.post("/news", [("position", "2026-11-22T08:00:00.000Z")])
        #expect(marked.location == "/news")
        #expect(
            browser.api.body(of: "PUT /v1/me/news/seen") == [
                "position": "2026-11-22T08:00:00.000Z"
            ])
        let seen = self.browser([Self.item("finished", [("studentCount", 2)], unseen: false)])
        #expect(!(try await seen.get("/news").text.contains("Mark all as seen")))
        let later = self.browser(next: "more")
        let first = try await later.get("/news")
        #expect(first.text.contains("href=\"/news?page=more"))
        #expect(!(try await later.get("/news?page=more").text.contains("Mark all as seen")))
    }

    @Test func `no news reads so, and is for teachers`() async throws {
        #expect(try await browser([]).get("/news").text.contains("Nothing is new"))
        let student = Browser(FakeAPI([:]))
        student.signIn()
        #expect(!(try await student.get("/me/language").text.contains("href=\"/news\"")))
    }
}
