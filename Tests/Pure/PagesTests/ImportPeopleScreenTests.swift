import Contract
import Testing
import Values

@testable import Pages

/// A plan that speaks of people, and the page that undoes an import.
@Suite struct ImportPeopleScreens {
    private static let leaver = Document<ImportedPerson> {
        $0.change = .removed
        $0.sourceId = "604821"
        $0.personId = "p8"
        $0.givenName = "Tyrone"
        $0.familyName = "Dyer <b>"
        $0.nameOrder = .givenFirst
        $0.role = .student
        $0.grade = "01"
        $0.location = "Elementary"
        $0.values = []
        $0.roles = []
        $0.seats = [
            Document {
                $0.change = .removed
                $0.class = "Science <1>"
                $0.role = .student
            }
        ]
        $0.seatCount = 51
    }

    private static let bride = Document<ImportedPerson> {
        $0.change = .changed
        $0.sourceId = "T9"
        $0.personId = "p9"
        $0.givenName = "Angelique"
        $0.familyName = "Neumann-Buck"
        $0.nameOrder = .givenFirst
        $0.role = .staff
        $0.values = [
            value("familyName", "Neumann-Buck", "Avila"), value("email", nil, "a@b.example"),
            value("status", "inactive", "active"),
        ]
        $0.roles = [
            Document {
                $0.role = "teacher"
                $0.location = "Middle"
                $0.change = .created
            }
        ]
        $0.seats = []
        $0.seatCount = 0
    }

    private static func value(
        _ name: String, _ was: String?, _ becomes: String?
    ) -> Document<ImportValue> {
        Document {
            $0.name = name
            $0.was = was
            $0.becomes = becomes
        }
    }

    private static let row = Document<ImportChange> {
        $0.file = .classes
        $0.change = .changed
        $0.line = 7
        $0.sourceId = "K-1"
        $0.name = "Biology <7>"
        $0.fields = ["termId", "teacherIds"]
        $0.values = [value("termId", "Spring", "Autumn")]
    }

    private func answers(
        _ status: ImportStatus, undone: Bool = false,
        finished: String = "2026-11-20T02:10:00.000Z"
    ) -> [String: FakeAPI.Answer] {
        let details = FakeImports.details(status, at: "2026-11-20T02:00:00.000Z") {
            $0.summary.finishedAt = Timestamp(finished)
            $0.files = [
                FakeImports.file(
                    .students, rows: 400, created: 4, changed: 12, unchanged: 300, removed: 1),
                FakeImports.file(.rosters, rows: 900, created: 40, unchanged: 300, removed: 77),
            ]
            guard undone else { return }
            $0.summary.undoneAt = Timestamp("2026-11-22T09:00:00.000Z")
            $0.summary.undoneBy = Document {
                $0.id = "p7"
                $0.givenName = "Ada"
                $0.familyName = "Lind<qvist>"
                $0.nameOrder = .givenFirst
            }
        }
        return [
            "GET /v1/imports/i1": FakeAPI.answer(details),
            "GET /v1/imports/i1/people": FakeAPI.answer(ListPage([Self.leaver, Self.bride])),
            "GET /v1/imports/i1/changes": FakeAPI.answer(ListPage([Self.row])),
        ]
    }

    @Test func `a plan says who leaves and what changes, by name`() async throws {
        let browser = AdministratorsPages.browser(answers(.planned))
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
            answers(.planned), tables: ["GET /v1/imports/i1/changes": "file,change\r\n"])
        #expect(
            try await browser.get("/imports/i1").text.contains("href=\"/imports/i1?show=rows\""))
        let table = try await browser.get("/imports/i1/changes.csv")
        #expect(table.text == "file,change\r\n" && table.header("Content-Type") == "text/csv")
        let rows = AdministratorsPages.browser(answers(.planned))
        let page = try await rows.get("/imports/i1?show=rows")
        #expect(page.text.contains("<bdi>Biology &lt;7&gt;</bdi>"))
        #expect(
            page.text.contains("Term: <bdi>Spring</bdi> → <strong><bdi>Autumn</bdi></strong>"))
        #expect(page.text.contains("Differs: Teachers"))
        #expect(page.text.contains("Removed 78"))
    }

    @Test func `a plan in another language says fields and values in it`() async throws {
        let german = [(name: "Accept-Language", value: "de")]
        let page = try await AdministratorsPages.browser(answers(.planned))
            .get("/imports/i1", german)
        #expect(page.text.contains("Nachname: <bdi>Neumann-Buck</bdi>"))
        #expect(page.text.contains("Status: deaktiviert → <strong>aktiv</strong>"))
    }

    // MARK: Undo

    private static func rows(
        _ kind: UndoneKind, _ change: RowChange, _ count: Int
    ) -> Document<UndoneRows> {
        Document {
            $0.kind = kind
            $0.change = change
            $0.count = count
        }
    }

    private static func obstacle(
        _ kind: UndoneKind, _ reason: String, _ count: Int, _ example: String
    ) -> Document<UndoObstacle> {
        Document {
            $0.kind = kind
            $0.reason = reason
            $0.count = count
            $0.example = example
        }
    }

    private let dry = Document<ImportUndoing> {
        $0.undone = false
        $0.obstacles = []
        $0.rows = [
            rows(.person, .changed, 13), rows(.person, .created, 4), rows(.seat, .created, 40),
            rows(.seat, .changed, 77),
        ]
    }

    @Test func `the dry run is the question before an import is undone`() async throws {
        var all = answers(.succeeded)
        all["POST /v1/imports/i1/undo"] = FakeAPI.answer(dry)
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
        var all = answers(.succeeded)
        let blocked = Document<ImportUndoing> {
            $0.undone = false
            $0.rows = []
            $0.obstacles = [
                Self.obstacle(.person, "changed", 2, "p8"),
                Self.obstacle(.class, "handout", 1, "h1"),
            ]
        }
        all["POST /v1/imports/i1/undo"] = FakeAPI.answer(blocked)
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
        var all = answers(.succeeded)
        all["POST /v1/imports/i1/undo"] = FakeAPI.problem(409, code)
        let page = try await AdministratorsPages.browser(all).get("/imports/i1/undo")
        #expect(page.status == 409 && page.text.contains(words))
    }

    @Test func `an import that is undone says so, in its page and in the list`() async throws {
        var all = answers(.undone, undone: true)
        let summary = FakeImports.summary(.undone) { $0.archiveBytes = 2_540_000 }
        all["GET /v1/imports"] = FakeAPI.answer(ListPage([summary]))
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
        let last = answers(.succeeded, finished: "2026-10-23T10:01:00.000Z")
        #expect(try await AdministratorsPages.browser(last).get("/imports/i1").text.contains(link))
        let late = answers(.succeeded, finished: "2026-10-22T02:10:00.000Z")
        #expect(
            !(try await AdministratorsPages.browser(late).get("/imports/i1").text.contains(link)))
        let manager = AdministratorsPages.browser(answers(.succeeded), as: "peopleManager")
        let page = try await manager.get("/imports/i1")
        #expect(page.status == 200 && !page.text.contains(link))
        let planned = AdministratorsPages.browser(answers(.planned))
        #expect(!(try await planned.get("/imports/i1").text.contains(link)))
    }
}
