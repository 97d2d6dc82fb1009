import JSONBytes
import Testing

@testable import Pages

/// The other pages that teachers read, with made-up answers of the API.
@Suite struct TeacherScreens {
    private func entry(_ id: String, due: JSONValue = .null) -> JSONValue {
        [
            "id": .text(id), "title": .text("Title of <\(id)>"), "classId": "c1",
            "className": "Science <7>", "dueAt": due, "locked": false,
            "counts": ["assigned": 24, "done": 7, "late": 5, "overdue": 3], "studentsToReview": 2,
            "lastDoneAt": "2026-11-22T08:00:00.000Z",
        ]
    }

    @Test func `today is where a teacher starts, in three parts, with insights below`() async throws
    {
        let browser = teacherBrowser([
            "GET /v1/me/overview": (
                200,
                [
                    "dueThisWeek": [entry("soon", due: "2026-11-23T16:00:00.000Z")],
                    "late": [entry("past", due: "2026-11-20T16:00:00.000Z")],
                    "toReview": [entry("new")],
                ]
            ),
            "GET /v1/me/insights": (
                200,
                [
                    "classes": [
                        [
                            "id": "c1", "name": "Science <7>", "nothingDone": 1, "fellBehind": 3,
                            "spedUp": 0,
                        ]
                    ]
                ]
            ),
        ])
        #expect(try await browser.get("/").location == "/today")
        let page = try await browser.get("/today")
        #expect(page.text.contains("href=\"/today\" aria-current=\"page\""))
        for path in ["soon", "past", "new/review"] {
            let id = path.prefix { $0 != "/" }
            #expect(
                page.text.contains(
                    "href=\"/handouts/\(path)\" dir=\"auto\">Title of &lt;\(id)&gt;"))
        }
        #expect(page.text.contains("7 of 24 done") && page.text.contains("3 overdue"))
        #expect(page.text.contains("2 students to review"))
        #expect(page.text.contains("Latest work: Today, 8:00"))
        #expect(page.text.contains("Was due Fri 20 Nov, 16:00"))
        #expect(page.text.contains("href=\"/classes/c1/insights\" dir=\"auto\">Science &lt;7&gt;"))
        #expect(page.text.contains("1 student did nothing<"))
        #expect(page.text.contains("3 students fell behind") && !page.text.contains("did more"))
        #expect(browser.api.lines.count { $0.hasPrefix("GET /v1/handouts") } == 0)
    }

    @Test func `nothing to do today reads so`() async throws {
        let browser = teacherBrowser([
            "GET /v1/me/overview": (200, ["dueThisWeek": [], "late": [], "toReview": []]),
            "GET /v1/me/insights": (200, ["classes": []]),
        ])
        #expect(try await browser.get("/today").text.contains("Nothing needs you now"))
    }

    @Test func `a class counts who is done, and sorts by due time`() async throws {
        let browser = teacherBrowser([
            "GET /v1/handouts": (
                200,
                [
                    "items": [
                        [
                            "id": "h1", "title": "Out", "state": "locked", "tasks": [],
                            "counts": ["assigned": 24, "done": 12, "late": 4, "overdue": 2],
                        ], ["id": "h2", "title": "Draft", "state": "draft", "tasks": []],
                    ], "nextPageToken": "more",
                ]
            )
        ])
        let page = try await browser.get("/classes/c1?order=due&state=locked")
        #expect(page.text.contains("12 of 24 done") && page.text.contains("2 overdue"))
        #expect(page.text.contains("<progress value=\"50\" max=\"100\""))
        #expect(page.text.contains("href=\"/handouts/h1\""))
        #expect(!page.text.contains("href=\"/handouts/h2\""))
        #expect(page.text.contains("href=\"/classes/c1?state=locked&amp;order=due&amp;page=more\""))
        #expect(page.text.contains("<option value=\"due\" selected>"))
        #expect(page.text.contains("href=\"/classes/c1/progress\""))
        #expect(
            browser.api.targets.contains(
                "/v1/handouts?classId=c1&limit=60&counts=true&state=locked&order=due"))
    }

    private static let attempts: JSONValue = [
        "handout": ["id": "h1", "title": "Fractions"],
        "student": [
            "personId": "ben", "givenName": "Ben", "familyName": "Ito", "progressOff": false,
        ],
        "tasks": [
            [
                "taskId": "t1", "title": "Quiz", "openedAt": "2026-11-17T15:02:00.000Z",
                "late": false,
                "returned": [
                    "at": "2026-11-22T09:12:00.000Z", "note": "Look <again>", "tryAgain": true,
                ],
                "attempts": [
                    [
                        "startedAt": "2026-11-17T15:03:00.000Z",
                        "stoppedAt": "2026-11-17T15:12:00.000Z", "durationSeconds": 540,
                        "progress": 0.7, "isFinal": true, "primaryItem": MadeUpReport.score(4),
                        "additionalItems": [],
                    ],
                    [
                        "startedAt": "2026-11-19T16:21:00.000Z", "stoppedAt": nil,
                        "durationSeconds": 1080, "progress": 1, "isFinal": false,
                        "primaryItem": MadeUpReport.score(6),
                        "additionalItems": [
                            [
                                "kind": "binary", "identifier": "a", "title": "½ + ¼ <b>",
                                "value": false, "valueType": "correctIncorrect",
                            ],
                            [
                                "kind": "binary", "identifier": "b", "title": "Hints used",
                                "value": false, "valueType": "yesNo",
                            ],
                            [
                                "kind": "quantity", "identifier": "c", "title": "Hints",
                                "quantity": 2.5,
                            ],
                        ],
                    ],
                ],
            ], ["taskId": "t2", "title": "Check", "late": true, "attempts": []],
        ], "notes": [], "nextPageToken": "more attempts",
    ]

    @Test func `a student's attempts stand with every item in words`() async throws {
        let browser = teacherBrowser(
            MadeUpReport.answers.merging([
                "GET /v1/handouts/h1/students/ben": (200, Self.attempts)
            ]) { _, new in new })
        let text = try await browser.get("/handouts/h1/students/ben").text
        #expect(text.contains("<h1 dir=\"auto\">Ben Ito</h1>"))
        #expect(text.contains("rel=\"prev\" href=\"/handouts/h1/students/ada\""))
        #expect(text.contains("rel=\"next\" href=\"/handouts/h1/students/cleo\""))
        #expect(text.contains("Next: <bdi>Cleo Jung</bdi>"))
        let latest = try #require(text.firstRange(of: "Attempt 2 <span"))
        let first = try #require(text.firstRange(of: "Attempt 1 </h3>"))
        #expect(latest.lowerBound < first.lowerBound, "the latest comes first")
        #expect(text.contains("Thu 19 Nov, 16:21, still running"))
        #expect(text.contains("Tue 17 Nov, 15:03 to 15:12") && text.contains("70% · 9 min"))
        #expect(text.contains("6 of 10") && text.contains("3 answers and figures"))
        #expect(text.contains("½ + ¼ &lt;b&gt;") && text.contains("bad strong number\">Incorrect<"))
        #expect(text.contains("<span class=\"strong number\">No<"), "a no is no mistake")
        #expect(text.contains("<span class=\"strong number\">2.5<"))
        #expect(text.contains("Returned with “Try again”: Today, 9:12"))
        #expect(text.contains("Look &lt;again&gt;") && text.contains("Nothing reported yet"))
        #expect(text.contains("href=\"/handouts/h1/students/ben?page=more%20attempts\""))
        let later = try await browser.get("/handouts/h1/students/ben?page=x").text
        #expect(!later.contains("Attempt 1"), "numbers would be wrong on a later page")
    }

    private func reported(
        _ id: String, _ kind: String, missed: JSONValue, of students: Int64, share: JSONValue,
        average: JSONValue, cells: [JSONValue]
    ) -> JSONValue {
        [
            "identifier": .text(id), "title": .text("Item <\(id)>"), "kind": .text(kind),
            "mixedKinds": false, "isPrimary": false,
            "studentsWithItem": .number(JSONNumber(students)),
            "studentsMissed": missed, "missedShare": share, "classAverage": average,
            "students": .array(cells),
        ]
    }

    private func cell(_ name: String, missed: Bool, _ item: JSONValue) -> JSONValue {
        [
            "personId": .text(name), "givenName": .text(name), "familyName": "Ito",
            "missed": .bool(missed), "item": item,
        ]
    }

    private func answer(_ value: Bool, _ pair: String) -> JSONValue {
        ["kind": "binary", "title": "x", "value": .bool(value), "valueType": .text(pair)]
    }

    @Test func `questions are sorted by who missed them, figures stand apart`() async throws {
        let items: [JSONValue] = [
            reported(
                "easy", "binary", missed: 0, of: 2, share: 0, average: ["positiveShare": 1],
                cells: [cell("Ada", missed: false, answer(true, "correctIncorrect"))]),
            reported(
                "hard", "binary", missed: 1, of: 2, share: 0.5, average: ["positiveShare": 0.5],
                cells: [
                    cell("Ada", missed: true, answer(false, "correctIncorrect")),
                    cell("Ben", missed: false, answer(true, "correctIncorrect")),
                ]),
            reported(
                "hints", "quantity", missed: .null, of: 2, share: .null, average: ["quantity": 1.5],
                cells: [
                    cell("Ada", missed: false, ["kind": "quantity", "quantity": 0]),
                    cell("Ben", missed: false, ["kind": "quantity", "quantity": 3]),
                ]),
            reported(
                "used", "binary", missed: .null, of: 2, share: .null,
                average: ["positiveShare": 0.5],
                cells: [
                    cell("Ada", missed: false, answer(true, "yesNo")),
                    cell("Ben", missed: false, answer(false, "yesNo")),
                ]),
        ]
        let browser = teacherBrowser(
            MadeUpReport.answers.merging([
                "GET /v1/handouts/h1/tasks/t1/items": (
                    200,
                    [
                        "handout": ["id": "h1", "title": "Fractions"],
                        "task": ["taskId": "t1", "title": "Quiz"], "studentsWithData": 2,
                        "missedMost": "hard", "items": .array(items), "notes": [],
                    ]
                )
            ]) { _, new in new })
        let text = try await browser.get("/handouts/h1/tasks/t1/items").text
        #expect(text.contains("<strong>Missed most: <bdi>Item &lt;hard&gt;</bdi>.</strong> 1 of 2"))
        #expect(text.contains("<strong>1</strong> of 2 missed it") && text.contains("50% correct"))
        let rows = text.matches(of: /<th scope="row" dir="auto">Item &lt;([a-z]+)/)
        #expect(rows.map { String($0.1) } == ["hard", "easy", "hints", "used"])
        #expect(text.contains("<li dir=\"auto\">Ada Ito</li>"))
        #expect(text.contains("1.5 on average, 0 to 3") && text.contains("Yes: 1 · No: 1"))
        #expect(text.contains("href=\"/handouts/h1/tasks/t1/items.csv\""))
    }

    @Test func `the total beside questions is the result, above them`() async throws {
        func item(_ id: String, primary: Bool, share: JSONValue, score: Double) -> JSONValue {
            [
                "identifier": .text(id), "title": .text("Item <\(id)>"),
                "isPrimary": .bool(primary),
                "kind": "score", "studentsWithItem": 2, "studentsMissed": 0, "missedShare": share,
                "classAverage": ["score": .number(JSONNumber(score)!)], "students": [],
            ]
        }
        func page(_ items: [JSONValue]) async throws -> String {
            try await teacherBrowser(
                MadeUpReport.answers.merging([
                    "GET /v1/handouts/h1/tasks/t1/items": (
                        200,
                        [
                            "handout": ["id": "h1", "title": "Fractions"],
                            "task": ["taskId": "t1", "title": "Quiz"], "studentsWithData": 2,
                            "missedMost": nil, "items": .array(items), "notes": [],
                        ]
                    )
                ]) { $1 }
            ).get("/handouts/h1/tasks/t1/items").text
        }
        let question = item("q", primary: false, share: 0, score: 0.5)
        let total = item("total", primary: true, share: .null, score: 0.25)
        let text = try await page([question, total])
        let words = "Result of the class: <bdi>Item &lt;total&gt;</bdi>, 25%"
        let result = try #require(text.firstRange(of: words))
        let table = try #require(text.firstRange(of: "id=\"questions\""))
        #expect(result.lowerBound < table.lowerBound)
        #expect(!text.contains("id=\"figures\""), "it stands on the page once")
        let alone = try await page([item("total", primary: true, share: 0.5, score: 0.25)])
        #expect(!alone.contains("Result of the class"), "alone it is the question")
    }

    @Test func `a task without items says when they appear`() async throws {
        let browser = teacherBrowser(
            MadeUpReport.answers.merging([
                "GET /v1/handouts/h1/tasks/t3/items": (
                    200, ["task": ["title": "Video"], "items": [], "studentsWithData": 0]
                )
            ]) { _, new in new })
        let text = try await browser.get("/handouts/h1/tasks/t3/items").text
        #expect(text.contains("No questions reported yet"))
    }
}
