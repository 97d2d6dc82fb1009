import JSONBytes
import Testing

@testable import Pages

/// A plan that speaks of people, and the page that undoes an import.
@Suite struct ImportPeopleScreens {
    private static let leaver: JSONValue = [
        "change": "removed", "sourceId": "604821", "personId": "p8", "givenName": "Tyrone",
        "familyName": "Dyer <b>", "nameOrder": "givenFirst", "role": "student", "grade": "01",
        "location": "Elementary", "values": [], "roles": [],
        "seats": [["change": "removed", "class": "Science <1>", "role": "student"]],
        "seatCount": 51,
    ]
    private static let bride: JSONValue = [
        "change": "changed", "sourceId": "T9", "personId": "p9", "givenName": "Angelique",
        "familyName": "Neumann-Buck", "nameOrder": "givenFirst", "role": "staff",
        "values": [
            ["name": "familyName", "was": "Neumann-Buck", "becomes": "Avila"],
            ["name": "email", "was": .null, "becomes": "a@b.example"],
            ["name": "status", "was": "inactive", "becomes": "active"],
        ],
        "roles": [["role": "teacher", "location": "Middle", "change": "created"]], "seats": [],
        "seatCount": 0,
    ]

    private func answers(
        _ status: String, undone: Bool = false, finished: String = "2026-11-20T02:10:00.000Z"
    ) -> [String: FakeAPI.Answer] {
        let details: JSONValue = [
            "id": "i1", "status": .text(status), "mode": "apply", "format": "appleCSV",
            "createdAt": "2026-11-20T02:00:00.000Z", "finishedAt": .text(finished),
            "archiveBytes": 164_200, "errorCount": 0, "warningCount": 0, "errors": [],
            "warnings": [], "tallies": [], "progress": 1, "removesMuch": false, "removals": [],
            "files": [
                [
                    "name": "students.csv", "rows": 400, "created": 4, "changed": 12,
                    "unchanged": 300, "removed": 1, "skipped": 0,
                ],
                [
                    "name": "rosters.csv", "rows": 900, "created": 40, "changed": 0,
                    "unchanged": 300, "removed": 77, "skipped": 0,
                ],
            ],
            "undoneAt": undone ? "2026-11-22T09:00:00.000Z" : .null,
            "undoneBy": undone
                ? ["id": "p7", "givenName": "Ada", "familyName": "Lind<qvist>"] : .null,
        ]
        let row: JSONValue = [
            "file": "classes.csv", "change": "changed", "line": 7, "sourceId": "K-1",
            "name": "Biology <7>", "fields": ["termId", "teacherIds"],
            "values": [["name": "termId", "was": "Spring", "becomes": "Autumn"]],
        ]
        return [
            "GET /v1/imports/i1": (200, details),
            "GET /v1/imports/i1/people": (200, ["items": [Self.leaver, Self.bride]]),
            "GET /v1/imports/i1/changes": (200, ["items": [row]]),
        ]
    }

    @Test func `a plan says who leaves and what changes, by name`() async throws {
        let browser = AdministratorsPages.browser(answers("planned"))
        let page = try await browser.get("/imports/i1")
        #expect(page.text.contains("<a href=\"/people/p8\"><bdi>Tyrone Dyer &lt;b&gt;</bdi></a>"))
        #expect(page.text.contains("Student · grade 01 · <bdi>Elementary</bdi>"))
        #expect(page.text.contains("Leave 1") && page.text.contains("Join 4"))
        #expect(!page.text.contains("Leave 78"), "seats are nobody")
        #expect(
            page.text.contains(
                "Family name: <bdi>Neumann-Buck</bdi> → <strong><bdi>Avila</bdi></strong>"))
        #expect(page.text.contains("Email: empty → <strong><bdi>a@b.example</bdi></strong>"))
        #expect(page.text.contains("Status: deactivated → <strong>active</strong>"))
        #expect(page.text.contains("New role: Teacher · <bdi>Middle</bdi>"))
        #expect(page.text.contains("<summary>51 classes</summary>"), "folded")
        #expect(page.text.contains("Leaves <bdi>Science &lt;1&gt;</bdi>"))
        #expect(page.text.contains("href=\"/imports/i1/changes.csv\""))
        _ = try await browser.get("/imports/i1?change=removed")
        #expect(browser.api.queries("GET /v1/imports/i1/people").last == "limit=30&change=removed")
    }

    @Test func `its rows are one step away, and so is the table`() async throws {
        let browser = AdministratorsPages.browser(
            answers("planned"), tables: ["GET /v1/imports/i1/changes": "file,change\r\n"])
        #expect(
            try await browser.get("/imports/i1").text.contains("href=\"/imports/i1?show=rows\""))
        let table = try await browser.get("/imports/i1/changes.csv")
        #expect(table.text == "file,change\r\n" && table.header("Content-Type") == "text/csv")
        let rows = AdministratorsPages.browser(answers("planned"))
        let page = try await rows.get("/imports/i1?show=rows")
        #expect(page.text.contains("<bdi>Biology &lt;7&gt;</bdi>"))
        #expect(
            page.text.contains("Term: <bdi>Spring</bdi> → <strong><bdi>Autumn</bdi></strong>"))
        #expect(page.text.contains("Differs: Teachers"))
        #expect(page.text.contains("Removed 78"))
    }

    @Test func `a plan in another language says fields and values in it`() async throws {
        let german = [(name: "Accept-Language", value: "de")]
        let page = try await AdministratorsPages.browser(answers("planned"))
            .get("/imports/i1", german)
        #expect(page.text.contains("Nachname: <bdi>Neumann-Buck</bdi>"))
        #expect(page.text.contains("Status: deaktiviert → <strong>aktiv</strong>"))
    }

    // MARK: Undo

    private let dry: JSONValue = [
        "undone": false, "obstacles": [],
        "rows": [
            ["kind": "person", "change": "changed", "count": 13],
            ["kind": "person", "change": "created", "count": 4],
            ["kind": "seat", "change": "created", "count": 40],
            ["kind": "seat", "change": "changed", "count": 77],
        ],
    ]

    @Test func `the dry run is the question before an import is undone`() async throws {
        var all = answers("succeeded")
        all["POST /v1/imports/i1/undo"] = (200, dry)
        let browser = AdministratorsPages.browser(all)
        let page = try await browser.get("/imports/i1")
        #expect(page.text.contains("href=\"/imports/i1/undo\""))
        let question = try await browser.get("/imports/i1/undo")
        #expect(browser.api.queries("POST /v1/imports/i1/undo") == ["dryRun=true"])
        #expect(question.text.contains("1 person comes back"))
        #expect(question.text.contains("4 people who joined are removed again"))
        #expect(question.text.contains("12 people are as before"))
        #expect(question.text.contains("Memberships that are as before: 117"))
        #expect(question.text.contains("It can be undone until"))
        let done = try await browser.post("/imports/i1/undo")
        #expect(done.location == "/imports/i1")
        #expect(browser.api.queries("POST /v1/imports/i1/undo") == ["dryRun=true", ""])
    }

    @Test func `what prevents it is named, and nothing is offered`() async throws {
        var all = answers("succeeded")
        all["POST /v1/imports/i1/undo"] = (
            200,
            [
                "undone": false, "rows": [],
                "obstacles": [
                    ["kind": "person", "reason": "changed", "count": 2, "example": "p8"],
                    ["kind": "class", "reason": "handout", "count": 1, "example": "h1"],
                ],
            ]
        )
        let question = try await AdministratorsPages.browser(all).get("/imports/i1/undo")
        #expect(question.text.contains("People: 2 are no longer as the import left them"))
        #expect(question.text.contains("href=\"/people/p8\""))
        #expect(question.text.contains("Classes: 1 has something that refers to it"))
        #expect(!question.text.contains("method=\"post\" action=\"/imports/i1/undo\""))
    }

    @Test(arguments: [
        ("import_undone", "was undone before"), ("import_not_kept", "is not kept any more"),
        ("imports_under_way", "Another import is under way"),
        ("import_not_applied", "nothing to undo"),
    ])
    func `a refusal is explained`(code: String, words: String) async throws {
        var all = answers("succeeded")
        all["POST /v1/imports/i1/undo"] = FakeAPI.problem(409, code)
        let page = try await AdministratorsPages.browser(all).get("/imports/i1/undo")
        #expect(page.status == 409 && page.text.contains(words))
    }

    @Test func `an import that is undone says so, in its page and in the list`() async throws {
        var all = answers("undone", undone: true)
        all["GET /v1/imports"] = (
            200,
            [
                "items": [
                    [
                        "id": "i1", "status": "undone", "mode": "apply",
                        "createdAt": "2026-11-22T02:10:00.000Z", "archiveBytes": 2_540_000,
                    ]
                ]
            ]
        )
        let browser = AdministratorsPages.browser(all)
        let page = try await browser.get("/imports/i1")
        #expect(page.text.contains("This import is undone"))
        #expect(page.text.contains("by <bdi>Ada Lind&lt;qvist&gt;</bdi>"))
        #expect(page.text.contains("What happened"))
        #expect(!page.text.contains("href=\"/imports/i1/undo\""))
        #expect(try await browser.get("/imports").text.contains("Undone"))
    }

    @Test func `it is offered for thirty days, to administrators`() async throws {
        let link = "href=\"/imports/i1/undo\""
        let last = answers("succeeded", finished: "2026-10-23T10:01:00.000Z")
        #expect(try await AdministratorsPages.browser(last).get("/imports/i1").text.contains(link))
        let late = answers("succeeded", finished: "2026-10-22T02:10:00.000Z")
        #expect(
            !(try await AdministratorsPages.browser(late).get("/imports/i1").text.contains(link)))
        let manager = AdministratorsPages.browser(answers("succeeded"), as: "peopleManager")
        let page = try await manager.get("/imports/i1")
        #expect(page.status == 200 && !page.text.contains(link))
        let planned = AdministratorsPages.browser(answers("planned"))
        #expect(!(try await planned.get("/imports/i1").text.contains(link)))
    }
}
