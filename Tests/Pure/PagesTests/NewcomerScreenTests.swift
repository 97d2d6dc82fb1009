import JSONBytes
import Testing

@testable import Pages

/// What was due before a student joined, as the teacher and the student see it.
@Suite struct NewcomerScreens {
    private func report(_ isBeforeJoined: Bool) -> JSONValue {
        func student(_ id: String, _ name: String, _ work: [(String, JSONValue)]) -> JSONValue {
            .object(
                JSONObject(
                    [
                        ("personId", .text(id)), ("givenName", .text(name)),
                        ("familyName", "Abel"),
                    ] + work))
        }
        return [
            "handout": ["id": "h1", "title": "Plants", "dueAt": "2026-11-07T16:00:00.000Z"],
            "tasks": [
                [
                    "taskId": "t1", "title": "Quiz",
                    "students": [
                        student(
                            "ada", "Ada", [("late", false), ("doneAt", "2026-11-06T16:00:00.000Z")]),
                        student("ben", "Ben", [("late", true)]),
                        student(
                            "cleo", "Cleo",
                            [("late", false), ("beforeJoined", .bool(isBeforeJoined))]),
                    ],
                ]
            ], "notes": [],
        ]
    }

    @Test func `the report says who joined later, and counts only the others`() async throws {
        let answers = MadeUpReport.answers
        let later = teacherBrowser(
            answers.merging(["GET /v1/handouts/h1/report": (200, report(true))]) { $1 })
        let text = try await later.get("/handouts/h1").text
        #expect(text.contains("1 of 2 all done") && text.contains("1 joined later"))
        #expect(text.contains("Due before joining"))
        let open = try await later.get("/handouts/h1?show=open").text
        #expect(open.contains("/students/ben") && !open.contains("/students/cleo"))
        let given = try await teacherBrowser(
            answers.merging(["GET /v1/handouts/h1/report": (200, report(false))]) { $1 }
        ).get("/handouts/h1").text
        #expect(given.contains("1 of 3 all done") && !given.contains("joined later"))
        #expect(!given.contains("Due before joining"))
    }

    @Test func `a teacher gives the work to who joined later`() async throws {
        let attempts: JSONValue = [
            "handout": ["id": "h1", "title": "Plants"],
            "student": [
                "personId": "cleo", "givenName": "Cleo", "familyName": "Abel", "progressOff": false,
            ],
            "tasks": [["taskId": "t1", "title": "Quiz", "beforeJoined": true, "attempts": []]],
            "notes": [],
        ]
        let browser = teacherBrowser(
            MadeUpReport.answers.merging([
                "GET /v1/handouts/h1/report": (200, report(true)),
                "GET /v1/handouts/h1/students/cleo": (200, attempts),
                "PUT /v1/handouts/h1/students/cleo": (204, .null),
            ]) { $1 })
        let text = try await browser.get("/handouts/h1/students/cleo").text
        #expect(text.contains("due before <bdi>Cleo Abel</bdi> joined"))
        #expect(text.contains("Give it to this student"))
        let given = try await browser.post("/handouts/h1/students/cleo/given", [])
        #expect(given.status == 303)
        #expect(browser.api.calls.contains { $0.line == "PUT /v1/handouts/h1/students/cleo" })
    }

    @Test func `the student has it apart, and not as overdue`() async throws {
        func assignment(_ id: String, _ marks: [(String, JSONValue)]) -> JSONValue {
            .object(
                JSONObject(
                    [
                        ("id", .text(id)), ("dueAt", "2026-11-07T16:00:00.000Z"),
                        ("handout", ["id": .text(id), "title": .text("Title \(id)")]),
                    ] + marks))
        }
        let items: JSONValue = [
            "items": [
                assignment("before", [("late", false), ("beforeJoined", true)]),
                assignment("given", [("late", false), ("beforeJoined", false)]),
            ]
        ]
        let browser = StudentAnswers.browser(["GET /v1/me/assignments": (200, items)])
        let text = try await browser.get("/my-work").text
        #expect(text.contains("id=\"beforeJoined\"") && text.contains("Before you joined"))
        #expect(text.contains("id=\"noDue\"") && text.contains("When you like"))
        #expect(!text.contains("Overdue") && !text.contains("id=\"today\""))
    }
}
