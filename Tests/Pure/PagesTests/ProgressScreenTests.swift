import JSONBytes
import Testing

@testable import Pages

/// Progress over handouts, with made-up answers of the API.
@Suite struct ProgressScreens {
    private func handout(_ number: Int64, score: JSONValue, _ day: String) -> JSONValue {
        [
            "handoutId": .text("h\(number)"), "title": .text("Handout <\(number)>"),
            "publishAt": .text("2026-11-\(day)T08:00:00.000Z"),
            "dueAt": .text("2026-11-\(day)T16:00:00.000Z"),
            "tasks": [
                [
                    "taskId": "t1", "title": "Quiz", "students": 24, "studentsDone": 18,
                    "studentsLate": 5, "studentsOverdue": 3,
                    "classAverage": [
                        "progress": 0.9, "durationSeconds": 960, "score": score,
                        "studentsWithData": 20,
                    ],
                ],
                [
                    "taskId": "t2", "title": "Video", "students": 24, "studentsDone": 24,
                    "studentsLate": 2, "studentsOverdue": 0,
                    "classAverage": ["studentsWithData": 0],
                ],
            ],
        ]
    }

    private func browser(_ handouts: [JSONValue]) -> Browser {
        teacherBrowser([
            "GET /v1/classes/c1/report": (
                200,
                [
                    "class": ["id": "c1", "name": "Mathematics"],
                    "generatedAt": "2026-11-22T09:41:00.000Z", "handouts": .array(handouts),
                    "notes": [],
                ]
            ),
            "GET /v1/classes/c1/students": (
                200,
                [
                    "items": [
                        ["id": "ada", "givenName": "Ada", "familyName": "Abel"],
                        ["id": "ben", "givenName": "Ben", "familyName": "Ito"],
                    ]
                ]
            ),
        ])
    }

    @Test func `a class stands handout by handout, as curves and in numbers`() async throws {
        let browser = browser([
            handout(2, score: 0.5, "20"), handout(1, score: 0.8, "13"),
        ])
        let text = try await browser.get("/classes/c1/progress?from=2026-11-01&to=nonsense").text
        #expect(text.contains("aria-current=\"page\">Progress</a>"))
        #expect(
            text.contains(
                "aria-label=\"From 80% in “Handout &lt;1&gt;” to 50% in “Handout &lt;2&gt;”.\""))
        #expect(text.contains("points=\"74,60 730,120\""), "the older handout is on the left")
        #expect(text.contains("18 of 24 done, 3 overdue") && text.contains("24 of 24 done<"))
        #expect(text.contains("rowspan=\"2\"") && text.contains("href=\"/handouts/h2\""))
        #expect(text.contains("href=\"/classes/c1/students/ada\" dir=\"auto\">Ada Abel"))
        #expect(browser.api.targets.contains("/v1/classes/c1/report?from=2026-11-01"))
        #expect(text.contains("value=\"2026-11-01\"") && !text.contains("value=\"nonsense\""))
        #expect(!browser.api.targets.contains { $0.contains("nonsense") })
        #expect(text.contains("href=\"/classes/c1/progress.csv?from=2026-11-01\""))
    }

    @Test func `one handout makes no curve`() async throws {
        let text = try await browser([handout(1, score: 0.8, "13")]).get("/classes/c1/progress")
            .text
        #expect(!text.contains("polyline") && text.contains("18 of 24 done"))
    }

    @Test func `no handouts say what to do`() async throws {
        let text = try await browser([]).get("/classes/c1/progress").text
        #expect(text.contains("No handouts in this time"))
    }

    @Test func `a student's work in a class is on one page`() async throws {
        let browser = teacherBrowser([
            "GET /v1/classes/c1/students/ben/report": (
                200,
                [
                    "student": [
                        "personId": "ben", "givenName": "Ben", "familyName": "Ito",
                        "progressOff": true,
                    ],
                    "handouts": [
                        [
                            "handoutId": "h1", "title": "Fractions", "dueAt": nil,
                            "tasks": [
                                [
                                    "taskId": "t1", "title": "Quiz", "attempts": 2,
                                    "doneAt": "2026-11-19T16:40:00.000Z", "late": true,
                                    "progress": 0.9, "durationSeconds": 1620,
                                    "primaryItem": MadeUpReport.passed(true),
                                ]
                            ],
                        ]
                    ], "notes": [],
                ]
            ),
            "GET /v1/classes/c1/students": (
                200,
                [
                    "items": [
                        ["id": "ada", "givenName": "Ada", "familyName": "Abel"],
                        ["id": "ben", "givenName": "Ben", "familyName": "Ito"],
                    ]
                ]
            ),
        ])
        let text = try await browser.get("/classes/c1/students/ben").text
        #expect(text.contains("<h1 dir=\"auto\">Ben Ito</h1>"))
        #expect(text.contains("Previous: <bdi>Ada Abel</bdi>") && !text.contains("rel=\"next\""))
        #expect(text.contains("90% · 27 min · 2 attempts") && text.contains("Passed"))
        #expect(text.contains("href=\"/handouts/h1/students/ben\""))
        #expect(text.contains("Student progress is off for this student."))
    }
}
