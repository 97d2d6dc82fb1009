import JSONBytes
import Testing

@testable import Pages

@Suite struct RosterOfAClass {
    @Test func `students are listed with how they sign in`() async throws {
        let page = try await TeacherBrowser.make([:]).get("/classes/c1/roster")
        #expect(page.text.contains("2 students") && page.text.contains("Mira Castell"))
        #expect(page.text.contains("mira@harbour.example"))
        #expect(page.text.contains("New</span>") && page.text.contains("Locked</span>"))
        #expect(page.text.contains("href=\"/classes/c1/roster/s1/password\""))
    }

    @Test func `a new password is asked about, made, and shown once`() async throws {
        let call = "POST /v1/people/s1/temporary-password"
        let browser = TeacherBrowser.make([
            call: (
                200,
                [
                    "temporaryPassword": "kmtr-wzbe-4729",
                    "expiresAt": "2026-12-06T10:00:00.000Z",
                ]
            )
        ])
        let question = try await browser.get("/classes/c1/roster/s1/password")
        #expect(question.text.contains("<bdi>Mira Castell</bdi>"))
        #expect(!browser.api.lines.contains(call), "asking changes nothing")
        let page = try await browser.post("/classes/c1/roster/s1/password")
        #expect(page.status == 200 && page.header("Cache-Control") == "no-store")
        #expect(page.text.contains("kmtr-wzbe-4729") && page.text.contains("Sun 6 Dec, 10:00"))
        #expect(page.text.contains("This password is shown once."))
    }

    @Test func `someone who is not in the class gets none`() async throws {
        let browser = TeacherBrowser.make([
            "POST /v1/people/s9/temporary-password": (200, ["temporaryPassword": "secret"])
        ])
        _ = try await browser.get("/classes/c1/roster/s1/password")
        #expect(try await browser.get("/classes/c1/roster/s9/password").status == 404)
        #expect(try await browser.post("/classes/c1/roster/s9/password").status == 404)
        #expect(!browser.api.lines.contains("POST /v1/people/s9/temporary-password"))
    }

    @Test func `where the API refuses, a person is named who can help`() async throws {
        let browser = TeacherBrowser.make([
            "POST /v1/people/s1/temporary-password": FakeAPI.problem(403, "forbidden")
        ])
        _ = try await browser.get("/classes/c1/roster/s1/password")
        let page = try await browser.post("/classes/c1/roster/s1/password")
        #expect(page.status == 403 && page.text.contains("Ask your administrator."))
        #expect(!page.text.contains("The API's own words"))
    }

    private static let sheet = """
        \u{FEFF}personId,givenName,familyName,classes,managedId,temporaryPassword,expiresAt,nameOrder\r
        s1,Mira,"Castell, ""M"" R.",Mathematics,mira@harbour.example,kmtr-wzbe-4729,\
        2026-12-06T10:00:00.000Z,givenFirst\r
        s2,'=Ifẹ́,<b>,Mathematics,ife@harbour.example,1234,2026-12-06T10:00:00.000Z,familyFirst\r

        """

    @Test func `a sheet is made for those who have never signed in`() async throws {
        let browser = TeacherBrowser.make([:])
        browser.api.set("POST /v1/sign-in-sheets", text: Self.sheet)
        let question = try await browser.get("/classes/c1/sign-in-sheet")
        #expect(question.text.contains("value=\"new\" checked"))
        let page = try await browser.post("/classes/c1/sign-in-sheet", [("who", "new")])
        #expect(page.status == 200 && page.header("Cache-Control") == "no-store")
        #expect(page.text.contains("Mira Castell, &quot;M&quot; R."))
        #expect(page.text.contains("&lt;b&gt; =Ifẹ́") && page.text.contains("kmtr-wzbe-4729"))
        #expect(page.text.contains("2 slips"))
        #expect(
            browser.api.body(of: "POST /v1/sign-in-sheets") == ["personIds": ["s1"]],
            "only one of the two is new")
        _ = try await browser.get("/classes/c1/sign-in-sheet")
        _ = try await browser.post("/classes/c1/sign-in-sheet", [("who", "all")])
        #expect(browser.api.body(of: "POST /v1/sign-in-sheets") == ["classId": "c1"])
    }

    @Test func `a sheet that is refused says so in words`() async throws {
        for (status, words) in [(409, "The sheet was not made"), (422, "empty or too long")] {
            let browser = TeacherBrowser.make([
                "POST /v1/sign-in-sheets": FakeAPI.problem(status, "whatever")
            ])
            _ = try await browser.get("/classes/c1/sign-in-sheet")
            let page = try await browser.post("/classes/c1/sign-in-sheet", [("who", "all")])
            #expect(page.status == status && page.text.contains(words))
        }
    }
}

@Suite struct AnnouncementsOnPages {
    private static func message(_ id: String, by author: JSONValue) -> JSONValue {
        [
            "id": .text(id), "classId": "c1", "text": .text("Bring <\(id)>.\nTomorrow."),
            "authorId": author, "createdAt": "2026-11-20T08:00:00.000Z",
        ]
    }

    private func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        let own: [String: FakeAPI.Answer] = [
            "GET /v1/announcements": (
                200,
                [
                    "items": [
                        Self.message("a1", by: "p1"), Self.message("a2", by: "p2"),
                        Self.message("a3", by: nil), Self.message("a4", by: "p1"),
                    ]
                ]
            ),
            "GET /v1/announcements/a1": (200, Self.message("a1", by: "p1")),
        ]
        return TeacherBrowser.make(own.merging(answers) { _, new in new })
    }

    @Test func `a class shows the newest three, and its own page all`() async throws {
        let browser = browser()
        let page = try await browser.get("/classes/c1")
        #expect(page.text.contains("Bring &lt;a4&gt;.") && page.text.contains("Bring &lt;a2&gt;."))
        #expect(!page.text.contains("Bring &lt;a1&gt;.") && page.text.contains("All (4)"))
        #expect(page.text.contains("<bdi>Jonas Weiß</bdi>, Fri 20 Nov, 8:00"))
        #expect(page.text.contains("You, Fri 20 Nov, 8:00"))
        let all = try await browser.get("/classes/c1/announcements")
        #expect(all.text.contains("Bring &lt;a1&gt;.") && all.text.contains("Bring &lt;a4&gt;."))
    }

    @Test func `one is posted`() async throws {
        let browser = browser(["POST /v1/announcements": (201, Self.message("a5", by: "p1"))])
        _ = try await browser.get("/classes/c1")
        let done = try await browser.post(
            "/classes/c1/announcements", [("text", " Bring\r\nan atlas. ")])
        #expect(done.status == 303 && done.location == "/classes/c1")
        #expect(
            browser.api.body(of: "POST /v1/announcements") == [
                "classId": "c1", "text": "Bring\nan atlas.",
            ])
        let empty = try await browser.post("/classes/c1/announcements", [("text", "  ")])
        #expect(empty.status == 422 && empty.text.contains("href=\"#text\">Write something first"))
    }

    @Test func `one is changed, and removed after a question`() async throws {
        let browser = browser([
            "PATCH /v1/announcements/a1": (200, Self.message("a1", by: "p1")),
            "DELETE /v1/announcements/a1": (204, nil),
        ])
        let form = try await browser.get("/announcements/a1/edit")
        #expect(form.text.contains("Bring &lt;a1&gt;.\nTomorrow.</textarea>"))
        let saved = try await browser.post(
            "/announcements/a1/edit", [("text", "Stay."), ("version", "\"2\"")])
        #expect(saved.location == "/classes/c1")
        #expect(browser.api.body(of: "PATCH /v1/announcements/a1") == ["text": "Stay."])
        _ = try await browser.get("/announcements/a1/delete")
        #expect(!browser.api.lines.contains("DELETE /v1/announcements/a1"))
        let gone = try await browser.post("/announcements/a1/delete", [("tag", "\"2\"")])
        #expect(gone.location == "/classes/c1")
        #expect(browser.api.calls.last { $0.line.hasPrefix("DELETE") }?.match == "\"2\"")
    }

    @Test func `what somebody else changed meanwhile is not replaced`() async throws {
        let browser = browser([
            "PATCH /v1/announcements/a1": FakeAPI.problem(412, "precondition_failed")
        ])
        _ = try await browser.get("/announcements/a1/edit")
        let page = try await browser.post(
            "/announcements/a1/edit", [("text", "Mine"), ("version", "\"2\"")])
        #expect(page.status == 412)
    }
}
