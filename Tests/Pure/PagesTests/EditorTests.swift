import JSONBytes
import Testing
import Values

@testable import Pages

/// A teacher's browser in front of made-up answers.
enum TeacherBrowser {
    static func make(_ answers: [String: FakeAPI.Answer]) -> Browser {
        let own: [String: FakeAPI.Answer] = [
            "GET /v1/me": (200, FakeAPI.me(standings: ["teacher"])),
            "GET /v1/classes": (
                200,
                [
                    "items": [
                        ["id": "c1", "name": "Mathematics <7>", "number": "7A"],
                        ["id": "c2", "name": "Science"],
                    ]
                ]
            ),
            "GET /v1/classes/c1": (
                200,
                [
                    "id": "c1", "name": "Mathematics <7>", "status": "active",
                    "studentIds": ["s1", "s2"],
                    "teachers": [
                        ["personId": "p2", "givenName": "Jonas", "familyName": "Weiß"]
                    ],
                ]
            ),
            "GET /v1/classes/c1/privileges": (
                200, ["classId": "c1", "change": false, "resetPasswords": true]
            ),
            "GET /v1/classes/c1/students": (
                200,
                [
                    "items": [
                        [
                            "id": "s1", "givenName": "Mira", "familyName": "Castell",
                            "managedId": "mira@harbour.example", "status": "new",
                        ],
                        [
                            "id": "s2", "givenName": "Ifẹ́", "familyName": "Adélékè",
                            "managedId": "ife@harbour.example", "status": "locked",
                        ],
                    ]
                ]
            ),
            "GET /v1/catalog/apps": (
                200, ["items": [["id": "x1", "bundleId": "org.quiz", "title": "Quizzler"]]]
            ),
            "GET /v1/handouts/h1": (200, handout()),
            "GET /v1/handouts": (200, ["items": []]),
            "GET /v1/announcements": (200, ["items": []]),
        ]
        let browser = Browser(FakeAPI(own.merging(answers) { _, new in new }))
        browser.signIn()
        return browser
    }

    static func handout(
        state: String = "draft", tasks: [JSONValue] = [task("t1"), link], publishAt: JSONValue = nil
    ) -> JSONValue {
        [
            "id": "h1", "classId": "c1", "authorId": "p1", "title": "Fractions <1>",
            "instructions": "Do the\nquiz", "recipients": ["s2"], "state": .text(state),
            "dueAt": "2026-11-27T16:00:00.000Z", "publishAt": publishAt,
            "updatedAt": "2026-11-22T08:40:00.000Z", "tasks": .array(tasks),
        ]
    }

    static func task(_ id: String) -> JSONValue {
        [
            "id": .text(id), "kind": "appActivity", "title": .text("Quiz <\(id)>"),
            "bundleId": "org.quiz", "identifierPath": ["unit", "a\"b"],
        ]
    }

    static let link: JSONValue = [
        "id": "t2", "kind": "link", "title": "Read", "url": "https://example.org/",
    ]
}

@Suite struct EditingHandouts {
    private let filled = [
        ("title", " Ratios "), ("instructions", "One\r\nTwo"), ("everyone", "yes"),
        ("dueDate", "2026-11-27"), ("dueTime", "17:05"), ("version", "\"7\""),
    ]

    private func typed(_ changes: [(String, String)]) -> [(String, String)] {
        filled.filter { field in !changes.contains { $0.0 == field.0 } } + changes
    }

    @Test func `a new handout is saved as a draft`() async throws {
        let browser = TeacherBrowser.make(["POST /v1/handouts": (201, ["id": "h9"])])
        let page = try await browser.get("/classes/c1/handouts/new")
        #expect(page.text.contains("<h1 dir=\"auto\">New handout</h1>"))
        #expect(page.text.contains("2 students now; anyone who joins later gets it too"))
        #expect(page.text.contains("Mira Castell"))
        let saved = try await browser.post(
            "/classes/c1/handouts/new", typed([("do", "save"), ("dueTime", "")]))
        #expect(saved.status == 303 && saved.location == "/classes/c1")
        #expect(saved.cookie("homeroom-notice")?.contains("editor.noticeDraft") == true)
        let body = try #require(browser.api.body(of: "POST /v1/handouts"))
        #expect(
            body == [
                "title": "Ratios", "instructions": "One\nTwo", "dueAt": "2026-11-27",
                "recipients": "class", "classId": "c1",
            ])
    }

    @Test func `a button that adds a task saves first, even without a title`() async throws {
        let browser = TeacherBrowser.make(["POST /v1/handouts": (201, ["id": "h9"])])
        _ = try await browser.get("/classes/c1/handouts/new")
        for (value, page) in [("activity", "activities"), ("time", "time"), ("link", "link")] {
            let saved = try await browser.post(
                "/classes/c1/handouts/new", typed([("title", ""), ("add", value)]))
            #expect(saved.location == "/handouts/h9/\(page)")
        }
        let body = try #require(browser.api.body(of: "POST /v1/handouts"))
        #expect(body["title"] == "Untitled handout")
        #expect(body["dueAt"] == "2026-11-27T17:05:00.000Z")
    }

    @Test func `what is wrong is said at the fields, and what was typed stays`() async throws {
        let browser = TeacherBrowser.make([:])
        _ = try await browser.get("/classes/c1/handouts/new")
        let page = try await browser.post(
            "/classes/c1/handouts/new",
            typed([
                ("title", ""), ("dueTime", "5 o’clock"), ("student", "gone"),
                ("instructions", "Keep <me>"), ("do", "save"),
            ]))
        #expect(page.status == 422 && page.text.contains("<title>Error: New handout"))
        #expect(page.text.contains("<a href=\"#title\">Give the handout a title</a>"))
        #expect(page.text.contains("<a href=\"#dueTime\">Enter the time as hours and minutes"))
        #expect(page.text.contains("<a href=\"#recipients\">Those students have left"))
        #expect(page.text.contains("Keep &lt;me&gt;") && page.text.contains("value=\"5 o’clock\""))
        #expect(!browser.api.lines.contains("POST /v1/handouts"))
    }

    @Test func `what the API refuses is said at the field`() async throws {
        let browser = TeacherBrowser.make([
            "POST /v1/handouts": (
                422,
                [
                    "status": 422, "code": "invalid",
                    "errors": [["pointer": "/title", "code": "too_long"]],
                ]
            )
        ])
        _ = try await browser.get("/classes/c1/handouts/new")
        let page = try await browser.post("/classes/c1/handouts/new", typed([("do", "save")]))
        #expect(page.status == 422)
        #expect(page.text.contains("<a href=\"#title\">Choose a shorter title, in one line</a>"))
        #expect(page.text.contains("value=\"Ratios\""))
    }

    @Test func `a failing server loses nothing`() async throws {
        let browser = TeacherBrowser.make(["POST /v1/handouts": FakeAPI.problem(503, "unavailable")]
        )
        _ = try await browser.get("/classes/c1/handouts/new")
        let page = try await browser.post("/classes/c1/handouts/new", typed([("do", "save")]))
        #expect(page.status == 503 && page.text.contains("What you wrote is still here"))
        #expect(page.text.contains("value=\"Ratios\""))
    }

    @Test func `the form of a handout shows what it holds`() async throws {
        let browser = TeacherBrowser.make([:])
        let page = try await browser.get("/handouts/h1/edit")
        #expect(page.text.contains("value=\"Fractions &lt;1&gt;\""))
        #expect(page.text.contains("Do the\nquiz</textarea>"))
        #expect(page.text.contains("value=\"2026-11-27\"") && page.text.contains("value=\"16:00\""))
        #expect(page.text.contains("Activity in <bdi>Quizzler</bdi>"))
        #expect(page.text.contains("Link to <bdi>https://example.org/</bdi>"))
        #expect(
            page.text.contains("value=\"s2\" checked") && page.text.contains("Save and publish"))
        #expect(page.text.contains("aria-label=\"Move down: Quiz &lt;t1&gt;\""))
        #expect(!page.text.contains("Move up: Quiz"))
    }

    @Test func `tasks move and go, and keep their ids`() async throws {
        let browser = TeacherBrowser.make(["PATCH /v1/handouts/h1": (200, ["id": "h1"])])
        _ = try await browser.get("/handouts/h1/edit")
        let kept: JSONValue = [
            "kind": "appActivity", "id": "t1", "bundleId": "org.quiz",
            "identifierPath": ["unit", "a\"b"],
        ]
        let link: JSONValue = [
            "kind": "link", "id": "t2", "url": "https://example.org/", "title": "Read",
        ]
        for (button, tasks) in [
            ("down", [link, kept]), ("up", nil), ("remove", [link]),
        ] as [(String, [JSONValue]?)] {
            let saved = try await browser.post("/handouts/h1/edit", typed([(button, "t1")]))
            #expect(saved.location == "/handouts/h1/edit#tasks")
            let body = try #require(browser.api.body(of: "PATCH /v1/handouts/h1"))
            #expect(body["tasks"] == tasks.map(JSONValue.array), "\(button)")
            #expect(body["title"] == "Ratios" && body["publishAt"] == nil)
        }
        #expect(browser.api.calls.last { $0.line.hasPrefix("PATCH") }?.match == "\"7\"")
    }

    @Test func `a task that was begun goes only when asked again`() async throws {
        let browser = TeacherBrowser.make([
            "PATCH /v1/handouts/h1": FakeAPI.problem(409, "task_has_progress")
        ])
        _ = try await browser.get("/handouts/h1/edit")
        let page = try await browser.post("/handouts/h1/edit", typed([("remove", "t1")]))
        #expect(page.status == 409 && page.text.contains("Students have begun this task"))
        #expect(page.text.contains("name=\"discard\" value=\"t1\""))
        #expect(page.text.contains("value=\"Ratios\""))
    }

    @Test func `someone else's change is not replaced`() async throws {
        let browser = TeacherBrowser.make([
            "PATCH /v1/handouts/h1": FakeAPI.problem(412, "precondition_failed")
        ])
        _ = try await browser.get("/handouts/h1/edit")
        let page = try await browser.post("/handouts/h1/edit", typed([("do", "save")]))
        #expect(page.status == 412)
    }

    @Test func `publishing goes on to a page of its own, once there is a task`() async throws {
        let browser = TeacherBrowser.make(["PATCH /v1/handouts/h1": (200, ["id": "h1"])])
        _ = try await browser.get("/handouts/h1/edit")
        let saved = try await browser.post("/handouts/h1/edit", typed([("do", "publish")]))
        #expect(saved.location == "/handouts/h1/publish")
        let empty = TeacherBrowser.make([
            "GET /v1/handouts/h1": (200, TeacherBrowser.handout(tasks: []))
        ])
        _ = try await empty.get("/handouts/h1/edit")
        let page = try await empty.post("/handouts/h1/edit", typed([("do", "publish")]))
        #expect(page.status == 422 && page.text.contains("href=\"#tasks\">Add at least one task"))
    }

    @Test func `a completed handout is not edited but copied`() async throws {
        let browser = TeacherBrowser.make([
            "GET /v1/handouts/h1": (200, TeacherBrowser.handout(state: "completed"))
        ])
        let page = try await browser.get("/handouts/h1/edit")
        #expect(page.text.contains("<bdi>Fractions &lt;1&gt;</bdi> cannot change any more"))
        #expect(
            page.text.contains("href=\"/handouts/h1/copy\"") && !page.text.contains("<textarea"))
    }
}

@Suite struct WallClock {
    private let zurich = TimeZone.named("Europe/Zurich")

    @Test(arguments: [
        ("2026-11-20", "17:00", "2026-11-20T16:00:00.000Z"),
        ("2026-07-01", "0:05", "2026-06-30T22:05:00.000Z"),
        // Put forward at two, back at three.
        ("2026-03-29", "1:59", "2026-03-29T00:59:00.000Z"),
        ("2026-03-29", "2:30", "2026-03-29T01:30:00.000Z"),
        ("2026-03-29", "3:00", "2026-03-29T01:00:00.000Z"),
        ("2026-10-25", "2:30", "2026-10-25T00:30:00.000Z"),
        ("2026-10-25", "3.00", "2026-10-25T02:00:00.000Z"),
    ])
    func `a time on the school's clock is a moment`(
        day: String, time: String, moment: String
    ) throws {
        let day = try #require(Day(day))
        let local = try #require(LocalTime(day: day, time: time))
        #expect(local.moment(in: zurich).description == moment)
    }

    @Test(arguments: ["", "17", "24:00", "7:60", "7:5", "-1:00", "١٧:٠٠", "17:00:00", "5 o’clock"])
    func `anything else is not a time`(text: String) throws {
        let day = try #require(Day("2026-11-20"))
        #expect(LocalTime(day: day, time: text) == nil)
    }
}
