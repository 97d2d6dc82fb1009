import JSONBytes
import Testing

@testable import Pages

/// What a school grants its teachers, as an administrator sets it.
@Suite struct PrivilegesOnPages {
    private static func setting(
        _ name: String, _ location: JSONValue, _ granted: Bool, inherited: Bool
    ) -> JSONValue {
        [
            "privilege": .text(name), "locationId": location, "granted": .bool(granted),
            "inherited": .bool(inherited),
        ]
    }

    /// Classes are made in the whole organization but not in the north; passwords are reset everywhere by default.
    private func browser(locations: [String] = ["n", "s"]) -> Browser {
        let own: [JSONValue] = [
            Self.setting("makeClasses", nil, true, inherited: false),
            Self.setting("resetPasswords", nil, true, inherited: true),
        ]
        let theirs = locations.flatMap { id in
            [
                Self.setting(
                    "makeClasses", .text(id), id != "n", inherited: id != "n"),
                Self.setting("resetPasswords", .text(id), true, inherited: true),
            ]
        }
        var answers: [String: FakeAPI.Answer] = [
            "GET /v1/me": (200, FakeAPI.me(standings: ["administrator"])),
            "GET /v1/privileges": (200, ["items": .array(own + theirs)]),
            "GET /v1/locations": (
                200,
                [
                    "items": .array(
                        locations.map { ["id": .text($0), "name": .text("Building <\($0)>")] })
                ]
            ),
        ]
        for name in ["makeClasses", "resetPasswords"] {
            answers["PUT /v1/privileges/\(name)"] = (204, .null)
            for id in locations {
                answers["PUT /v1/privileges/\(name)/locations/\(id)"] = (204, .null)
                answers["DELETE /v1/privileges/\(name)/locations/\(id)"] = (204, .null)
            }
        }
        let browser = Browser(FakeAPI(answers))
        browser.signIn()
        return browser
    }

    private func changes(_ browser: Browser) -> [String] {
        browser.api.calls.filter { !$0.line.hasPrefix("GET") && $0.line.contains("/privileges/") }
            .map { "\($0.line) \($0.body)" }
    }

    @Test func `each location has its boxes, and roles say what they do`() async throws {
        let page = try await browser().get("/school/privileges")
        #expect(page.text.contains("Building &lt;n&gt;") && page.text.contains("Content manager"))
        #expect(page.text.contains("name=\"makeClasses\" value=\"s\" checked"))
        #expect(page.text.contains("name=\"makeClasses\" value=\"n\"><span"))
        #expect(page.text.contains("Make classes: The whole organization"))
    }

    @Test func `a school with one location sees one row`() async throws {
        let page = try await browser(locations: ["s"]).get("/school/privileges")
        #expect(page.text.contains("The whole organization"))
        #expect(!page.text.contains("Building"))
    }

    @Test func `only what was changed is sent, and what equals the organization is inherited`()
        async throws
    {
        let shown: [(String, String)] = [
            ("was-makeClasses", "all"), ("was-makeClasses", "s"), ("was-resetPasswords", "all"),
            ("was-resetPasswords", "n"), ("was-resetPasswords", "s"),
        ]
        let browser = browser()
        _ = try await browser.get("/school/privileges")
        let done = try await browser.post(
            "/school/privileges",
            shown + [
                ("makeClasses", "all"), ("makeClasses", "s"), ("makeClasses", "n"),
                ("resetPasswords", "all"), ("resetPasswords", "n"),
            ])
        #expect(done.location == "/school/privileges")
        #expect(
            changes(browser) == [
                "DELETE /v1/privileges/makeClasses/locations/n null",
                "PUT /v1/privileges/resetPasswords/locations/s {\"granted\":false}",
            ])
        let second = self.browser()
        _ = try await second.get("/school/privileges")
        _ = try await second.post(
            "/school/privileges",
            shown + [
                ("makeClasses", "s"), ("resetPasswords", "all"), ("resetPasswords", "n"),
                ("resetPasswords", "s"),
            ])
        #expect(changes(second) == ["PUT /v1/privileges/makeClasses {\"granted\":false}"])
    }
}

/// The classes that teachers make themselves.
@Suite struct MadeClassesOnPages {
    private func browser(
        mayChange: Bool = true, _ answers: [String: FakeAPI.Answer] = [:]
    ) -> Browser {
        let own: [String: FakeAPI.Answer] = [
            "GET /v1/me/privileges": (
                200,
                [
                    "items": .array(
                        mayChange
                            ? [
                                [
                                    "privilege": "makeClasses", "locationId": "l1",
                                    "locationName": "Main <building>",
                                ]
                            ] : [])
                ]
            ),
            "GET /v1/terms": (200, ["items": [["id": "t1", "name": "2026/27"]]]),
            "GET /v1/classes/c1/privileges": (
                200,
                [
                    "classId": "c1", "change": .bool(mayChange),
                    "resetPasswords": .bool(!mayChange),
                ]
            ),
        ]
        return TeacherBrowser.make(own.merging(answers) { _, new in new })
    }

    @Test func `a class is made where the teacher may`() async throws {
        let browser = browser(mayChange: true, ["POST /v1/me/classes": (201, ["id": "c9"])])
        #expect(try await browser.get("/classes").text.contains("href=\"/classes/new\""))
        let form = try await browser.get("/classes/new")
        #expect(form.text.contains("Main &lt;building&gt;</option>"))
        #expect(form.text.contains("2026/27</option>"))
        let done = try await browser.post(
            "/classes/new",
            [("name", " Chess "), ("room", ""), ("locationId", "l1"), ("termId", "")])
        #expect(done.location == "/classes/c9/members")
        #expect(
            browser.api.body(of: "POST /v1/me/classes") == ["name": "Chess", "locationId": "l1"])
        let plain = self.browser(mayChange: false)
        #expect(!(try await plain.get("/classes").text.contains("/classes/new")))
    }

    @Test func `a refusal says why and keeps what was typed`() async throws {
        for (status, code, words) in [
            (403, "forbidden", "may not make classes at this location"),
            (409, "term_closed", "This term is closed"),
            (409, "too_many_made_classes", "made 50 classes"),
        ] {
            let browser = browser(
                mayChange: true, ["POST /v1/me/classes": FakeAPI.problem(status, code)])
            _ = try await browser.get("/classes/new")
            let page = try await browser.post(
                "/classes/new", [("name", "Chess <club>"), ("locationId", "l1")])
            #expect(page.status == status && page.text.contains(words))
            #expect(page.text.contains("value=\"Chess &lt;club&gt;\""))
        }
    }

    @Test func `the roster offers only what works`() async throws {
        let changing = try await browser().get("/classes/c1/roster")
        #expect(changing.text.contains("href=\"/classes/c1/members\""))
        #expect(changing.text.contains("href=\"/classes/c1/edit\""))
        #expect(!changing.text.contains("/password") && !changing.text.contains("sign-in-sheet"))
        let plain = try await browser(mayChange: false).get("/classes/c1/roster")
        #expect(!plain.text.contains("/members") && !plain.text.contains("/c1/edit"))
        #expect(plain.text.contains("/password") && plain.text.contains("sign-in-sheet"))
    }

    @Test func `fields are changed, and a class is removed after a question`() async throws {
        let browser = browser(
            mayChange: true,
            [
                "PATCH /v1/me/classes/c1": (200, ["id": "c1"]),
                "DELETE /v1/me/classes/c1": FakeAPI.problem(409, "class_in_use"),
            ])
        #expect(try await browser.get("/classes/c1/edit").text.contains("Mathematics &lt;7&gt;"))
        let saved = try await browser.post(
            "/classes/c1/edit", [("name", "Maths"), ("number", ""), ("room", "B 12")])
        #expect(saved.location == "/classes/c1/roster")
        #expect(
            browser.api.body(of: "PATCH /v1/me/classes/c1")
                == ["name": "Maths", "number": .null, "room": "B 12"])
        _ = try await browser.get("/classes/c1/removal")
        #expect(!browser.api.lines.contains("DELETE /v1/me/classes/c1"))
        let kept = try await browser.post("/classes/c1/removal")
        #expect(kept.status == 409 && kept.text.contains("so it stays"))
        let plain = self.browser(mayChange: false)
        #expect(try await plain.get("/classes/c1/edit").status == 404)
        #expect(try await plain.get("/classes/c1/members").status == 404)
    }

    @Test func `people are searched, added and removed`() async throws {
        let browser = browser(
            mayChange: true,
            [
                "GET /v1/me/classes/c1/candidates": (
                    200,
                    [
                        "items": [
                            [
                                "id": "s9", "givenName": "Ana <b>", "familyName": "Silva",
                                "grade": "8",
                            ]
                        ]
                    ]
                ),
                "PUT /v1/me/classes/c1/students/s9": (204, .null),
                "DELETE /v1/me/classes/c1/students/s1": (204, .null),
                "DELETE /v1/me/classes/c1/teachers/p2": FakeAPI.problem(409, "last_teacher"),
            ])
        let page = try await browser.get("/classes/c1/members?q=ana%20s&role=student")
        #expect(page.text.contains("Ana &lt;b&gt; Silva") && page.text.contains("Grade 8"))
        #expect(page.text.contains("Jonas Weiß") && page.text.contains("Mira Castell"))
        #expect(
            browser.api.queries("GET /v1/me/classes/c1/candidates") == ["role=student&q=ana s"])
        let added = try await browser.post("/classes/c1/members/student/s9/add")
        #expect(added.location == "/classes/c1/members")
        #expect(browser.api.lines.contains("PUT /v1/me/classes/c1/students/s9"))
        let ended = try await browser.post("/classes/c1/members/student/s1/end")
        #expect(ended.location == "/classes/c1/members")
        let last = try await browser.post("/classes/c1/members/teacher/p2/end")
        #expect(last.status == 409 && last.text.contains("keeps at least one teacher"))
    }

    @Test func `a search that is too short or too many says so`() async throws {
        for (status, words) in [(400, "at least three letters"), (429, "searched 300 times")] {
            let browser = browser(
                mayChange: true,
                ["GET /v1/me/classes/c1/candidates": FakeAPI.problem(status, "refused")])
            let page = try await browser.get("/classes/c1/members?q=a%22b&role=teacher")
            #expect(page.status == status && page.text.contains(words))
            #expect(page.text.contains("value=\"a&quot;b\""))
        }
    }
}
