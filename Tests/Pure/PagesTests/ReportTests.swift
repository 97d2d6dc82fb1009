import Archive
import JSONBytes
import Testing

@testable import Pages

/// A handout's report with made-up answers of the API.
@Suite struct ReportShown {
    private func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        teacherBrowser(MadeUpReport.answers.merging(answers) { _, new in new })
    }

    /// The names of the students in the order of the table.
    private func names(_ text: String) -> [String] {
        text.matches(of: /students\/[a-z]+" dir="auto">([^<]+)</).map { String($0.1) }
    }

    @Test func `students and tasks stand in a table, averages first`() async throws {
        let page = try await browser().get("/handouts/h1")
        #expect(page.text.contains("<h1 dir=\"auto\">Fractions &lt;first&gt;</h1>"))
        #expect(page.text.contains("href=\"/classes/c1\" dir=\"auto\">Mathematics</a>"))
        #expect(page.text.contains("Was due Fri 20 Nov, 16:00 · published Fri 13 Nov, 8:00"))
        #expect(page.text.contains("1 of 4 all done") && page.text.contains("2 overdue"))
        #expect(page.text.contains("Class average"))
        #expect(page.text.contains("7.5 of 10"), "the share of a common maximum")
        #expect(page.text.contains("50% passed") && page.text.contains("16 min · 2 with data"))
        #expect(names(page.text) == ["Ada Abel", "Ben Ito", "Cleo Jung", "Dan Kern"])
        #expect(page.text.contains("90% · 27 min · 2 attempts"))
        #expect(page.text.contains("9 of 10") && page.text.contains("Not passed"))
        #expect(page.text.contains("Try again") && page.text.contains("Progress off"))
        #expect(page.text.contains("<main class=\"main across\" id=\"main\">"))
        #expect(page.text.contains("href=\"/handouts/h1/tasks/t1/items\""))
        #expect(!page.text.contains("/tasks/t3/items"), "no app reports about a link")
        #expect(
            page.text.contains(
                "Updated at 9:41 · <a class=\"no-print\" href=\"/handouts/h1\">Reload"))
    }

    @Test func `only what is not done is alarming, and not what the app calls finished`()
        async throws
    {
        func student(_ id: String, _ work: [(String, JSONValue)]) -> JSONValue {
            .object(JSONObject([("personId", .text(id)), ("late", true)] + work))
        }
        let report: JSONValue = [
            "handout": ["id": "h1", "title": "Plants"], "notes": [],
            "tasks": [
                [
                    "taskId": "t1", "title": "Quiz",
                    "students": [
                        student("ada", [("doneAt", "2026-11-21T16:00:00.000Z")]),
                        student("ben", [("progress", 1), ("attempts", 1)]), student("cleo", []),
                    ],
                ]
            ],
        ]
        let page = try await browser(["GET /v1/handouts/h1/report": (200, report)])
            .get("/handouts/h1")
        for words in [
            "1 of 3 all done", "2 overdue", "1 done late", "Finished, not marked as done",
        ] {
            #expect(page.text.contains(words), "\(words)")
        }
        #expect(page.text.matches(of: /tag tag-bad"/).count == 2, "the number and Cleo's work")
    }

    @Test func `notes say in words what is missing`() async throws {
        let page = try await browser().get("/handouts/h1")
        #expect(page.text.contains("Student progress is off for 1 of 4 students."))
        #expect(page.text.contains("“<bdi>Quiz</bdi>”: some students have no licence for the app."))
        #expect(!page.text.contains("English of the API"))
    }

    @Test(arguments: [
        ("", ["Ada Abel", "Ben Ito", "Cleo Jung", "Dan Kern"]),
        ("?show=open", ["Ben Ito", "Cleo Jung", "Dan Kern"]),
        ("?show=late", ["Ben Ito", "Cleo Jung"]), ("?show=again", ["Ada Abel"]),
        ("?sort=1", ["Cleo Jung", "Dan Kern", "Ben Ito", "Ada Abel"]),
        ("?show=late&sort=1", ["Cleo Jung", "Ben Ito"]),
        ("?show=nonsense&sort=99", ["Ada Abel", "Ben Ito", "Cleo Jung", "Dan Kern"]),
    ])
    func `filter and order are in the address`(query: String, shown: [String]) async throws {
        let page = try await browser().get("/handouts/h1\(query)")
        #expect(names(page.text) == shown)
    }

    @Test func `links keep the filter and the order of each other`() async throws {
        let page = try await browser().get("/handouts/h1?show=open&sort=2")
        #expect(page.text.contains("href=\"/handouts/h1?show=late&amp;sort=2\""))
        #expect(page.text.contains("href=\"/handouts/h1?show=open&amp;sort=1\""))
        #expect(page.text.contains("href=\"/handouts/h1?show=open\""))
        #expect(page.text.contains("<th scope=\"col\" aria-sort=\"ascending\"><a href=\"/handouts"))
    }

    @Test func `the spread of a task is a picture and a table`() async throws {
        let page = try await browser().get("/handouts/h1")
        #expect(page.text.contains("aria-label=\"Most common: 6 (1 of 2 students)\""))
        #expect(page.text.contains("<th scope=\"row\">9</th><td class=\"number\">1</td>"))
        #expect(page.text.contains("<th scope=\"row\">Passed</th><td class=\"number\">1</td>"))
    }

    @Test func `nothing reported is one sentence`() async throws {
        var report = MadeUpReport.report
        report["notes"] = .array(
            ["t1", "t2", "t3"].map { ["code": "nothing_reported", "taskId": .text($0)] })
        let page = try await browser(["GET /v1/handouts/h1/report": (200, .object(report))])
            .get("/handouts/h1")
        #expect(page.text.contains("Nothing reported yet. Figures appear when students work"))
        #expect(!page.text.contains("no app has reported anything yet"))
    }

    @Test func `the table of the API passes through`() async throws {
        let browser = browser()
        let file = try await browser.get("/handouts/h1/report.csv")
        #expect(file.status == 200 && browser.api.lines.contains("GET /v1/handouts/h1/report"))
        let refused = try await self.browser([
            "GET /v1/handouts/h1/report": FakeAPI.problem(404, "not_found")
        ]).get("/handouts/h1/report.csv")
        #expect(refused.status == 404 && refused.text.contains("Nothing to see here"))
    }

    @Test func `the largest report stays small`() async throws {
        let report = MadeUpReport.large(students: 35, tasks: 20)
        let page = try await browser(["GET /v1/handouts/h1/report": (200, report)])
            .get("/handouts/h1")
        #expect(page.text.ranges(of: "<td>").count > 700)
        #expect(try GzipWriter.compress(Array(page.text.utf8)).count <= 60_000)
        #expect(page.text.utf8.count <= 500_000, "without compression too")
    }

    @Test(arguments: [403, 404])
    func `a report that one may not see is not there`(status: Int) async throws {
        let page = try await browser([
            "GET /v1/handouts/h1/report": FakeAPI.problem(status, "some_code")
        ]).get("/handouts/h1")
        #expect(page.status == status && !page.text.contains("Ada"))
    }
}

/// How results spread.
@Suite struct Spreads {
    private let texts = Texts(.english)

    private func spread(_ kind: JSONValue, _ items: [JSONValue], _ progress: [Double] = [])
        -> Distribution
    {
        let students: [JSONValue] =
            items.map { ["attempts": 1, "primaryItem": $0] }
            + progress.map { ["attempts": 1, "progress": .number(JSONNumber($0)!)] }
        let report = HandoutReport([
            "tasks": [["taskId": "t", "primaryKind": kind, "students": .array(students)]]
        ])
        return Distribution(report.tasks[0], texts)
    }

    private func score(_ score: Double, of maximum: Double) -> JSONValue {
        [
            "kind": "score", "score": .number(JSONNumber(score)!),
            "maxScore": .number(JSONNumber(maximum)!),
        ]
    }

    @Test func `whole points have a bar each`() {
        let bars = spread("score", [score(0, of: 4), score(4, of: 4), score(4, of: 4)]).bars
        #expect(bars.map(\.label) == ["0", "1", "2", "3", "4"])
        #expect(bars.map(\.count) == [1, 0, 0, 0, 2])
    }

    @Test func `other scores are shares of their maximum`() {
        let bars = spread(
            "score", [score(2.5, of: 5), score(20, of: 20), score(0, of: 0), score(19.9, of: 100)]
        ).bars
        #expect(bars.map(\.label) == ["0–19", "20–39", "40–59", "60–79", "80–99", "100%"])
        #expect(bars.map(\.count) == [1, 1, 1, 0, 0, 1])
    }

    @Test func `many quantities become ranges, and each is counted once`() {
        let items = (0..<20).map { number -> JSONValue in
            ["kind": "quantity", "quantity": .number(JSONNumber(Int64(number)))]
        }
        let bars = spread("quantity", items).bars
        #expect(bars.count == 5 && bars.allSatisfy { $0.count == 4 })
        #expect(spread("quantity", Array(items.prefix(3))).bars.map(\.label) == ["0", "1", "2"])
    }

    @Test func `without an item it is progress`() {
        let spread = spread(.null, [], [0, 0.5, 1, 1])
        #expect(spread.title == .spreadProgress)
        #expect(spread.bars.map(\.count) == [1, 0, 1, 0, 0, 2] && spread.total == 4)
    }
}
