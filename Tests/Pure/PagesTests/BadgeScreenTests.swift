import JSONBytes
import QRCodes
import Testing

@testable import Pages

/// Badges on the pages: signing in with one, making and voiding them, and when they work.
@Suite struct BadgeScreens {
    private static let secret = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let signIn = "POST /v1/sign-in/with-badge"
    private static let list = "GET /v1/classes/c1/badges"
    private static let make = "POST /v1/classes/c1/badges"

    private static func student(_ id: String, _ name: String, _ more: JSONValue) -> JSONValue {
        var item = JSONObject([
            ("personId", .text(id)), ("givenName", .text(name)), ("familyName", "<Castell>"),
            ("nameOrder", "givenFirst"),
        ])
        for member in more.object?.members ?? [] { item[member.key] = member.value }
        return .object(item)
    }

    private static func rule(on: Bool = true, networks: JSONValue = []) -> JSONValue {
        [
            "on": .bool(on), "networks": networks, "days": [1, 5], "from": "07:30",
            "until": "12:00",
        ]
    }

    private static let students: JSONValue = [
        "items": [
            student(
                "s1", "Mira",
                [
                    "mayHaveBadge": true, "madeAt": "2026-11-20T08:00:00.000Z",
                    "lastUsedAt": "2026-11-22T07:00:00.000Z",
                ]), student("s2", "Ben", ["mayHaveBadge": true]),
            student("s3", "Zoe", ["mayHaveBadge": false]),
        ]
    ]

    private func teacher(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        let all: [String: FakeAPI.Answer] = [
            "GET /v1/badge-rule": (200, Self.rule()), Self.list: (200, Self.students),
        ]
        return teacherBrowser(all.merging(answers) { $1 })
    }

    // MARK: Signing in

    @Test func `looking at the address signs nobody in, and the button does`() async throws {
        let browser = Browser(
            FakeAPI([
                Self.signIn: (200, ["accessToken": "token", "expiresIn": 600])
            ]))
        let page = try await browser.get("/badge")
        #expect(page.status == 200 && page.text.contains("data-badge"))
        #expect(page.header("Cache-Control") == "no-store")
        #expect(!browser.api.lines.contains(Self.signIn))
        for typed in [Self.secret, " https://school.example/badge#\(Self.secret)\n"] {
            _ = try await browser.get("/badge")
            let signedIn = try await browser.post("/badge", [("secret", typed)])
            #expect(signedIn.status == 303 && signedIn.location == "/")
            let sent = try #require(browser.api.calls.last { $0.line == Self.signIn }?.body)
            #expect(sent["badge"]?.text == Self.secret)
            #expect(sent["browser"]?["shared"] == true)
        }
    }

    @Test func `a badge that does not work leads to the teacher, and is not shown again`()
        async throws
    {
        let browser = Browser(FakeAPI([Self.signIn: FakeAPI.problem(401, "badge_refused")]))
        _ = try await browser.get("/badge")
        let refused = try await browser.post("/badge", [("secret", Self.secret)])
        #expect(refused.status == 422 && refused.text.contains("Ask your teacher."))
        #expect(!refused.text.contains(Self.secret))
        let empty = try await browser.post("/badge", [("secret", " ")])
        #expect(empty.status == 422)
        #expect(browser.api.lines.filter { $0 == Self.signIn }.count == 1)
        let busy = Browser(FakeAPI([Self.signIn: FakeAPI.problem(429, "too_many_tries")]))
        _ = try await busy.get("/badge")
        let limited = try await busy.post("/badge", [("secret", Self.secret)])
        #expect(limited.status == 429 && limited.header("Retry-After") == "90")
    }

    @Test func `who is signed in by a badge is not offered what it does not open`() async throws {
        var me = FakeAPI.me(standings: ["student"]).object ?? JSONObject()
        me["byBadge"] = true
        let browser = Browser(
            FakeAPI([
                "GET /v1/me": (200, .object(me)), "GET /v1/me/sessions": (200, ["items": []]),
            ]))
        browser.signIn()
        let page = try await browser.get("/me/sign-in")
        #expect(page.text.contains("A badge signed you in."))
        #expect(!page.text.contains("/me/password"))
        browser.api.set("GET /v1/me/sessions", FakeAPI.problem(403, "signed_in_by_badge"))
        let refused = try await browser.get("/me/sign-in")
        #expect(refused.status == 403 && refused.text.contains("A badge signed you in."))
    }

    // MARK: Making and voiding

    @Test func `a teacher sees who has a badge and when it was used`() async throws {
        let page = try await teacher().get("/classes/c1/badges")
        #expect(page.text.contains("Mira &lt;Castell&gt;"))
        #expect(page.text.contains("Fri 20 Nov") && page.text.contains("No badge"))
        #expect(page.text.contains("Cannot have a badge"))
        #expect(page.text.contains("Mon Fri, 07:30 to 12:00"))
        #expect(page.text.contains("They work from everywhere"))
        #expect(page.text.contains("/classes/c1/badges/s1/void"))
        #expect(!page.text.contains("/classes/c1/badges/s2/void"))
        let near = try await teacher([
            "GET /v1/badge-rule": (200, Self.rule(networks: ["192.0.2.0/24"]))
        ]).get("/classes/c1/badges")
        #expect(!near.text.contains("They work from everywhere"))
        let off = try await teacher(["GET /v1/badge-rule": (200, Self.rule(on: false))])
            .get("/classes/c1/badges")
        #expect(off.text.contains("Your school does not use badges."))
        #expect(!off.text.contains("name=\"who\""))
    }

    @Test func `cards are shown once, with the secret in the code alone`() async throws {
        let answers: [String: FakeAPI.Answer] = [
            "GET /v1/me": (200, FakeAPI.me(standings: ["teacher"])),
            "GET /v1/classes": (200, ["items": []]),
            "GET /v1/classes/c1": (200, ["id": "c1", "name": "Mathematics"]),
            "GET /v1/badge-rule": (200, Self.rule()), Self.list: (200, Self.students),
            Self.make: (
                200,
                [
                    "className": "Mathematics", "kept": 1, "leftOut": 1,
                    "items": [Self.student("s2", "Ben", ["secret": .text(Self.secret)])],
                ]
            ),
        ]
        let browser = Browser(FakeAPI(answers), site: "https://school.example")
        browser.signIn()
        _ = try await browser.get("/classes/c1/badges")
        let page = try await browser.post("/classes/c1/badges", [("who", "new")])
        #expect(page.status == 200 && page.header("Cache-Control") == "no-store")
        #expect(page.text.contains("Ben &lt;Castell&gt;"))
        let code = try #require(QRCode("https://school.example/badge#\(Self.secret)"))
        #expect(page.text.contains("<path d=\"\(code.path)\">"))
        #expect(!page.text.contains(Self.secret), "nobody notes it down in passing")
        #expect(page.text.contains("These badges are shown once."))
        #expect(page.text.contains("1 student keeps") && page.text.contains("1 student cannot"))
        #expect(browser.api.calls.last { $0.line == Self.make }?.body["again"] == false)
        _ = try await browser.post("/classes/c1/badges", [("who", "all")])
        #expect(browser.api.calls.last { $0.line == Self.make }?.body["again"] == true)
    }

    @Test(arguments: [
        ("/classes/c1/badges/void", "DELETE /v1/classes/c1/badges"),
        ("/classes/c1/badges/s1/void", "DELETE /v1/classes/c1/badges/s1"),
    ])
    func `one tap voids`(path: String, call: String) async throws {
        let browser = teacher([call: (204, .null)])
        _ = try await browser.get("/classes/c1/badges")
        let answer = try await browser.post(path)
        #expect(answer.status == 303 && answer.location == "/classes/c1/badges")
        #expect(browser.api.lines.contains(call))
    }

    // MARK: When they work

    @Test func `an administrator sets hours and networks, and is told what is wrong`()
        async throws
    {
        let put = "PUT /v1/badge-rule"
        let browser = teacherBrowser([
            "GET /v1/me": (200, FakeAPI.me(standings: ["administrator"])),
            "GET /v1/badge-rule": (200, Self.rule()), put: (200, Self.rule()),
        ])
        let page = try await browser.get("/settings/badges")
        let form = try #require(SentForm(page.text, action: "/settings/badges"))
        let done = try await browser.send(
            form.with("networks", "192.0.2.0/24\r\n 2001:db8::/48"), to: "/settings/badges")
        #expect(done.status == 303, "\(done.text)")
        let sent = try #require(browser.api.calls.last { $0.line == put }?.body)
        #expect(sent["networks"] == ["192.0.2.0/24", "2001:db8::/48"])
        #expect(sent["days"] == [1, 5] && sent["on"] == true && sent["until"] == "12:00")
    }
}
