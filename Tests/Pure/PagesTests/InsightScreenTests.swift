import JSONBytes
import Testing

@testable import Pages

/// A week of a class, with made-up answers of the API.
@Suite struct InsightScreens {
    private func student(
        _ id: String, _ finding: String, _ facts: [JSONValue], _ now: JSONValue, _ before: JSONValue
    ) -> JSONValue {
        [
            "personId": .text(id), "givenName": "Ada", "familyName": "<Abel>",
            "finding": .text(finding), "facts": .array(facts), "thisWeek": now, "before": before,
        ]
    }

    private func browser(
        _ students: [JSONValue], isOver: Bool = true, weeks: Int64 = 4, handouts: [JSONValue]? = nil
    ) -> Browser {
        teacherBrowser([
            "GET /v1/classes/c1/insights": (
                200,
                [
                    "week": [
                        "from": "2026-11-16", "to": "2026-11-22", "over": .bool(isOver),
                        "countedUntil": "2026-11-22T23:00:00.000Z",
                    ],
                    "generatedAt": "2026-11-22T09:41:00.000Z",
                    "handouts": .array(handouts ?? [["id": "h1", "title": "Water <1>"]]),
                    "weeksBefore": .number(JSONNumber(weeks)), "students": .array(students),
                    "notes": [["code": "progress_off", "text": "English of the API"]],
                ]
            )
        ])
    }

    private static let before: JSONValue = [
        "weeks": 4, "tasks": 20, "done": 16, "late": 2, "early": 3, "recorded": 12,
        "durationSeconds": 7200,
    ]

    @Test func `each finding is a fact with its figures and leads to the student's work`()
        async throws
    {
        let now: JSONValue = [
            "tasks": 5, "done": 1, "late": 4, "early": 2, "recorded": 3, "durationSeconds": 300,
        ]
        let browser = browser([
            student("a", "nothingDone", ["nothingDone"], now, Self.before),
            student("b", "fellBehind", ["lessDone", "lessTime"], now, Self.before),
            student("c", "fellBehind", ["moreLate"], now, Self.before),
            student("d", "spedUp", ["moreDone", "moreEarly"], now, Self.before),
        ])
        let text = try await browser.get("/classes/c1/insights").text
        for id in ["a", "b", "c", "d"] {
            #expect(
                text.contains("href=\"/classes/c1/students/\(id)\" dir=\"auto\">Ada &lt;Abel&gt;"))
        }
        #expect(text.contains("1 student did nothing<") && text.contains("2 students fell behind<"))
        #expect(text.contains("1 student did more<"))
        let facts = [
            "<strong>None of 5</strong> tasks begun; before that 16 of 20 done in 4 weeks",
            "<strong>1 of 5</strong> tasks done; before that 16 of 20 in 4 weeks",
            "<strong>4 of 5</strong> tasks late; before that 2 of 20 in 4 weeks",
            "<strong>2 of 5</strong> tasks done a day or more before they were due; before that 3 of 20 in 4",
            "<strong>5 min</strong> in apps (tasks: 3); before that 2 h 0 min (tasks: 12) in 4 weeks",
        ]
        for fact in facts { #expect(text.contains(fact), "\(fact)") }
        #expect(text.contains("href=\"/handouts/h1\" dir=\"auto\">Water &lt;1&gt;"))
        #expect(text.contains("Mon 16 Nov to Sun 22 Nov"))
        #expect(text.contains("Students whose progress is off are not compared."))
    }

    @Test func `weeks lead to each other, and not into the future`() async throws {
        let past = browser([])
        let text = try await past.get("/classes/c1/insights?week=2026-11-18").text
        #expect(past.api.targets.contains("/v1/classes/c1/insights?week=2026-11-18"))
        #expect(text.contains("href=\"/classes/c1/insights?week=2026-11-09\""))
        #expect(text.contains("href=\"/classes/c1/insights?week=2026-11-23\""))
        #expect(!text.contains("This week is not over."))
        let running = browser([], isOver: false)
        let now = try await running.get("/classes/c1/insights?week=2030-01-01").text
        #expect(now.contains("This week is not over.") && !now.contains("rel=\"next\""))
        #expect(running.api.targets.contains("/v1/classes/c1/insights?week=2026-11-22"))
        _ = try await running.get("/classes/c1/insights?week=nonsense")
        #expect(
            running.api.targets.last { $0.contains("insights") } == "/v1/classes/c1/insights")
    }

    @Test func `before anything is due in a week, the one before is shown`() async throws {
        let browser = browser([], handouts: [])
        _ = try await browser.get("/classes/c1/insights")
        let asked = browser.api.targets.filter { $0.contains("insights") }
        #expect(asked == ["/v1/classes/c1/insights", "/v1/classes/c1/insights?week=2026-11-15"])
        _ = try await browser.get("/classes/c1/insights?week=2026-11-22")
        #expect(browser.api.targets.filter { $0.contains("insights") }.count == 3)
    }

    @Test func `a week without findings says why`() async throws {
        let pages = [
            ("Nothing stands out", browser([])),
            ("Nothing to compare with yet", browser([], weeks: 1)),
            ("Nothing was due in this week", browser([], weeks: 0, handouts: [])),
        ]
        for (title, browser) in pages {
            #expect(try await browser.get("/classes/c1/insights").text.contains(title))
        }
    }
}
