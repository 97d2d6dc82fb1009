import JSONBytes
import Testing

@testable import Pages

/// How long data is kept, and what must not be removed, as an administrator decides it.
@Suite struct RetentionOnPages {
    private static let retention: JSONValue = [
        "rules": [
            [
                "kind": "activities", "years": 3, "days": .null,
                "effectiveAt": "2099-01-15T10:00:00.000Z", "removedBefore": .null, "going": 1,
            ],
            [
                "kind": "auditEvents", "years": .null, "days": .null, "effectiveAt": .null,
                "removedBefore": .null, "going": 0,
            ],
            [
                "kind": "exports", "years": .null, "days": 90,
                "effectiveAt": "2020-01-15T10:00:00.000Z",
                "removedBefore": "2020-02-15T10:00:00.000Z", "going": 1200,
            ],
            [
                "kind": "grades", "years": 5, "days": .null,
                "effectiveAt": "2020-01-15T10:00:00.000Z", "removedBefore": .null, "going": 0,
            ],
            [
                "kind": "handouts", "years": .null, "days": .null, "effectiveAt": .null,
                "removedBefore": .null, "going": 0,
            ],
        ],
        "lastNight": [
            "night": "2026-11-20", "removed": ["activities": 4321],
            "finishedAt": .null,
        ],
    ]

    private static let holds: JSONValue = [
        "items": [
            [
                "id": "h1", "personId": "p7", "classId": .null, "reason": "An <appeal>",
                "createdAt": "2026-11-01T10:00:00.000Z",
            ],
            [
                "id": "h2", "personId": .null, "classId": "c7", "reason": "A court",
                "createdAt": "2026-11-02T10:00:00.000Z",
            ],
        ]
    ]

    private func browser(
        saved: FakeAPI.Answer = (200, retention), placed: FakeAPI.Answer = (201, [:])
    ) -> Browser {
        let browser = Browser(
            FakeAPI([
                "GET /v1/me": (200, FakeAPI.me(standings: ["administrator"])),
                "GET /v1/organization": (200, AdministratorsPages.organization(isOn: true)),
                "GET /v1/retention": (200, Self.retention),
                "PUT /v1/retention": saved,
                "GET /v1/retention/holds": (200, Self.holds),
                "POST /v1/retention/holds": placed,
                "DELETE /v1/retention/holds/h1": (204, .null),
                "GET /v1/people/p7": (404, ["code": "not_found"]),
                "GET /v1/classes/c7": (200, ["id": "c7", "name": "Biology <1>"]),
            ]))
        browser.signIn()
        return browser
    }

    @Test func `rules, what they will remove, and holds are shown`() async throws {
        let page = try await browser().get("/settings/data")
        #expect(page.status == 200)
        for text in [
            "name=\"activities\" value=\"3\"", "name=\"grades\" value=\"5\"",
            "name=\"exports\" value=\"90\"",
            "Nothing is removed before Thu 15 Jan 2099.", "1 entry will be removed",
            "1,200 entries will be removed", "What is older than Sat 15 Feb 2020",
            "4,321", "Not finished yet.", "An &lt;appeal&gt;", "Biology &lt;1&gt;",
            "href=\"/people/p7\"", "A person", "href=\"/settings/data/holds/h2/lift\"",
        ] { #expect(page.text.contains(text), "\(text)") }
        #expect(!page.text.contains("before Wed 15 Jan 2020"))
    }

    @Test func `all rules are sent, without those that keep data for good`() async throws {
        let browser = browser()
        _ = try await browser.get("/settings/data")
        let done = try await browser.post(
            "/settings/data",
            [
                ("activities", " 4 "), ("activities-unit", "years"), ("handouts", "7"),
                ("handouts-unit", "forGood"), ("exports", "40"), ("exports-unit", "days"),
                ("grades", "6"), ("grades-unit", "years"),
            ])
        #expect(done.status == 303 && done.location == "/settings/data")
        let sent = browser.api.calls.last { $0.line == "PUT /v1/retention" }
        #expect(
            sent?.body == [
                "rules": [
                    ["kind": "activities", "years": 4], ["kind": "grades", "years": 6],
                    ["kind": "exports", "days": 40],
                ]
            ])
    }

    @Test func `a number that is none is refused without asking, and what was typed stays`()
        async throws
    {
        let browser = browser()
        _ = try await browser.get("/settings/data")
        let page = try await browser.post(
            "/settings/data", [("handouts", "some <b>"), ("handouts-unit", "years")])
        #expect(page.status == 422)
        #expect(page.text.contains("href=\"#handouts\""))
        #expect(page.text.contains("value=\"some &lt;b"))
        #expect(!browser.api.calls.contains { $0.line == "PUT /v1/retention" })
    }

    @Test func `what the API refuses is said at its rule`() async throws {
        let browser = browser(
            saved: (
                422,
                [
                    "code": "invalid_body",
                    "errors": [["pointer": "/rules/1/days", "code": "out_of_range"]],
                ]
            ))
        _ = try await browser.get("/settings/data")
        let page = try await browser.post(
            "/settings/data",
            [
                ("activities", "3"), ("activities-unit", "years"), ("exports", "1"),
                ("exports-unit", "days"),
            ])
        #expect(page.status == 422)
        #expect(page.text.contains("href=\"#exports\"") && !page.text.contains("#activities\""))
    }

    @Test(arguments: [("person=p7", 404), ("class=c7", 200), ("", 303)])
    func `a hold is placed on someone or a class that there is`(
        query: String, status: Int
    ) async throws {
        let page = try await browser().get("/settings/data/holds/new?\(query)")
        #expect(page.status == status)
        if status == 200 { #expect(page.text.contains("Keep the data of Biology &lt;1&gt;")) }
    }

    @Test func `a hold is placed with its reason, and lifted after a question`() async throws {
        let browser = browser()
        _ = try await browser.get("/settings/data/holds/new?class=c7")
        let placed = try await browser.post(
            "/settings/data/holds", [("class", "c7"), ("reason", " Appeal ")])
        #expect(placed.status == 303 && placed.location == "/settings/data")
        let sent = browser.api.calls.last { $0.line == "POST /v1/retention/holds" }
        #expect(sent?.body == ["classId": "c7", "reason": "Appeal"])
        let question = try await browser.get("/settings/data/holds/h1/lift")
        #expect(question.text.contains("Lift this hold?"))
        #expect(!browser.api.calls.contains { $0.line.hasPrefix("DELETE") })
        let lifted = try await browser.post("/settings/data/holds/h1/lift", [])
        #expect(lifted.status == 303)
        #expect(browser.api.calls.contains { $0.line == "DELETE /v1/retention/holds/h1" })
    }

    @Test func `a hold without a reason is refused, and the reason is asked for`() async throws {
        let browser = browser(
            placed: (
                422,
                ["code": "invalid_body", "errors": [["pointer": "/reason", "code": "too_short"]]]
            ))
        _ = try await browser.get("/settings/data/holds/new?class=c7")
        let page = try await browser.post("/settings/data/holds", [("class", "c7")])
        #expect(page.status == 422)
        #expect(page.text.contains("href=\"#reason\""))
    }

    @Test func `the settings lead to it`() async throws {
        let settings = try await browser().get("/settings")
        #expect(settings.text.contains("href=\"/settings/data\""))
    }
}
