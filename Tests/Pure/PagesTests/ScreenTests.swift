import JSONBytes
import Testing

@testable import Pages

/// Screens with made-up answers of the API.
@Suite struct ScreensShown {
    private func teacher(_ answers: [String: FakeAPI.Answer]) -> Browser {
        let me: [String: FakeAPI.Answer] = [
            "GET /v1/me": (200, FakeAPI.me(standings: ["teacher"])),
            "GET /v1/classes": (200, ["items": []]),
        ]
        let browser = Browser(FakeAPI(me.merging(answers) { _, new in new }))
        browser.signIn()
        return browser
    }

    @Test func `a class shows its handouts`() async throws {
        let browser = teacher([
            "GET /v1/classes/c1": (
                200, ["id": "c1", "name": "Mathematics", "number": "7A", "studentIds": ["a", "b"]]
            ),
            "GET /v1/handouts": (
                200,
                [
                    "items": [
                        [
                            "id": "h1", "title": "Fractions <first>", "state": "published",
                            "dueAt": "2026-11-20T16:00:00.000Z",
                            "publishAt": "2026-11-13T08:00:00.000Z", "recipients": "class",
                            "tasks": [["id": "t1"], ["id": "t2"], ["id": "t3"]],
                        ],
                        [
                            "id": "h2", "title": "Ratios", "state": "draft", "recipients": ["a"],
                            "tasks": [], "updatedAt": "2026-11-22T08:00:00.000Z",
                        ],
                    ], "nextPageToken": "next page",
                ]
            ),
        ])
        let page = try await browser.get("/classes/c1?state=&page=")
        #expect(page.text.contains("<h1 dir=\"auto\">Mathematics</h1>"))
        #expect(page.text.contains("<bdi>7A</bdi> · 2 students"))
        #expect(page.text.contains("Fractions &lt;first&gt;") && page.text.contains("3 tasks"))
        #expect(page.text.contains("Was due Fri 20 Nov, 16:00"))
        #expect(page.text.contains("Published Fri 13 Nov, 8:00 · everyone in the class"))
        #expect(page.text.contains("Only you see this draft.") && page.text.contains("No task yet"))
        #expect(page.text.contains("1 chosen student"))
        #expect(page.text.contains("href=\"/classes/c1?page=next%20page\""))
    }

    @Test func `a class without handouts says what to do`() async throws {
        let browser = teacher([
            "GET /v1/classes/c1": (200, ["id": "c1", "name": "Mathematics"]),
            "GET /v1/handouts": (200, ["items": []]),
        ])
        #expect(try await browser.get("/classes/c1").text.contains("No handouts here"))
    }

    private func assignment(
        _ id: String, of handout: String, due: JSONValue = .null, late: Bool = false,
        done: JSONValue = .null,
        opened: JSONValue = .null, returned: JSONValue = .null
    ) -> JSONValue {
        [
            "id": .text(id),
            "handout": [
                "id": .text(handout), "title": .text("Title of \(handout)"), "classId": "c1",
                "className": "Science <7>",
            ],
            "dueAt": due, "late": .bool(late), "completed": false, "doneAt": done,
            "openedAt": opened, "returned": returned,
        ]
    }

    @Test func `a student's work is one line for each handout, by due time`() async throws {
        let open: [JSONValue] = [
            assignment("t1", of: "later", due: "2026-12-11T16:00:00.000Z"),
            assignment("t2", of: "overdue", due: "2026-11-20T16:00:00.000Z", late: true),
            assignment(
                "t3", of: "overdue", due: "2026-11-20T16:00:00.000Z", late: true,
                returned: ["at": "2026-11-21T08:00:00.000Z", "tryAgain": true]),
            assignment("t4", of: "undated", opened: "2026-11-21T08:00:00.000Z"),
            assignment("t5", of: "today", due: "2026-11-22T20:00:00.000Z"),
        ]
        let done: [JSONValue] = [
            assignment(
                "t6", of: "overdue", due: "2026-11-20T16:00:00.000Z",
                done: "2026-11-19T16:00:00.000Z"),
            assignment("t7", of: "finished", late: true, done: "2026-11-19T16:00:00.000Z"),
        ]
        let browser = Browser(
            FakeAPI([
                "GET /v1/me/assignments": (200, ["items": .array(open + done)])
            ]))
        browser.signIn()
        let page = try await browser.get("/my-work")
        // The fake answers both calls with all of them, as with an assignment that is done in between.
        let order = ["overdue", "today", "later", "undated", "finished"].map {
            page.text.firstRange(of: "Title of \($0)")?.lowerBound
        }
        #expect(order.allSatisfy { $0 != nil })
        #expect(order.compactMap { $0 } == order.compactMap { $0 }.sorted())
        #expect(page.text.ranges(of: "Title of overdue").count == 1)
        #expect(page.text.contains("1 of 3 tasks done"))
        #expect(page.text.contains("Try again") && page.text.contains("Today, 20:00"))
        #expect(page.text.contains("Science &lt;7&gt;"))
        #expect(page.text.contains("Done Thu 19 Nov"))
    }

    @Test func `a student who is done reads so`() async throws {
        let browser = Browser(FakeAPI(["GET /v1/me/assignments": (200, ["items": []])]))
        browser.signIn()
        #expect(try await browser.get("/my-work").text.contains("You are done with everything."))
    }
}
