import Contract
import Testing

@testable import Pages

/// What an import found and would change, and who decides about it.
@Suite struct ImportScreens {
    private func browser(_ answers: [String: FakeAPI.Answer]) -> Browser {
        AdministratorsPages.browser(answers)
    }

    private func importAnswers(
        _ status: ImportStatus, removed: Int = 131, removesMuch: Bool = false
    ) -> [String: FakeAPI.Answer] {
        let hasFailed = status == .failed
        let details = FakeImports.details(status) {
            $0.summary.errorCount = hasFailed ? 2 : 0
            $0.summary.progress = 0.4
            $0.summary.fileName = "Year <27>.zip"
            $0.summary.removesMuch = removesMuch
            $0.summary.sentBy = Document {
                $0.kind = .person
                $0.id = "p7"
                $0.givenName = "Ada"
                $0.familyName = "Lind<qvist>"
            }
            $0.errors = hasFailed ? [Self.error] : []
            let file = FakeImports.file(
                .students, rows: 1447, created: 4, changed: 12, unchanged: 431, removed: removed)
            $0.files = hasFailed ? [] : [file]
            $0.tallies = Self.tallies
            $0.removals = [
                removal(.people, 20, of: 613), removal(.classes, 0, of: 40),
                removal(.seats, 1111, of: 5760),
            ]
        }
        let rows = ListPage(hasFailed ? [] : [Self.change])
        return [
            "GET /v1/imports/i1": FakeAPI.answer(details),
            "GET /v1/imports/i1/people": FakeAPI.answer(ListPage<ImportedPerson>([])),
            "GET /v1/imports/i1/changes": FakeAPI.answer(rows),
            "POST /v1/imports/i1/approval": FakeAPI.answer(FakeImports.queued, status: 202),
        ]
    }

    private static let error = Document<ImportError> {
        $0.file = "students.csv"
        $0.line = 1214
        $0.column = "email_address"
        $0.code = .invalidEmail
        $0.text = "“a@” is not an address."
    }

    private static let change = Document<ImportChange> {
        $0.file = .students
        $0.change = .changed
        $0.line = 7
        $0.sourceId = "S-<1>"
        $0.fields = ["grade"]
        $0.values = []
    }

    private static let tallies: [Document<ImportTally>] = [
        Document {
            $0.level = .note
            $0.file = "students.csv"
            $0.code = "respelled"
            $0.count = 1214
            $0.lines = [2, 3, 4]
        },
        Document {
            $0.level = .warning
            $0.code = "a_newer_kind"
            $0.count = 1
            $0.lines = []
        },
        Document {
            $0.level = .warning
            $0.file = "students.csv"
            $0.column = "person_id"
            $0.code = ImportFindingCode.movedID.rawValue
            $0.count = 2
            $0.lines = [9]
        },
    ]

    private func removal(
        _ kind: RemovalKind, _ removed: Int, of present: Int
    ) -> Document<ImportRemoval> {
        Document {
            $0.kind = kind
            $0.removed = removed
            $0.present = present
        }
    }

    @Test func `a row that is used once somebody approves it is to be checked, not left out`()
        async throws
    {
        let page = try await browser(importAnswers(.awaitingApproval)).get("/imports/i1")
        let kind = Texts(.english)(ImportKindText.movedID)
        #expect(page.text.contains("\(kind)</th><td>To check</td>"))
        #expect(page.text.contains("a_newer_kind</th><td>Left out</td>"))
    }

    @Test func `an import that waits is approved after its removals are read`() async throws {
        let browser = browser(importAnswers(.awaitingApproval, removesMuch: true))
        let page = try await browser.get("/imports/i1")
        #expect(
            page.text.contains(
                "<bdi>Year &lt;27&gt;.zip</bdi> · Apple School Manager CSV · 165 kB · sent by "
                    + "<a href=\"/people/p7\"><bdi>Ada Lind&lt;qvist&gt;</bdi></a>"))
        #expect(page.text.contains("would remove more than a tenth"))
        #expect(page.text.contains("<span class=\"bad\">131</span>"))
        #expect(page.text.contains("Removed 131") && page.text.contains("S-&lt;1&gt;"))
        #expect(page.text.contains("20 of 613 people would be deactivated"))
        #expect(page.text.contains("1,111 of 5,760 memberships would end"))
        #expect(!page.text.contains("classes would be archived"), "there are none")
        #expect(page.text.contains("nobody approves this by mistake: 131"))
        for wrong in [[], [("removed", "")], [("removed", "13")], [("understood", "yes")]] {
            let unread = try await browser.post("/imports/i1/approval", wrong)
            #expect(unread.status == 422 && unread.text.contains("This is not the number"))
        }
        #expect(!browser.api.lines.contains("POST /v1/imports/i1/approval"))
        let approved = try await browser.post("/imports/i1/approval", [("removed", " 1,31 ")])
        #expect(approved.location == "/imports/i1")
        #expect(browser.api.lines.contains("POST /v1/imports/i1/approval"))
    }

    @Test func `what was found is counted by kind, in the language of the reader`() async throws {
        let page = try await browser(importAnswers(.planned)).get("/imports/i1")
        #expect(page.text.contains("By kind") && page.text.contains("Put right"))
        #expect(page.text.contains("Words in another case, or yes and no in other words"))
        #expect(page.text.contains("1,214") && page.text.contains("2 · 3 · 4"))
        #expect(page.text.contains("a_newer_kind"), "a kind without words keeps its code")
    }

    @Test func `all that was found is a table`() async throws {
        let browser = AdministratorsPages.browser(
            importAnswers(.planned), tables: ["GET /v1/imports/i1/findings": "level,code\r\n"])
        let page = try await browser.get("/imports/i1")
        #expect(page.text.contains("href=\"/imports/i1/findings.csv\""))
        let table = try await browser.get("/imports/i1/findings.csv")
        #expect(table.text == "level,code\r\n" && table.header("Content-Type") == "text/csv")
    }

    @Test func `a finding is said in the reader's language, then quoted`() async throws {
        let german = [(name: "Accept-Language", value: "de")]
        let page = try await browser(importAnswers(.failed)).get("/imports/i1", german)
        let kind = Texts(.german)(ImportKindText.invalidEmail)
        #expect(page.text.contains("<p>\(kind)</p><p class=\"small soft\" lang=\"en\">“a@”"))
        let english = try await browser(importAnswers(.failed)).get("/imports/i1")
        #expect(english.text.contains("<td class=\"text\"><p lang=\"en\">“a@” is not"))
    }

    @Test func `an import that waits because people may be in the archive says that`()
        async throws
    {
        let page = try await browser(importAnswers(.awaitingApproval)).get("/imports/i1")
        #expect(page.text.contains("Some of those who would be removed may be in the archive"))
        #expect(!page.text.contains("more than a tenth"))
    }

    @Test func `a preview that would remove much says so, and asks for the number`() async throws {
        let browser = browser(importAnswers(.planned, removesMuch: true))
        let page = try await browser.get("/imports/i1")
        #expect(page.text.contains("would remove more than a tenth"))
        #expect(page.text.contains("20 of 613 people would be deactivated"))
        #expect(try await browser.post("/imports/i1/approval").status == 422)
        let approved = try await browser.post("/imports/i1/approval", [("removed", "131")])
        #expect(approved.status == 303)
    }

    @Test func `a preview that removes little asks only whether that was read`() async throws {
        let browser = browser(importAnswers(.planned))
        let page = try await browser.get("/imports/i1")
        #expect(!page.text.contains("more than a tenth"))
        #expect(page.text.contains("what would be removed: 131 records"))
        let unread = try await browser.post("/imports/i1/approval")
        #expect(unread.status == 422 && unread.text.contains("Tick the box when you have read"))
        let approved = try await browser.post("/imports/i1/approval", [("understood", "yes")])
        #expect(approved.status == 303)
    }

    @Test func `a preview that removes nothing is approved without a word`() async throws {
        let browser = browser(importAnswers(.planned, removed: 0))
        let page = try await browser.get("/imports/i1")
        #expect(!page.text.contains("name=\"understood\""))
        #expect(!page.text.contains("name=\"removed\""))
        #expect(try await browser.post("/imports/i1/approval").status == 303)
    }

    @Test func `a failed import names file, line and column`() async throws {
        let page = try await browser(importAnswers(.failed)).get("/imports/i1")
        #expect(page.text.contains("Nothing was changed") && page.text.contains("2 errors"))
        #expect(page.text.contains(">1,214</td><td class=\"code\">email_address</td>"))
        #expect(page.text.contains("Only the first is shown."))
        #expect(!page.text.contains("/approval"))
    }

    @Test func `an import under way says how far it is, and can be left alone`() async throws {
        let page = try await browser(importAnswers(.running)).get("/imports/i1")
        #expect(page.text.contains("<div data-pending role=\"status\">"))
        #expect(page.text.contains("40% done") && page.text.contains("the work continues"))
        let over = try await browser(importAnswers(.planned)).get("/imports/i1")
        #expect(!over.text.contains("data-pending"))
    }

    @Test func `imports are listed`() async throws {
        let summary = FakeImports.summary(.failed) {
            $0.mode = .preview
            $0.archiveBytes = 2_540_000
            $0.errorCount = 1
            $0.warningCount = 2
            $0.fileName = "<autumn>.zip"
            $0.sentBy = Document {
                $0.kind = .serviceAccount
                $0.id = "s1"
                $0.name = "Records <b>"
            }
        }
        let answer = FakeAPI.answer(ListPage([summary]))
        let page = try await browser(["GET /v1/imports": answer]).get("/imports")
        #expect(page.text.contains("<a href=\"/imports/i1\">Today, 2:10</a>"))
        #expect(page.text.contains("1 error · 2 warnings") && page.text.contains("2.5 MB"))
        #expect(page.text.contains("Preview") && page.text.contains("Failed"))
        #expect(page.text.contains("<bdi>&lt;autumn&gt;.zip</bdi>"))
        #expect(page.text.contains("<td><bdi>Records &lt;b&gt;</bdi></td>"))
        #expect(page.text.contains("href=\"/imports/new\""))
    }
}
