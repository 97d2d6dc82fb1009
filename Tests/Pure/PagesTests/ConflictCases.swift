import JSONBytes
import Testing

@testable import Pages

/// A page whose form changes something that is there.
struct ConflictCase: Sendable, CustomTestStringConvertible {
    /// Of the page, as it is declared.
    let pattern: String
    let path: String
    var standing = "administrator"
    /// The call that reads what the form changes, and its document.
    let read: String
    let document: JSONValue
    /// The call that the form makes.
    let send: String
    /// A field with what somebody else and what the form makes of it.
    let field: (name: String, theirs: String, yours: String)
    /// The document after the other one's change.
    let changed: JSONValue
    /// Another field, with what the form makes of it.
    let other: (name: String, yours: String)
    var more: [String: FakeAPI.Answer] = [:]

    var testDescription: String { pattern }

    /// Records of a school, with a name.
    private static func record(
        _ pattern: String, _ path: String, _ api: String, _ document: JSONValue,
        other: (String, String), field: String = "name", as standing: String = "administrator",
        send: String? = nil, more: [String: FakeAPI.Answer] = [:]
    ) -> ConflictCase {
        var changed = document.object ?? JSONObject()
        changed[field] = "Theirs <b>"
        return ConflictCase(
            pattern: pattern, path: path, standing: standing, read: "GET \(api)",
            document: document, send: send ?? "PATCH \(api)",
            field: (field, "Theirs <b>", "Yours"), changed: .object(changed),
            other: (other.0, other.1), more: more)
    }

    static let all: [ConflictCase] = directory + systems + school

    private static let course: JSONValue = [
        "id": "k1", "name": "Science", "locationId": "l1", "number": "S1",
    ]
    private static let schoolClass: JSONValue = [
        "id": "c1", "name": "Science 7", "number": "7A", "room": "12", "locationId": "l1",
        "courseId": "k1", "status": "active",
    ]
    private static let term: JSONValue = [
        "id": "t1", "name": "Autumn", "kind": "semester", "startsOn": "2026-08-17",
        "endsOn": "2027-02-01", "status": "open",
    ]
    private static let lists: [String: FakeAPI.Answer] = [
        "GET /v1/courses": (200, ["items": [course]]), "GET /v1/terms": (200, ["items": [term]]),
    ]

    private static let directory = [
        record(
            "/people/{id}/edit", "/people/p7/edit", "/v1/people/p7", AdministratorsPages.mira,
            other: ("grade", "8"), field: "familyName"),
        record(
            "/school/courses/{id}/edit", "/school/courses/k1/edit", "/v1/courses/k1", course,
            other: ("number", "S2")),
        record(
            "/school/terms/{id}/edit", "/school/terms/t1/edit", "/v1/terms/t1", term,
            other: ("startsOn", "2026-08-24"), more: lists),
        record(
            "/school/locations/{id}/edit", "/school/locations/l1/edit", "/v1/locations/l1",
            ["id": "l1", "name": "Upper", "timeZone": "Europe/Zurich"],
            other: ("timeZone", "Europe/Rome")),
        record(
            "/school/classes/{id}/edit", "/school/classes/c1/edit", "/v1/classes/c1", schoolClass,
            other: ("room", "13"), more: lists),
        record(
            "/classes/{id}/edit", "/classes/c1/edit", "/v1/classes/c1", schoolClass,
            other: ("room", "13"), as: "teacher", send: "PATCH /v1/me/classes/c1",
            more: ["GET /v1/classes/c1/privileges": (200, ["classId": "c1", "change": true])]),
        record(
            "/announcements/{id}/edit", "/announcements/a1/edit", "/v1/announcements/a1",
            [
                "id": "a1", "classId": "c1", "text": "Bring a pen.", "authorId": "p1",
                "createdAt": "2026-11-20T08:00:00.000Z",
            ], other: ("", ""), field: "text", as: "teacher"),
        record(
            "/apps/{id}/edit", "/apps/99/edit", "/v1/apps/99",
            [
                "adamId": "99", "name": "Stars", "productType": "App", "bundleId": "org.stars",
                "totalCount": 1, "assignedCount": 0, "availableCount": 1, "waitingCount": 0,
            ], other: ("bundleId", "org.two"), as: "contentManager"),
    ]

    private static let systems = [
        record(
            "/connected-systems/{id}", "/connected-systems/s1", "/v1/connected-systems/s1",
            [
                "id": "s1", "clientId": "s1", "name": "Library",
                "redirectUris": ["https://a.example/"], "scopes": ["profile"],
                "idTokenSignedResponseAlg": "RS256", "requiresPkce": true,
            ], other: ("addresses", "https://b.example/"),
            more: [
                "GET /.well-known/openid-configuration": (200, ["issuer": "https://s.example"])
            ]),
        record(
            "/sign-in-providers/{id}", "/sign-in-providers/p1", "/v1/sign-in-providers/p1",
            [
                "id": "p1", "kind": "microsoft", "name": "School", "tenant": "t", "clientId": "c",
                "issuer": "https://i.example", "matching": "email", "emailDomains": ["a.example"],
            ], other: ("clientId", "c2")),
        record(
            "/webhooks/{id}", "/webhooks/w1", "/v1/webhooks/w1",
            [
                "id": "w1", "name": "Library", "url": "https://a.example/",
                "kinds": ["person", "roster"], "enabled": true,
            ], other: ("url", "https://b.example/"),
            more: ["GET /v1/webhooks/w1/deliveries": (200, ["items": []])]),
        record(
            "/tools/{id}", "/tools/x1", "/v1/tools/x1",
            [
                "id": "x1", "name": "Quiz", "clientId": "x1", "deploymentId": "d1",
                "loginUrl": "https://q.example/login", "launchUrl": "https://q.example/launch",
                "redirectUris": ["https://q.example/launch"], "keySet": .null,
                "keySetUrl": "https://q.example/keys", "locationId": "l2", "sharesNames": true,
                "sharesEmails": false,
            ], other: ("loginUrl", "https://q.example/in")),
        record(
            "/developers/{id}", "/developers/T1", "/v1/developer-teams/T1",
            [
                "teamId": "T1", "name": "Team", "bundleIds": ["org.one"],
                "keys": [["keyId": "K1", "publicKey": "PEM"]],
            ], other: ("bundleIds", "org.two"), send: "PUT /v1/developer-teams/T1"),
        record(
            "/services/{id}", "/services/s1", "/v1/service-accounts/s1",
            ["id": "s1", "name": "Records", "role": "provisioner"], other: ("", "")),
    ]

    private static let school = [
        record(
            "/settings", "/settings", "/v1/organization",
            AdministratorsPages.organization(isOn: true), other: ("timeZone", "Europe/Rome")),
        ConflictCase(
            pattern: "/roster-source", path: "/roster-source", read: "GET /v1/roster-source",
            document: source(at: "03:15"), send: "PUT /v1/roster-source",
            field: ("pullTime", "04:00", "05:00"), changed: source(at: "04:00"),
            other: ("clientId", "yours")),
        ConflictCase(
            pattern: "/settings/data", path: "/settings/data", read: "GET /v1/retention",
            document: retention(years: 3), send: "PUT /v1/retention",
            field: ("grades", "4", "5"), changed: retention(years: 4), other: ("exports", "91"),
            more: ["GET /v1/retention/holds": (200, ["holds": []])]),
        ConflictCase(
            pattern: "/settings/badges", path: "/settings/badges", read: "GET /v1/badge-rule",
            document: badgeRule(until: "12:00"), send: "PUT /v1/badge-rule",
            field: ("until", "13:00", "14:00"), changed: badgeRule(until: "13:00"),
            other: ("from", "07:45")),
    ]

    private static func badgeRule(until: String) -> JSONValue {
        [
            "on": true, "networks": ["192.0.2.0/24"], "days": [1, 2], "from": "07:30",
            "until": .text(until),
        ]
    }

    private static func source(at time: String) -> JSONValue {
        [
            "url": "https://sis.example/v1p2", "tokenUrl": "https://sis.example/token",
            "clientId": "homeroom", "pullTime": .text(time), "enabled": true, "status": "resting",
        ]
    }

    private static func retention(years: Int64) -> JSONValue {
        [
            "rules": [
                ["kind": "grades", "years": JSONValue(integerLiteral: years), "days": .null],
                ["kind": "exports", "years": .null, "days": 90],
            ], "lastNight": .null,
        ]
    }

    // MARK: The browser

    func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        var own = more
        own[read] = (200, document)
        own[send] = (200, document)
        own.merge(answers) { $1 }
        let browser =
            standing == "teacher"
            ? TeacherBrowser.make(own) : AdministratorsPages.browser(own, as: standing)
        browser.api.keepVersions()
        return browser
    }

    func form(_ browser: Browser) async throws -> SentForm? {
        SentForm(try await browser.get(path).text, action: path)
    }
}
