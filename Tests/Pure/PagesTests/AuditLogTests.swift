import JSONBytes
import Testing

@testable import Pages

/// The page of audit events.
@Suite struct AuditLogPage {
    private static let event: JSONValue = [
        "id": "e1", "at": "2026-11-22T09:12:40.000Z", "kind": "temporaryPassword",
        "standing": "administrator", "personId": "p7", "address": "10.4.1.<5>",
        "subjectKind": "person", "subjectId": "gone", "details": ["reason": "<asked>", "n": 3],
    ]

    private static let answers: [String: FakeAPI.Answer] = [
        "GET /v1/audit-events": (200, ["items": [event], "nextPageToken": "T2"]),
        "GET /v1/people": (200, ["items": [AdministratorsPages.mira]]),
    ]

    @Test func `events say who did what to whom, in words`() async throws {
        let browser = AdministratorsPages.browser(Self.answers)
        let page = try await browser.get("/audit")
        #expect(page.text.contains("<th scope=\"row\">Temporary password</th>"))
        #expect(
            page.text.contains("<a href=\"/people/p7\" dir=\"auto\">Ada &lt;b&gt; Lindqvist</a>"))
        #expect(page.text.contains(" · Administrator") && page.text.contains("Today, 9:12"))
        #expect(page.text.contains("Someone who is no longer here"), "who was erased")
        #expect(page.text.contains("10.4.1.&lt;5&gt;"))
        #expect(
            page.text.contains("<bdi>&lt;asked&gt;</bdi>") && page.text.contains("<bdi>3</bdi>"))
        #expect(page.text.contains("href=\"/audit?page=T2\""))
    }

    @Test(arguments: [
        ("toolChange", "tool", "Tool registered, changed or removed", "Tool"),
        (
            "connectedSystemChange", "connectedSystem", "Connected system changed",
            "Connected system"
        ),
        ("signInProviderChange", "signInProvider", "Sign-in provider changed", "Sign-in provider"),
        ("webhookChange", "webhook", "Webhook changed", "Webhook"),
        ("removal", "gradebook_item", "Record removed", ""),
    ])
    func `no code of the API is shown`(
        kind: String, subject: String, title: String, word: String
    ) async throws {
        let event: JSONValue = [
            "id": "e1", "at": "2026-11-22T09:12:40.000Z", "kind": .text(kind),
            "standing": "tool", "subjectKind": .text(subject), "subjectId": "x1", "details": [:],
        ]
        let page = try await AdministratorsPages.browser([
            "GET /v1/audit-events": (200, ["items": [event]])
        ]).get("/audit")
        #expect(page.text.contains("<th scope=\"row\">\(title)</th>"))
        #expect(page.text.contains("<td>\(word)</td>"))
        #expect(!page.text.contains(">\(subject)<"))
    }

    @Test func `filters are asked of the API, a day as the school has it`() async throws {
        let browser = AdministratorsPages.browser(Self.answers)
        let page = try await browser.get(
            "/audit?kind=import&by=ada&from=2026-11-01&until=2026-11-02&subject=c9")
        let asked = try #require(browser.api.queries("GET /v1/audit-events").first)
        for part in [
            "kind=import", "personId=p7", "subjectId=c9", "since=2026-11-01T00:00:00",
            "until=2026-11-03T00:00:00",
        ] {
            #expect(asked.contains(part), "\(asked)")
        }
        #expect(
            page.text.contains(
                "href=\"/audit/events.csv?kind=import&amp;person=p7&amp;subject=c9&amp;from=2026-11-01"
            ))
        #expect(page.text.contains("value=\"ada\""))
        #expect(browser.api.queries("GET /v1/people") == ["limit=20&q=ada"])
    }

    @Test func `a name that may mean several people asks whom`() async throws {
        var other = AdministratorsPages.mira
        if case .object(var object) = other {
            object["id"] = "p8"
            other = .object(object)
        }
        let browser = AdministratorsPages.browser(
            Self.answers.merging(
                ["GET /v1/people": (200, ["items": [AdministratorsPages.mira, other]])]
            ) { $1 })
        let page = try await browser.get("/audit?about=ada&kind=signIn")
        #expect(page.text.contains("Which person do you mean?"))
        #expect(page.text.contains("href=\"/audit?kind=signIn&amp;subject=p8\""))
        #expect(!browser.api.lines.contains("GET /v1/audit-events"))
    }

    @Test func `the table is passed on with the same filters`() async throws {
        let browser = AdministratorsPages.browser(
            [:], tables: ["GET /v1/audit-events": "id,at\r\n"])
        let table = try await browser.get("/audit/events.csv?kind=export&person=p7")
        #expect(table.text == "id,at\r\n" && table.header("Content-Type") == "text/csv")
        #expect(browser.api.queries("GET /v1/audit-events") == ["kind=export&personId=p7"])
    }

    @Test func `names of scripts are asked for administrators only`() async throws {
        let event: JSONValue = [
            "id": "e1", "at": "2026-11-22T09:12:40.000Z", "kind": "import",
            "standing": "provisioner", "serviceAccountId": "s1", "details": [:],
        ]
        let account: JSONValue = ["id": "s1", "name": "Records <b>", "role": "provisioner"]
        let answers: [String: FakeAPI.Answer] = [
            "GET /v1/audit-events": (200, ["items": [event]]),
            "GET /v1/service-accounts": (200, ["items": [account]]),
        ]
        let seen = try await AdministratorsPages.browser(answers).get("/audit")
        #expect(seen.text.contains("<bdi>Records &lt;b&gt;</bdi>"))
        let manager = AdministratorsPages.browser(answers, as: "peopleManager")
        #expect(try await manager.get("/audit").text.contains("A service account"))
        #expect(!manager.api.lines.contains("GET /v1/service-accounts"))
    }

    @Test func `exports say when they ran and who may read them`() async throws {
        let overdue: JSONValue = [
            "code": "export_overdue", "severity": "warning", "text": "", "advice": "", "count": 1,
            "subjectKind": "organization", "subjectIds": [],
        ]
        let exporter: JSONValue = ["id": "s2", "name": "Warehouse <b>", "role": "exporter"]
        let provisioner: JSONValue = ["id": "s1", "name": "Records", "role": "provisioner"]
        let answers: [String: FakeAPI.Answer] = [
            "GET /v1/checks": (
                200,
                [
                    "findings": [overdue],
                    "lastExport": [
                        "exportedOn": "2026-11-19", "takenAt": "2026-11-20T03:00:00.000Z",
                        "isFull": true,
                    ],
                ]
            ),
            "GET /v1/audit-events": (200, ["items": []]),
            "GET /v1/service-accounts": (200, ["items": [exporter, provisioner]]),
        ]
        let browser = AdministratorsPages.browser(answers)
        let page = try await browser.get("/exports")
        #expect(page.text.contains("Fri 20 Nov, 3:00") && page.text.contains("Everything"))
        #expect(page.text.contains("older than a day and a half"))
        #expect(page.text.contains("href=\"/services/s2\" dir=\"auto\">Warehouse &lt;b&gt;</a>"))
        #expect(!page.text.contains("href=\"/services/s1\""))
        let manager = AdministratorsPages.browser(answers, as: "peopleManager")
        #expect(try await manager.get("/exports").status == 200)
        #expect(!manager.api.lines.contains("GET /v1/service-accounts"))
        #expect(!browser.api.lines.contains { $0.contains("/v1/exports") }, "for exporters alone")
    }
}
