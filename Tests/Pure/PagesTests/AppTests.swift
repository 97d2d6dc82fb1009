import HTTPWire
import JSONBytes
import Testing

@testable import Pages

/// The pages about apps and licences.
@Suite struct AppPages {
    private static let app: JSONValue = [
        "adamId": "99", "name": "Star <Chart>", "productType": "App",
        "bundleId": "org.example.starchart", "worksWithSchoolwork": true,
        "deviceAssignable": true, "revocable": true, "totalCount": 90, "assignedCount": 48,
        "availableCount": 42, "waitingCount": 6,
    ]

    private static let pools: JSONValue = [
        "items": [
            [
                "locationId": "l1", "totalCount": 30, "assignedCount": 30, "availableCount": 0,
                "waitingCount": 1,
            ],
            ["locationId": "l2", "totalCount": 60, "assignedCount": 18, "availableCount": 42],
        ]
    ]

    private static let licences: JSONValue = [
        "items": [
            [
                "id": "x1", "locationId": "l1", "personId": "p7",
                "createdAt": "2026-09-04T08:00:00.000Z",
            ],
            [
                "id": "x2", "locationId": "l2", "serialNumber": "F9<X>",
                "createdAt": "2026-10-12T08:00:00.000Z",
            ],
        ]
    ]

    private func browser(
        _ answers: [String: FakeAPI.Answer] = [:], as standing: String = "contentManager"
    ) -> Browser {
        let classes: JSONValue = [
            "items": [["id": "c1", "name": "Science <7>", "number": "7A"]]
        ]
        let all: [String: FakeAPI.Answer] = [
            "GET /v1/apps": (200, ["items": [Self.app]]), "GET /v1/apps/99": (200, Self.app),
            "GET /v1/apps/99/pools": (200, Self.pools),
            "GET /v1/apps/99/licences": (200, Self.licences), "GET /v1/classes": (200, classes),
            "GET /v1/classes/c1": (200, ["id": "c1", "name": "Science <7>"]),
            "GET /v1/people": (200, ["items": [AdministratorsPages.mira]]),
        ]
        return AdministratorsPages.browser(all.merging(answers) { $1 }, as: standing)
    }

    @Test func `apps are listed with what is left of them`() async throws {
        let browser = browser()
        let page = try await browser.get("/apps?person=p7&works=true")
        #expect(page.text.contains("Star &lt;Chart&gt;") && page.text.contains(">42</td>"))
        #expect(page.text.contains("<a href=\"/apps/99\">6 students without one</a>"))
        #expect(page.text.contains("href=\"/apps/99?person=p7\""))
        #expect(page.text.contains("Choose an app for <bdi>Ada &lt;b&gt; Lindqvist</bdi>."))
        #expect(browser.api.queries("GET /v1/apps") == ["limit=100&worksWithSchoolwork=true"])
        let other = self.browser(as: "peopleManager")
        #expect(!(try await other.get("/school").text.contains("href=\"/apps\"")))
    }

    @Test func `an app shows its pools and holders`() async throws {
        let page = try await browser().get("/apps/99?class=c1")
        #expect(page.text.contains("<strong>30</strong> of 30 held, 0 free"))
        #expect(page.text.contains("Upper &lt;School&gt;") && page.text.contains("None free"))
        #expect(
            page.text.contains("<a href=\"/people/p7\" dir=\"auto\">Ada &lt;b&gt; Lindqvist</a>"))
        #expect(page.text.contains("Device <code>F9&lt;X&gt;</code>"))
        #expect(page.text.contains("<option value=\"c1\" selected>Science &lt;7&gt; · 7A</option>"))
        #expect(page.text.contains("Lower School (42 free)"))
        #expect(
            page.text.contains(
                "1 student without one</span> <a class=\"no-print\" href=\"#give\">"))
        #expect(page.text.contains("<h2 id=\"give\">"))
    }

    @Test func `licences are given to a class, people or devices, and to one of them only`()
        async throws
    {
        let browser = browser(["POST /v1/apps/99/licences": (201, ["items": []])])
        _ = try await browser.get("/apps/99")
        let given = try await browser.post(
            "/apps/99/licences", [("class", "c1"), ("person", ""), ("pool", "l2")])
        #expect(given.location == "/apps/99")
        let line = "POST /v1/apps/99/licences"
        #expect(browser.api.body(of: line) == ["classId": "c1", "locationId": "l2"])
        _ = try await browser.post(
            "/apps/99/licences", [("class", ""), ("person", " ada@harbour.example ")])
        #expect(browser.api.body(of: line) == ["personIds": ["p7"]])
        _ = try await browser.post("/apps/99/licences", [("devices", "F1 F2")])
        #expect(browser.api.body(of: line) == ["serialNumbers": ["F1", "F2"]])
        let count = browser.api.lines.count { $0 == line }
        let both = try await browser.post(
            "/apps/99/licences", [("class", "c1"), ("devices", "F1")])
        #expect(both.status == 422 && both.text.contains("Fill in only one"))
        let none = try await browser.post("/apps/99/licences", [("class", "")])
        #expect(none.status == 422 && none.text.contains("Choose a class, or say who"))
        #expect(browser.api.lines.count { $0 == line } == count)
    }

    @Test(arguments: [
        (409, "too_few_licences", "Too few licences are free there"),
        (409, "class_archived", "This class is archived"),
    ])
    func `a refused gift says why, and keeps the form`(
        status: Int, code: String, words: String
    ) async throws {
        let browser = browser(["POST /v1/apps/99/licences": FakeAPI.problem(status, code)])
        _ = try await browser.get("/apps/99")
        let refused = try await browser.post("/apps/99/licences", [("class", "c1")])
        #expect(refused.status == status && refused.text.contains(words))
        #expect(refused.text.contains("<option value=\"c1\" selected>"))
    }

    @Test func `chosen licences are taken back`() async throws {
        let browser = browser([
            "DELETE /v1/apps/99/licences/x1": (204, .null),
            "DELETE /v1/apps/99/licences/x2": FakeAPI.problem(404, "not_found"),
        ])
        _ = try await browser.get("/apps/99")
        let done = try await browser.post(
            "/apps/99/licences/return", [("licence", "x1"), ("licence", "x2")])
        #expect(done.location == "/apps/99")
        #expect(browser.api.lines.contains("DELETE /v1/apps/99/licences/x1"))
    }

    @Test func `the number of licences is set, and free ones are moved`() async throws {
        let browser = browser([
            "PUT /v1/apps/99/pools/l1": (200, ["totalCount": 40]),
            "DELETE /v1/apps/99/pools/l2": FakeAPI.problem(409, "licences_assigned"),
            "POST /v1/apps/99/pools/l2/transfer": (200, [:]),
        ])
        _ = try await browser.get("/apps/99")
        let set = try await browser.post("/apps/99/pools", [("location", "l1"), ("total", "40")])
        #expect(set.location == "/apps/99")
        #expect(browser.api.body(of: "PUT /v1/apps/99/pools/l1") == ["totalCount": 40])
        let held = try await browser.post("/apps/99/pools", [("location", "l2"), ("total", "0")])
        #expect(held.status == 409 && held.text.contains("Take some back first"))
        let word = try await browser.post("/apps/99/pools", [("location", "l2"), ("total", "x")])
        #expect(word.status == 422 && word.text.contains("Enter a whole number"))
        _ = try await browser.post(
            "/apps/99/transfer", [("from", "l2"), ("to", "l1"), ("count", "5")])
        #expect(
            browser.api.body(of: "POST /v1/apps/99/pools/l2/transfer")
                == ["locationId": "l1", "count": 5])
    }

    @Test func `an app is added, changed and removed`() async throws {
        let refusal = FakeAPI.problem(
            422, "invalid",
            JSONObject([("errors", [["pointer": "/bundleId", "code": "missing"]])]))
        let refusing = browser(["POST /v1/apps": refusal])
        _ = try await refusing.get("/apps/new")
        let refused = try await refusing.post(
            "/apps/new", [("name", "Chart"), ("adamId", "99"), ("productType", "App")])
        #expect(refused.text.contains("<a href=\"#bundleId\">An app needs a bundle ID</a>"))
        let browser = browser([
            "POST /v1/apps": (201, Self.app), "PATCH /v1/apps/99": (200, Self.app),
            "DELETE /v1/apps/99": FakeAPI.problem(409, "licences_assigned"),
        ])
        _ = try await browser.get("/apps/new")
        let made = try await browser.post(
            "/apps/new",
            [("name", "Chart"), ("adamId", "99"), ("productType", "App"), ("bundleId", "a.b")])
        #expect(made.location == "/apps/99")
        #expect(
            browser.api.body(of: "POST /v1/apps")
                == ["productType": "App", "adamId": "99", "name": "Chart", "bundleId": "a.b"])
        _ = try await browser.get("/apps/99/edit")
        _ = try await browser.post("/apps/99/edit", [("name", "C"), ("bundleId", "")])
        let change: JSONValue = ["name": "C", "bundleId": .null]
        #expect(browser.api.body(of: "PATCH /v1/apps/99") == change)
        #expect(try await browser.get("/apps/99/removal").text.contains("Remove Star &lt;Chart"))
        let held = try await browser.post("/apps/99/removal")
        #expect(held.status == 409 && held.text.contains("still hold licences"))
    }
}
