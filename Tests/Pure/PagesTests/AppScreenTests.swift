import JSONBytes
import Testing

@testable import Pages

/// The apps of a class, and one of them, with made-up answers of the API.
@Suite struct AppScreens {
    private func handout(_ id: String, _ title: String, score: JSONValue, _ day: String)
        -> JSONValue
    {
        [
            "handoutId": .text(id), "title": .text(title),
            "publishAt": .text("2026-11-\(day)T08:00:00.000Z"), "dueAt": nil,
            "tasks": [
                [
                    "taskId": "t1", "title": "Quiz <1>", "students": 24, "studentsDone": 18,
                    "studentsLate": 5, "studentsOverdue": 3,
                    "classAverage": [
                        "progress": 0.9, "durationSeconds": 960, "score": score,
                        "studentsWithData": 20,
                    ],
                ]
            ],
        ]
    }

    private func student(
        _ id: String, _ given: String, tasks: Int64, _ figures: [(String, JSONValue)]
    ) -> JSONValue {
        .object(
            JSONObject(
                [
                    ("personId", .text(id)), ("givenName", .text(given)),
                    ("familyName", "<Abel>"), ("tasks", .number(JSONNumber(tasks))),
                ] + figures))
    }

    private var answers: [String: FakeAPI.Answer] {
        [
            "GET /v1/classes/c1/apps": (
                200,
                [
                    "items": [
                        [
                            "bundleId": "org.example.quizzler", "name": "Quizzler <2>",
                            "handouts": 2, "tasks": 3, "attempts": 1234, "durationSeconds": 7500,
                            "studentsWithData": 20,
                        ],
                        [
                            "bundleId": "org.example.reader", "name": "Reader", "handouts": 1,
                            "tasks": 1, "attempts": 0, "durationSeconds": 0, "studentsWithData": 0,
                        ],
                    ], "generatedAt": "2026-11-22T09:41:00.000Z",
                ]
            ),
            "GET /v1/classes/c1/apps/org.example.quizzler/report": (
                200,
                [
                    "app": ["bundleId": "org.example.quizzler", "name": "Quizzler <2>"],
                    "handouts": [
                        handout("h2", "New <2>", score: 0.5, "20"),
                        handout("h1", "Old", score: 0.8, "13"),
                    ],
                ]
            ),
            "GET /v1/classes/c1/apps/org.example.quizzler/students": (
                200,
                [
                    "items": [
                        student(
                            "ada", "Ada", tasks: 5,
                            [
                                ("tasksDone", 4), ("tasksLate", 2), ("tasksOverdue", 1),
                                ("attempts", 7),
                                ("durationSeconds", 5400), ("progress", 0.85), ("score", 0.725),
                            ]),
                        student("ben", "Ben", tasks: 2, [("progressOff", true)]),
                    ]
                ]
            ),
        ]
    }

    @Test func `the apps of a class are compared by time`() async throws {
        let browser = teacherBrowser(answers)
        let text = try await browser.get("/classes/c1/apps?from=2026-11-20&to=2026-11-01").text
        #expect(text.contains("aria-current=\"page\">Apps</a>"))
        #expect(
            text.contains(
                "href=\"/classes/c1/apps/org.example.quizzler?from=2026-11-01&amp;to=2026-11-20\" "
                    + "dir=\"auto\">Quizzler &lt;2&gt;</a>"))
        #expect(text.contains("2 h 5 min") && text.contains("1,234"))
        #expect(text.contains("3 in 2 handouts") && text.contains("1 in 1 handout<"))
        #expect(
            browser.api.targets.contains("/v1/classes/c1/apps?from=2026-11-01&to=2026-11-20"),
            "the days are in order")
        #expect(text.contains("href=\"/classes/c1/apps.csv?from=2026-11-01&amp;to=2026-11-20\""))
    }

    @Test func `an app stands handout by handout and student by student`() async throws {
        let browser = teacherBrowser(answers)
        let text = try await browser.get("/classes/c1/apps/org.example.quizzler").text
        #expect(text.contains("<h1 dir=\"auto\">Quizzler &lt;2&gt;</h1>"))
        #expect(text.contains("aria-label=\"From 80% in “Old” to 50% in “New &lt;2&gt;”.\""))
        #expect(text.contains("18 of 24 done, 3 overdue") && text.contains("Quiz &lt;1&gt;"))
        #expect(text.contains("href=\"/classes/c1/students/ada\" dir=\"auto\">Ada &lt;Abel&gt;"))
        #expect(text.contains("4 of 5 done, 1 overdue") && text.contains("1 h 30 min"))
        #expect(text.contains(">73%<") && text.contains(">85%<"))
        #expect(text.contains("0 of 2 done<") && text.contains("Progress off"))
        for table in ["tasks", "students"] {
            #expect(text.contains("href=\"/classes/c1/apps/org.example.quizzler/\(table).csv\""))
        }
    }

    @Test func `no apps and unknown apps say so`() async throws {
        let browser = teacherBrowser([
            "GET /v1/classes/c1/apps": (200, ["items": []]),
            "GET /v1/classes/c1/apps/x/report": (404, ["code": "not_found", "title": "No"]),
            "GET /v1/classes/c1/apps/x/students": (404, ["code": "not_found", "title": "No"]),
        ])
        #expect(try await browser.get("/classes/c1/apps").text.contains("No apps in this time"))
        let absent = try await browser.get("/classes/c1/apps/x")
        #expect(absent.status == 404 && absent.text.contains("Nothing to see here"))
    }
}
