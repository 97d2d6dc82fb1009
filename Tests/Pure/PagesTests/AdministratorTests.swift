import Contract
import HTTPWire
import JSONBytes
import Testing

@testable import Pages

/// The pages for administrators, with made-up answers of the API.
@Suite struct AdministratorsPages {
    static let mira: JSONValue = [
        "id": "p7", "givenName": "Ada <b>", "familyName": "Lindqvist",
        "managedId": "ada@harbour.example", "status": "locked", "grade": "7",
        "progressPaused": false, "sourceId": "S-7",
        "roles": [
            ["role": "student", "locationId": "l1"], ["role": "staff", "locationId": "l2"],
        ],
    ]

    static let locations: JSONValue = [
        "items": [
            ["id": "l1", "name": "Upper <School>"], ["id": "l2", "name": "Lower School"],
        ]
    ]

    private static let contract: [String: FakeAPI.Answer] = [
        "GET /v1/me": (200, FakeAPI.me(standings: ["administrator"])),
        "GET /v1/organization": (200, organization(isOn: true)),
        "GET /v1/locations": (200, locations),
        "GET /v1/people/p7": (200, mira),
        "GET /v1/classes": (200, ["items": []]),
        "GET /v1/people/p7/sessions": (200, ["items": []]),
    ]

    static func organization(isOn: Bool) -> JSONValue {
        [
            "name": "Harbour", "domains": ["harbour.example", "harbour.test"],
            "managedIdFormat": "{givenName}", "timeZone": "Europe/Zurich",
            "classSizeLimits": ["students": 100, "teachers": 15],
            "studentProgress": ["enabled": .bool(isOn)], "reclaimLicences": true,
            "allowsPasswordsInApps": true,
        ]
    }

    static func browser(
        _ answers: [String: FakeAPI.Answer], as standing: String = "administrator",
        tables: [String: String] = [:], site: String? = nil
    ) -> Browser {
        var all = contract.merging(answers) { _, new in new }
        if standing != "administrator" {
            all["GET /v1/me"] = (200, FakeAPI.me(standings: [standing]))
        }
        let browser = Browser(FakeAPI(all, tables: tables), site: site)
        browser.signIn()
        return browser
    }

    private static func finding(
        _ code: String, _ severity: String, _ count: Int64, _ kind: String = "person",
        ids: [JSONValue] = []
    ) -> JSONValue {
        [
            "code": .text(code), "severity": .text(severity), "text": "The API's text.",
            "advice": "The API's advice.", "subjectKind": .text(kind),
            "count": JSONValue(integerLiteral: count), "subjectIds": .array(ids),
        ]
    }

    private static func checks(_ findings: [JSONValue]) -> FakeAPI.Answer {
        (
            200,
            [
                "ready": true, "checkedAt": "2026-11-22T09:41:00.000Z",
                "findings": .array(findings), "passed": [], "leftOut": [],
                "lastExport": [
                    "exportedOn": "2026-11-21", "takenAt": "2026-11-22T03:00:00.000Z",
                    "isFull": false,
                ],
            ]
        )
    }

    // MARK: Is everything well?

    @Test func `the school says what needs someone, the worst first`() async throws {
        let browser = Self.browser([
            "GET /v1/checks": Self.checks([
                Self.finding("progress_paused", "info", 7),
                Self.finding("class_without_students", "warning", 1, "class"),
                Self.finding("person_cannot_sign_in", "error", 18),
                Self.finding("import_waiting", "warning", 1, "import", ids: ["i1"]),
            ]),
            "GET /v1/imports": FakeAPI.answer(
                ListPage([FakeImports.summary(.awaitingApproval) { $0.format = .appleCSV }])),
        ])
        let text = try await browser.get("/school").text
        #expect(text.contains("<h1 dir=\"auto\">Something does not work</h1>"))
        #expect(text.contains("3 things need you · checked: Today, 9:41"))
        let order = ["18 people in classes", "1 class has no students.", "off for 7 students."]
            .map { text.firstRange(of: $0)?.lowerBound }
        #expect(order.compactMap { $0 }.count == 3)
        #expect(order.compactMap { $0 } == order.compactMap { $0 }.sorted())
        #expect(text.contains("href=\"/school/findings/person_cannot_sign_in\""))
        #expect(text.contains("href=\"/imports/i1\"") && text.contains("Waits for approval"))
        #expect(text.contains("href=\"/people?paused=true\"") && text.contains("Today, 3:00"))
        #expect(text.contains("Contains what changed") && text.contains("Off for 7 students"))
        #expect(!text.contains("The API"))
    }

    @Test(arguments: CheckText.allCases)
    func `every check has a sentence for any number`(check: CheckText) async throws {
        for count: Int64 in [0, 1, 2, 11] {
            let browser = Self.browser([
                "GET /v1/checks": Self.checks([Self.finding(check.rawValue, "error", count)]),
                "GET /v1/imports": (200, ["items": []]),
            ])
            let shown = try await browser.get("/school")
            #expect(shown.status == 200)
            #expect(!shown.text.contains("check."), "a key without a text")
            #expect(
                !shown.text.contains("The API’s text.") && !shown.text.contains("The API's text."))
        }
    }

    @Test func `a school in order reads so, and a new check is not hidden`() async throws {
        let none: [String: FakeAPI.Answer] = [
            "GET /v1/checks": Self.checks([]), "GET /v1/imports": (200, ["items": []]),
        ]
        let well = try await Self.browser(none).get("/school").text
        #expect(well.contains("Everything is well") && well.contains("Nothing needs you"))
        #expect(well.contains("No import yet"))
        let new = none.merging(
            ["GET /v1/checks": Self.checks([Self.finding("brand_new", "warning", 2)])]
        ) { _, new in new }
        let almost = try await Self.browser(new).get("/school").text
        #expect(almost.contains("<span lang=\"en\">The API&#39;s text.</span>"))
        #expect(almost.contains("Almost everything is well"))
    }

    @Test func `someone who does not run the directory sees the school alone`() async throws {
        let browser = Self.browser([:], as: "contentManager")
        let page = try await browser.get("/school")
        #expect(page.status == 200 && page.text.contains("harbour.example and harbour.test"))
        #expect(!browser.api.lines.contains("GET /v1/checks"))
        #expect(!page.text.contains("href=\"/imports\"") && page.text.contains("href=\"/people\""))
    }

    @Test func `a finding names whom it means`() async throws {
        let browser = Self.browser([
            "GET /v1/checks": Self.checks([
                Self.finding("person_cannot_sign_in", "error", 3, ids: ["p7", "gone"])
            ])
        ])
        let text = try await browser.get("/school/findings/person_cannot_sign_in").text
        #expect(text.contains("<a href=\"/people/p7\" dir=\"auto\">Ada &lt;b&gt; Lindqvist</a>"))
        #expect(text.contains("1 of 3 are shown."))
        let other = try await browser.get("/school/findings/class_too_large").text
        #expect(other.contains("This problem is gone"))
    }

    // MARK: People

    @Test func `people are found by name or managed ID, page by page`() async throws {
        let browser = Self.browser([
            "GET /v1/people": (200, ["items": [Self.mira], "nextPageToken": "T2"])
        ])
        let first = try await browser.get("/people?q=ada&role=student&status=")
        #expect(first.text.contains("Ada &lt;b&gt; Lindqvist"))
        #expect(first.text.contains("Student and Staff, grade <bdi>7</bdi>"))
        #expect(first.text.contains("Upper &lt;School&gt; and Lower School"))
        #expect(first.text.contains("href=\"/people?q=ada&amp;role=student&amp;page=T2\""))
        #expect(!first.text.contains("rel=\"prev\""))
        let third = try await browser.get("/people?q=ada&page=T3&passed=T2")
        #expect(third.text.contains("rel=\"prev\" href=\"/people?q=ada&amp;page=T2\""))
        #expect(third.text.contains("page=T2&amp;passed=T2%2CT3"))
        _ = try await browser.get("/people?q=ada%40harbour.example")
        let asked = browser.api.queries("GET /v1/people")
        #expect(asked.contains { $0.contains("q=ada&") && $0.contains("role=student") })
        #expect(asked.last?.contains("managedId=ada@harbour.example") == true)
    }

    @Test func `nobody found says what to try`() async throws {
        let browser = Self.browser(["GET /v1/people": (200, ["items": []])])
        #expect(try await browser.get("/people").text.contains("Nobody found"))
    }

    @Test func `a person's page offers what one may do`() async throws {
        let browser = Self.browser([
            "GET /v1/people/p7/sessions": (
                200,
                [
                    "items": [
                        [
                            "id": "s9", "kind": "app", "bundleId": "com.example.quiz",
                            "startedAt": "2026-11-20T08:00:00.000Z",
                            "lastUsedAt": "2026-11-21T08:00:00.000Z", "current": false,
                        ]
                    ]
                ]
            ),
            "DELETE /v1/people/p7/sessions/s9": (204, .null),
            "DELETE /v1/people/p7/sign-in-lock": (204, .null),
            "DELETE /v1/people/p7/sign-in-links": (204, .null),
        ])
        let page = try await browser.get("/people/p7")
        #expect(page.text.contains("Locked after too many wrong passwords"))
        for path in ["edit", "deactivation", "erasure", "data-export", "pause"] {
            #expect(page.text.contains("href=\"/people/p7/\(path)\""), "\(path)")
        }
        #expect(page.text.contains("href=\"/people/p7/sign-ins\""))
        #expect(!browser.api.lines.contains("GET /v1/people/p7/sessions"), "nobody asked")
        let signIns = try await browser.get("/people/p7/sign-ins")
        #expect(signIns.text.contains("The app com.example.quiz"))
        let ended = try await browser.post("/people/p7/sessions/s9/end")
        #expect(ended.status == 303 && ended.location == "/people/p7")
        #expect(browser.api.lines.contains("DELETE /v1/people/p7/sessions/s9"))
        #expect(try await browser.get("/people/p7").text.contains("That sign-in is ended."))
        #expect(try await browser.post("/people/p7/unlock").status == 303)
        #expect(signIns.text.contains("action=\"/people/p7/sign-in-links/end\""))
        #expect(try await browser.post("/people/p7/sign-in-links/end").status == 303)
        let forgotten = try await browser.get("/people/p7")
        #expect(forgotten.text.contains("Accounts elsewhere are forgotten."))
        #expect(browser.api.lines.contains("DELETE /v1/people/p7/sign-in-links"))
    }

    @Test func `who only reads is offered nothing to change`() async throws {
        let text = try await Self.browser([:], as: "contentManager").get("/people/p7").text
        #expect(text.contains("ada@harbour.example"))
        for word in ["/edit", "/erasure", "temporary-password", "/unlock"] {
            #expect(!text.contains("/people/p7\(word)"), "\(word)")
        }
    }

    @Test func `a temporary password is shown once`() async throws {
        let browser = Self.browser([
            "POST /v1/people/p7/temporary-password": (
                200,
                ["temporaryPassword": "kmtr-wzbe", "expiresAt": "2026-12-06T10:00:00.000Z"]
            )
        ])
        _ = try await browser.get("/people/p7")
        let shown = try await browser.post("/people/p7/temporary-password")
        #expect(shown.status == 200 && shown.text.contains("kmtr-wzbe"))
        #expect(shown.text.contains("Valid until Sun 6 Dec, 10:00"))
        #expect(shown.header("Cache-Control") == "no-store")
    }

    @Test func `what cannot be undone asks once more and says why it failed`() async throws {
        let browser = Self.browser([
            "POST /v1/people/p7/erasure": FakeAPI.problem(409, "last_administrator"),
            "PUT /v1/people/p7/deactivation": (200, Self.mira),
        ])
        #expect(try await browser.get("/people/p7/erasure").text.contains("Erase Ada &lt;b&gt;"))
        let unsure = try await browser.post("/people/p7/erasure")
        #expect(unsure.status == 422 && unsure.text.contains("Tick the box"))
        #expect(!browser.api.lines.contains("POST /v1/people/p7/erasure"))
        let last = try await browser.post("/people/p7/erasure", [("sure", "yes")])
        #expect(last.status == 409 && last.text.contains("the last active administrator"))
        #expect(try await browser.get("/people/p7/deactivation").text.contains("Deactivate Ada"))
        #expect(try await browser.post("/people/p7/deactivation").location == "/people/p7")
    }
}
