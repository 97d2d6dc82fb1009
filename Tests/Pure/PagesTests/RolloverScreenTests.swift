import JSONBytes
import Testing

@testable import Pages

/// The change to the next term, as an administrator plans it.
@Suite struct RolloverOnPages {
    private static let plan: JSONValue = [
        "revision": "abc",
        "counts": [
            "classesArchived": 1, "classesCopied": 1, "seatsCopied": 2, "studentsMovedUp": 1,
            "studentsLeaving": 1,
        ],
        "items": [
            ["change": "archiveClass", "id": "c1", "name": "Biology <1>"],
            [
                "change": "copyClass", "id": "c1", "name": "Biology <1>", "teachers": 2,
                "students": 0,
            ],
            [
                "change": "leave", "id": "p1", "givenName": "Sue", "familyName": "Example",
                "nameOrder": "givenFirst", "fromGrade": "10",
            ],
            [
                "change": "moveUp", "id": "p2", "givenName": "Sam", "familyName": "Example",
                "nameOrder": "givenFirst", "fromGrade": "3", "toGrade": "4",
            ],
        ],
        "nextPageToken": .null,
    ]

    private func browser(
        _ preview: FakeAPI.Answer = (200, plan), done: FakeAPI.Answer = (200, [:])
    ) -> Browser {
        let term: JSONValue = ["id": "t1", "name": "2026/27", "status": "open"]
        let next: JSONValue = ["id": "t2", "name": "2027/28", "status": "open"]
        let browser = Browser(
            FakeAPI([
                "GET /v1/me": (200, FakeAPI.me(standings: ["administrator"])),
                "GET /v1/terms/t1": (200, term),
                "GET /v1/terms": (200, ["items": [term, next]]),
                "POST /v1/terms/t1/rollover/preview": preview,
                "POST /v1/terms/t1/rollover": done,
            ]))
        browser.signIn()
        return browser
    }

    private static let query = "next=t2&copies=withTeachers&grades=3%20%3D%204%0D%0A10%20%3D"

    @Test func `the list leads to a form, which asks for nothing yet`() async throws {
        let browser = browser()
        let list = try await browser.get("/school/terms")
        #expect(list.text.contains("href=\"/school/terms/t1/rollover\""))
        let page = try await browser.get("/school/terms/t1/rollover")
        #expect(page.status == 200)
        #expect(page.text.contains("2027/28") && !page.text.contains("Carry out the plan"))
        #expect(!browser.api.lines.contains { $0.hasPrefix("POST") && $0.contains("rollover") })
    }

    @Test func `the plan is shown, and its revision carries it out`() async throws {
        let browser = browser()
        let page = try await browser.get("/school/terms/t1/rollover?\(Self.query)")
        #expect(page.status == 200)
        let asked = browser.api.calls.last { $0.line.hasSuffix("/preview") }
        #expect(asked?.body["nextTermId"] == "t2")
        #expect(
            asked?.body["grades"] == [["from": "3", "to": "4"], ["from": "10", "to": .null]])
        #expect(page.text.contains("Biology &lt;1&gt;"))
        #expect(page.text.contains("Moves from 3 to 4"))
        #expect(page.text.contains("name=\"revision\" value=\"abc\""))
        let done = try await browser.post(
            "/school/terms/t1/rollover",
            [
                ("next", "t2"), ("copies", "withTeachers"), ("grades", "3 = 4\r\n10 ="),
                ("revision", "abc"),
            ])
        #expect(done.status == 303 && done.location == "/school/terms")
        let sent = browser.api.calls.last { $0.line == "POST /v1/terms/t1/rollover" }
        #expect(sent?.body["revision"] == "abc" && sent?.body["copyClasses"] == "withTeachers")
    }

    @Test func `a plan that has changed is shown anew`() async throws {
        let browser = browser(done: (409, ["code": "rollover_changed"]))
        #expect(
            try await browser.get("/school/terms/t1/rollover?\(Self.query)").status == 200)
        let page = try await browser.post(
            "/school/terms/t1/rollover",
            [("next", "t2"), ("copies", "empty"), ("grades", ""), ("revision", "old")])
        #expect(page.status == 409)
        #expect(page.text.contains("have changed since you saw the plan"))
        #expect(page.text.contains("name=\"revision\" value=\"abc\""))
    }

    @Test(arguments: ["grades=3", "grades=%3D4", "grades=3%3D4%3D5"])
    func `a grade that is not understood is refused without asking`(query: String) async throws {
        let browser = browser()
        let page = try await browser.get("/school/terms/t1/rollover?copies=none&\(query)")
        #expect(page.status == 422)
        #expect(page.text.contains("Write one line for each grade"))
        #expect(!browser.api.lines.contains { $0.hasSuffix("/preview") })
    }

    @Test(arguments: [
        ("/nextTermId", "Choose a next term that begins later"),
        ("/grades/1/from", "Write one line for each grade"),
    ]) func `what the API refuses is said at its field`(pointer: String, text: String) async throws
    {
        let browser = browser(
            (422, ["code": "invalid_body", "errors": [["pointer": .text(pointer), "code": "x"]]]))
        let page = try await browser.get("/school/terms/t1/rollover?\(Self.query)")
        #expect(page.status == 422)
        #expect(page.text.contains(text))
    }
}
