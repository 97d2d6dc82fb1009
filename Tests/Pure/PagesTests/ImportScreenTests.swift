import JSONBytes
import Testing

@testable import Pages

/// What an import found and would change, and who decides about it.
@Suite struct ImportScreens {
    private func browser(_ answers: [String: FakeAPI.Answer]) -> Browser {
        AdministratorsPages.browser(answers)
    }

    private func importAnswers(
        _ status: String, removed: Int64 = 131, removesMuch: Bool = false
    ) -> [String: FakeAPI.Answer] {
        let hasFailed = status == "failed"
        let error: JSONValue = [
            "file": "students.csv", "line": 1214, "column": "email_address",
            "code": "invalid_email", "text": "“a@” is not an address.",
        ]
        let file: JSONValue = [
            "name": "students.csv", "rows": 1447, "created": 4, "changed": 12, "unchanged": 431,
            "removed": .number(JSONNumber(removed)), "skipped": 0,
        ]
        let change: JSONValue = [
            "file": "students.csv", "change": "changed", "line": 7, "sourceId": "S-<1>",
            "fields": ["grade"],
        ]
        let details: JSONValue = [
            "id": "i1", "status": .text(status), "mode": "apply", "format": "appleCSV",
            "createdAt": "2026-11-22T02:10:00.000Z", "archiveBytes": 164_200,
            "errorCount": hasFailed ? 2 : 0, "warningCount": 0,
            "errors": .array(hasFailed ? [error] : []), "warnings": [], "progress": 0.4,
            "fileName": "Year <27>.zip",
            "sentBy": [
                "kind": "person", "id": "p7", "givenName": "Ada", "familyName": "Lind<qvist>",
            ],
            "files": .array(hasFailed ? [] : [file]), "removesMuch": .bool(removesMuch),
            "tallies": [
                [
                    "level": "note", "file": "students.csv", "code": "respelled", "count": 1214,
                    "lines": [2, 3, 4],
                ],
                ["level": "warning", "code": "a_newer_kind", "count": 1, "lines": []],
            ],
            "removals": [
                ["kind": "people", "removed": 20, "present": 613],
                ["kind": "classes", "removed": 0, "present": 40],
                ["kind": "seats", "removed": 1111, "present": 5760],
            ],
        ]
        return [
            "GET /v1/imports/i1": (200, details),
            "GET /v1/imports/i1/people": (200, ["items": []]),
            "GET /v1/imports/i1/changes": (200, ["items": .array(hasFailed ? [] : [change])]),
            "POST /v1/imports/i1/approval": (202, ["id": "i1", "status": "queued"]),
        ]
    }

    @Test func `an import that waits is approved after its removals are read`() async throws {
        let browser = browser(importAnswers("awaitingApproval", removesMuch: true))
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
        let page = try await browser(importAnswers("planned")).get("/imports/i1")
        #expect(page.text.contains("By kind") && page.text.contains("Put right"))
        #expect(page.text.contains("Words in another case, or yes and no in other words"))
        #expect(page.text.contains("1,214") && page.text.contains("2 · 3 · 4"))
        #expect(page.text.contains("a_newer_kind"), "a kind without words keeps its code")
    }

    @Test func `all that was found is a table`() async throws {
        let browser = AdministratorsPages.browser(
            importAnswers("planned"), tables: ["GET /v1/imports/i1/findings": "level,code\r\n"])
        let page = try await browser.get("/imports/i1")
        #expect(page.text.contains("href=\"/imports/i1/findings.csv\""))
        let table = try await browser.get("/imports/i1/findings.csv")
        #expect(table.text == "level,code\r\n" && table.header("Content-Type") == "text/csv")
    }

    @Test func `a finding is said in the reader's language, then quoted`() async throws {
        let german = [(name: "Accept-Language", value: "de")]
        let page = try await browser(importAnswers("failed")).get("/imports/i1", german)
        let kind = Texts(.german)(ImportKindText.invalidEmail)
        #expect(page.text.contains("<p>\(kind)</p><p class=\"small soft\" lang=\"en\">“a@”"))
        let english = try await browser(importAnswers("failed")).get("/imports/i1")
        #expect(english.text.contains("<td class=\"text\"><p lang=\"en\">“a@” is not"))
    }

    @Test func `an import that waits because people may be in the archive says that`()
        async throws
    {
        let page = try await browser(importAnswers("awaitingApproval")).get("/imports/i1")
        #expect(page.text.contains("Some of those who would be removed may be in the archive"))
        #expect(!page.text.contains("more than a tenth"))
    }

    @Test func `a preview that would remove much says so, and asks for the number`() async throws {
        let browser = browser(importAnswers("planned", removesMuch: true))
        let page = try await browser.get("/imports/i1")
        #expect(page.text.contains("would remove more than a tenth"))
        #expect(page.text.contains("20 of 613 people would be deactivated"))
        #expect(try await browser.post("/imports/i1/approval").status == 422)
        let approved = try await browser.post("/imports/i1/approval", [("removed", "131")])
        #expect(approved.status == 303)
    }

    @Test func `a preview that removes little asks only whether that was read`() async throws {
        let browser = browser(importAnswers("planned"))
        let page = try await browser.get("/imports/i1")
        #expect(!page.text.contains("more than a tenth"))
        #expect(page.text.contains("what would be removed: 131 records"))
        let unread = try await browser.post("/imports/i1/approval")
        #expect(unread.status == 422 && unread.text.contains("Tick the box when you have read"))
        let approved = try await browser.post("/imports/i1/approval", [("understood", "yes")])
        #expect(approved.status == 303)
    }

    @Test func `a preview that removes nothing is approved without a word`() async throws {
        let browser = browser(importAnswers("planned", removed: 0))
        let page = try await browser.get("/imports/i1")
        #expect(!page.text.contains("name=\"understood\""))
        #expect(!page.text.contains("name=\"removed\""))
        #expect(try await browser.post("/imports/i1/approval").status == 303)
    }

    @Test func `a failed import names file, line and column`() async throws {
        let page = try await browser(importAnswers("failed")).get("/imports/i1")
        #expect(page.text.contains("Nothing was changed") && page.text.contains("2 errors"))
        #expect(page.text.contains(">1,214</td><td class=\"code\">email_address</td>"))
        #expect(page.text.contains("Only the first is shown."))
        #expect(!page.text.contains("/approval"))
    }

    @Test func `an import under way says how far it is, and can be left alone`() async throws {
        let page = try await browser(importAnswers("running")).get("/imports/i1")
        #expect(page.text.contains("<div data-pending role=\"status\">"))
        #expect(page.text.contains("40% done") && page.text.contains("the work continues"))
        let over = try await browser(importAnswers("planned")).get("/imports/i1")
        #expect(!over.text.contains("data-pending"))
    }

    @Test func `imports are listed`() async throws {
        let answer: FakeAPI.Answer = (
            200,
            [
                "items": [
                    [
                        "id": "i1", "status": "failed", "mode": "preview",
                        "createdAt": "2026-11-22T02:10:00.000Z", "archiveBytes": 2_540_000,
                        "errorCount": 1, "warningCount": 2, "fileName": "<autumn>.zip",
                        "sentBy": [
                            "kind": "serviceAccount", "id": "s1", "name": "Records <b>",
                        ],
                    ]
                ]
            ]
        )
        let page = try await browser(["GET /v1/imports": answer]).get("/imports")
        #expect(page.text.contains("<a href=\"/imports/i1\">Today, 2:10</a>"))
        #expect(page.text.contains("1 error · 2 warnings") && page.text.contains("2.5 MB"))
        #expect(page.text.contains("Preview") && page.text.contains("Failed"))
        #expect(page.text.contains("<bdi>&lt;autumn&gt;.zip</bdi>"))
        #expect(page.text.contains("<td><bdi>Records &lt;b&gt;</bdi></td>"))
        #expect(page.text.contains("href=\"/imports/new\""))
    }
}
