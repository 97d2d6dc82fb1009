import JSONBytes
import Testing

@testable import Pages

/// What students see of themselves, and what was announced to them.
@Suite struct StudentScreens {
    private func student(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        StudentAnswers.browser(answers)
    }

    @Test func `my progress has a row for each task and sums of what is shown`() async throws {
        let browser = student()
        let page = try await browser.get("/progress")
        #expect(page.text.contains("href=\"/progress/h1\" dir=\"auto\">Fractions &lt;quiz&gt;</a>"))
        #expect(page.text.contains("6.5 of 10") && page.text.contains("27 min · 2 attempts"))
        // A link, such as the article, never reports.
        #expect(page.text.ranges(of: "Nothing reported yet").count == 1)
        #expect(page.text.contains("1 of 2") && page.text.contains("Overdue"))
        func asked() -> String? {
            browser.api.calls.last { $0.line == "GET /v1/me/report" }?.query
        }
        #expect(asked() == "from=2026-09-27")
        _ = try await browser.get("/progress?since=everything")
        #expect(asked() == "")
        let other = try await browser.get("/progress?class=other")
        #expect(other.text.contains("Nothing here yet") && !other.text.contains("6.5 of 10"))
    }

    @Test func `progress that is off is said`() async throws {
        let off: JSONValue = ["student": ["progressOff": true], "handouts": []]
        let page = try await student(["GET /v1/me/report": (200, off)]).get("/progress")
        #expect(page.text.contains("Progress off"))
    }

    @Test func `attempts show every answer in words`() async throws {
        func item(_ title: String, _ value: Bool, _ type: String) -> JSONValue {
            [
                "kind": "binary", "title": .text(title), "value": .bool(value),
                "valueType": .text(type),
            ]
        }
        let attempts: JSONValue = [
            "handout": ["id": "h1", "title": "First steps", "dueAt": .null],
            "student": ["progressOff": false],
            "tasks": [
                [
                    "taskId": "t1", "title": "Quiz", "late": false,
                    "attempts": [
                        [
                            "startedAt": "2026-11-18T16:00:00.000Z",
                            "stoppedAt": "2026-11-18T16:09:00.000Z", "durationSeconds": 540,
                            "progress": 0.5, "isFinal": true, "primaryItem": .null,
                            "additionalItems": [],
                        ],
                        [
                            "startedAt": "2026-11-19T16:21:00.000Z",
                            "stoppedAt": "2026-11-19T16:39:00.000Z", "durationSeconds": 1080,
                            "progress": 1.0, "isFinal": false,
                            "primaryItem": [
                                "kind": "quantity", "title": "Hints", "quantity": 2,
                            ],
                            "additionalItems": [
                                item("a", true, "correctIncorrect"),
                                item("b", false, "passFail"), item("c", false, "yesNo"),
                                item("d", true, "trueFalse"),
                            ],
                        ],
                    ],
                ]
            ], "nextPageToken": "more of it",
        ]
        let browser = student(["GET /v1/me/handouts/h1/attempts": (200, attempts)])
        let page = try await browser.get("/progress/h1")
        #expect(page.text.contains("Thu 19 Nov, 16:21 to 16:39") && page.text.contains("Latest"))
        #expect(page.text.contains("<bdi>Hints</bdi>: 2 · 100% · 18 min"))
        #expect(page.text.contains("5 answers and figures"))
        #expect(page.text.contains("<strong class=\"good\">Correct</strong>"))
        #expect(page.text.contains("<strong class=\"bad\">Not passed</strong>"))
        #expect(page.text.contains("<strong class=\"number\">No</strong>"))
        #expect(page.text.contains("<strong class=\"number\">True</strong>"))
        let newest = try #require(page.text.firstRange(of: "Thu 19 Nov"))
        let oldest = try #require(page.text.firstRange(of: "Wed 18 Nov"))
        #expect(newest.lowerBound < oldest.lowerBound)
        #expect(page.text.contains("href=\"/progress/h1?page=more%20of%20it\""))
    }

    // MARK: What is recorded

    @Test func `everything that is recorded stands on one page`() async throws {
        func recorded(_ id: String, since: JSONValue) -> JSONValue {
            [
                "id": .text(id),
                "handout": [
                    "id": "h1", "title": "First steps", "classId": "c1",
                    "className": "Biology & more",
                    "teachers": [["givenName": "Tom", "familyName": "Example"]],
                ],
                "recording": since.isNull
                    ? .null : ["since": since, "bundleId": "com.example.quiz"],
            ]
        }
        let browser = student([
            "GET /v1/me/assignments": (
                200,
                [
                    "items": [
                        recorded("t1", since: "2026-11-13T08:00:00.000Z"),
                        recorded("t2", since: "2026-11-10T08:00:00.000Z"),
                        recorded("t3", since: .null),
                    ]
                ]
            ),
            "GET /v1/me/viewings": (
                200,
                [
                    "items": [
                        [
                            "viewedOn": "2026-11-20", "workOf": "student",
                            "className": "Biology & more",
                            "reader": ["givenName": "Tom", "familyName": "<Example>"],
                        ],
                        [
                            "viewedOn": "2026-11-19", "workOf": "class",
                            "className": "Biology & more", "reader": .null,
                        ],
                        [
                            "viewedOn": "2026-11-18", "workOf": "class", "reader": .null,
                            "className": "Biology & more",
                            "system": ["id": "a1", "name": "Grade <book>"],
                        ],
                    ]
                ]
            ),
        ])
        let page = try await browser.get("/recorded")
        #expect(page.text.contains("For <strong><bdi>Tom Example</bdi></strong>"))
        #expect(
            page.text.contains(
                "<strong><bdi>Quiz &lt;zler&gt;</bdi></strong>, on 2 tasks, since Tue 10 Nov, 8:00")
        )
        // The app that is signed in, not this browser.
        #expect(page.text.contains("com.example.quiz&lt;b&gt;"))
        #expect(!page.text.contains("Firefox"))
        #expect(
            page.text.contains(
                "<strong><bdi>Tom &lt;Example&gt;</bdi></strong> looked at your work in "
                    + "<strong><bdi>Biology &amp; more</bdi></strong>"))
        #expect(
            page.text.contains("<strong>Someone whose data was deleted</strong> looked"))
        #expect(
            page.text.contains("<strong><bdi>Grade &lt;book&gt;</bdi></strong> looked at the work"))
        let ended = try await browser.post("/me/sessions/s2/end", [("to", "/recorded")])
        #expect(ended.status == 303 && ended.location == "/recorded")
        #expect(browser.api.lines.contains("DELETE /v1/me/sessions/s2"))
    }

    @Test func `where nothing is recorded nothing is listed`() async throws {
        let browser = student([
            "GET /v1/me/assignments": (200, ["items": []]),
            "GET /v1/me/sessions": (200, ["items": []]),
        ])
        let page = try await browser.get("/recorded")
        #expect(page.text.contains("Nothing is being recorded"))
        #expect(page.text.contains("No app is signed in for you."))
        #expect(page.text.contains("No one has looked at your work yet."))
    }

    @Test func `a session ends where the form came from only on this server`() async throws {
        let browser = student()
        _ = try await browser.get("/me/sign-in")
        for elsewhere in ["//evil.example", "https://evil.example/", "/\\evil.example", ""] {
            let ended = try await browser.post("/me/sessions/s2/end", [("to", elsewhere)])
            #expect(ended.location == "/me/sign-in", "\(elsewhere)")
        }
    }

    // MARK: Announcements

    @Test func `work begins with what the classes were announced lately`() async throws {
        func announcement(_ text: String, _ day: String, in id: String = "c1") -> JSONValue {
            [
                "text": .text(text), "classId": .text(id),
                "createdAt": .text("2026-11-\(day)T08:00:00.000Z"),
            ]
        }
        let browser = student([
            "GET /v1/announcements": (
                200,
                [
                    "items": [
                        announcement("oldest", "15"), announcement("middle", "17"),
                        announcement("Bring your <atlas>.", "20"), announcement("newer", "18"),
                        announcement("elsewhere", "19", in: "c2"),
                    ]
                ]
            ),
            "GET /v1/me/assignments": (
                200,
                [
                    "items": [
                        [
                            "id": "t1",
                            "handout": [
                                "id": "h1", "title": "T", "classId": "c1",
                                "className": "Biology",
                            ],
                        ]
                    ]
                ]
            ),
        ])
        let page = try await browser.get("/my-work")
        #expect(page.text.contains("Bring your &lt;atlas&gt;."))
        #expect(page.text.contains("<bdi>Biology</bdi> · Posted: Fri 20 Nov, 8:00"))
        #expect(page.text.contains("2 older announcements"))
        #expect(page.text.contains("href=\"/my-work/h1\""))
        let queries = browser.api.calls.map(\.query)
        #expect(queries.contains("updatedSince=2026-11-08T10:00:00.000Z&limit=200"))
        #expect(queries.contains("state=upcoming&order=due&limit=1000"))
        let ofClass = try await browser.get("/my-work?class=c2")
        #expect(ofClass.text.contains("elsewhere") && !ofClass.text.contains("oldest"))
    }
}
