import JSONBytes
import Testing

@testable import Pages

/// What other systems graded, with made-up answers of the API.
@Suite struct GradesScreens {
    private static func item(_ id: String, _ title: String, due: String) -> JSONValue {
        [
            "id": .text(id), "classId": "c1", "title": .text(title), "systemName": "Grade <book>",
            "dueAt": .text("\(due)T08:00:00.000Z"), "valueMax": 100,
        ]
    }

    private static func grade(
        _ item: String, of student: String, _ more: [(String, JSONValue)] = []
    ) -> JSONValue {
        let own: [(String, JSONValue)] = [
            ("itemId", .text(item)), ("personId", .text(student)), ("classId", "c1"),
            ("className", "Biology <7>"), ("status", "fully graded"), ("score", .null),
            ("textScore", .null), ("scoredOn", "2026-09-09"), ("comment", .null),
            ("isLate", .null), ("isMissing", .null), ("systemName", "Grade <book>"),
        ]
        var grade = JSONObject(own)
        for (key, value) in more { grade[key] = value }
        return .object(grade)
    }

    private static let items: [JSONValue] = [
        item("i1", "Quiz <1>", due: "2026-09-01"), item("i2", "Essay", due: "2026-10-01"),
    ]

    private static let grades: [JSONValue] = [
        grade("i1", of: "s1", [("score", 84.5), ("comment", "Well <done>\nSam")]),
        grade("i2", of: "s1", [("textScore", "B+"), ("score", 3), ("isLate", true)]),
        grade("i1", of: "s2", [("status", "exempt")]),
        grade("i2", of: "s2", [("status", "not submitted"), ("isMissing", true)]),
        grade("i1", of: "gone", [("score", 1)]),
    ]

    private func teacher(
        items: [JSONValue] = items, grades: [JSONValue] = grades, systems: [JSONValue] = [],
        more: [String: FakeAPI.Answer] = [:]
    ) -> Browser {
        let answers: [String: FakeAPI.Answer] = [
            "GET /v1/graded-items": (200, ["items": .array(items)]),
            "GET /v1/grades": (200, ["items": .array(grades)]),
            "GET /v1/classes/c1/gradebook-systems": (200, ["items": .array(systems)]),
            "GET /v1/people/s1": (
                200, ["id": "s1", "givenName": "Sam", "familyName": "<Abel>"]
            ),
            "GET /v1/classes/c1/students": (
                200,
                [
                    "items": [
                        ["id": "s1", "givenName": "Sam", "familyName": "<Abel>"],
                        ["id": "s2", "givenName": "Sue", "familyName": "Bell"],
                        ["id": "s3", "givenName": "Sim", "familyName": "Cole"],
                    ]
                ]
            ),
        ]
        return teacherBrowser(answers.merging(more) { _, new in new })
    }

    @Test func `a class has students as rows and work as columns, the latest first`() async throws {
        let browser = teacher(systems: [["name": "Grade <book>", "readsResults": true]])
        let page = try await browser.get("/classes/c1/grades")
        #expect(page.status == 200)
        for text in [
            "href=\"/classes/c1/students/s1/grades\" dir=\"auto\">Sam &lt;Abel&gt;</a>",
            "Quiz &lt;1&gt;", "Grade &lt;book&gt;", "84.5 of 100", "<bdi>B+</bdi>", "Late",
            "Missing", "Exempt", "Not handed in", "Sim Cole",
            "1 student with grades has left the class and is not shown.",
            "Also reads the results of handouts",
        ] { #expect(page.text.contains(text), "\(text)") }
        let essay = try #require(page.text.firstRange(of: "Essay"))
        let quiz = try #require(page.text.firstRange(of: "Quiz &lt;1&gt;"))
        #expect(essay.lowerBound < quiz.lowerBound)
        #expect(!page.text.contains("<book>") && !page.text.contains("Well &lt;done"))
        #expect(!page.text.contains("<script>") && !page.text.contains("rel=\"next\""))
        #expect(browser.api.targets.contains("/v1/grades?classId=c1&limit=1000"))
    }

    @Test func `a class without graded work says how grades come, and which systems may write`()
        async throws
    {
        let page = try await teacher(items: [], grades: []).get("/classes/c1/grades")
        #expect(page.text.contains("No grades yet") && page.text.contains("grants them"))
        #expect(page.text.contains("No system may use the gradebook of this class."))
        #expect(!page.text.contains("<table"))
    }

    @Test func `much work is on several pages, and an unknown page is the last or first`()
        async throws
    {
        let items = (10..<40).map {
            Self.item(
                "i\($0)", "Work \($0)", due: "2026-08-\($0 % 28 + 1 < 10 ? "0" : "")\($0 % 28 + 1)")
        }
        let browser = teacher(items: items, grades: [])
        let first = try await browser.get("/classes/c1/grades")
        #expect(first.text.ranges(of: "Work ").count == ClassGrades.columnsMax)
        #expect(first.text.contains("href=\"/classes/c1/grades?page=2\""))
        let middle = try await browser.get("/classes/c1/grades?page=2")
        #expect(middle.text.contains("page=1\"") && middle.text.contains("page=3\""))
        for page in ["99", "3"] {
            let last = try await browser.get("/classes/c1/grades?page=\(page)")
            #expect(last.text.ranges(of: "Work ").count == 6 && !last.text.contains("rel=\"next\""))
        }
        for page in ["-1", "0", "x", "9999999999999999999999"] {
            let again = try await browser.get("/classes/c1/grades?page=\(page)")
            #expect(again.text.contains("rel=\"next\"") && !again.text.contains("rel=\"prev\""))
        }
    }

    @Test func `at most ten pages of the API are read, and the page says that there are more`()
        async throws
    {
        let endless: JSONValue = ["items": .array(Self.grades), "nextPageToken": "more"]
        let browser = teacher(more: ["GET /v1/grades": (200, endless)])
        let page = try await browser.get("/classes/c1/grades")
        #expect(page.text.contains("There are more grades than this page can show."))
        #expect(browser.api.lines.count { $0 == "GET /v1/grades" } == GradeLists.pagesMax)
    }

    @Test func `one student's grades have their comments, and lead back to the class`() async throws
    {
        let browser = teacher(grades: Array(Self.grades.prefix(2)))
        let page = try await browser.get("/classes/c1/students/s1/grades")
        for text in [
            "Sam &lt;Abel&gt;", "84.5 of 100", "Well &lt;done&gt;", "Wed 9 Sep",
            "href=\"/classes/c1/grades\"", "href=\"/classes/c1/students/s1\"",
        ] { #expect(page.text.contains(text), "\(text)") }
        #expect(browser.api.targets.contains("/v1/grades?classId=c1&personId=s1&limit=1000"))
        let none = try await teacher(grades: []).get("/classes/c1/students/s1/grades")
        #expect(none.text.contains("No system has graded"))
    }

    @Test func `a class or a student out of sight is not there`() async throws {
        let other = teacher(more: ["GET /v1/classes/c1": FakeAPI.problem(404, "not_found")])
        #expect(try await other.get("/classes/c1/grades").status == 404)
        #expect(!other.api.lines.contains("GET /v1/grades"))
        let stranger = teacher(more: ["GET /v1/people/s1": FakeAPI.problem(404, "not_found")])
        #expect(try await stranger.get("/classes/c1/students/s1/grades").status == 404)
        #expect(!stranger.api.lines.contains("GET /v1/grades"))
    }

    @Test func `students read their own, class by class, and what they no longer see last`()
        async throws
    {
        let old = Self.grade(
            "i9", of: "p1", [("classId", "c9"), ("className", .null), ("score", 7)])
        let browser = StudentAnswers.browser([
            "GET /v1/graded-items": (200, ["items": .array(Self.items)]),
            "GET /v1/grades": (200, ["items": .array([old] + Self.grades.prefix(2))]),
        ])
        let page = try await browser.get("/grades")
        #expect(page.status == 200)
        for text in ["My grades", "Biology &lt;7&gt;", "84.5 of 100", "B+", "Well &lt;done&gt;"] {
            #expect(page.text.contains(text), "\(text)")
        }
        let known = try #require(page.text.firstRange(of: "Biology &lt;7&gt;</h2>"))
        let former = try #require(page.text.firstRange(of: "No longer shown to you</h2>"))
        #expect(known.lowerBound < former.lowerBound)
        let progress = try await browser.get("/progress")
        #expect(progress.text.contains("href=\"/grades\""))
        let none = StudentAnswers.browser([
            "GET /v1/graded-items": (200, ["items": []]), "GET /v1/grades": (200, ["items": []]),
        ])
        #expect(try await none.get("/grades").text.contains("No grades yet"))
    }

    @Test(arguments: ["en", "de", "ja", "zh"])
    func `every language has all of it`(language: String) async throws {
        let browser = teacher(systems: [["name": "Library", "readsResults": true]])
        for path in ["/classes/c1/grades", "/classes/c1/students/s1/grades"] {
            let page = try await browser.get(path, [(name: "Accept-Language", value: language)])
            #expect(page.status == 200 && page.text.contains("lang=\"\(language)"))
            #expect(!page.text.contains("grades."), "a text without its key")
        }
    }
}
