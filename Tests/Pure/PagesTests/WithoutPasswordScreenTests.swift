import HTTPWire
import JSONBytes
import Testing

@testable import Pages

/// What pages show at a school whose people sign in with a provider, and not with passwords.
@Suite struct WithoutPasswordScreens {
    private func offered(isWithout: Bool) -> [String: FakeAPI.Answer] {
        [
            "GET /v1/sign-in/offered-providers": (
                200,
                [
                    "items": [["id": "p1", "name": "School account", "kind": "google"]],
                    "byDomain": false, "withoutPasswords": .bool(isWithout),
                    "redirectUri": "https://school.example/sign-in/callback",
                ]
            ),
            "POST /v1/sign-in": FakeAPI.problem(401, "sign_in_refused"),
        ]
    }

    private func me(_ standing: String, usesPassword: Bool = false) -> FakeAPI.Answer {
        var me = FakeAPI.me(standings: [standing]).object!
        var school = me["organization"]!.object!
        var person = me["person"]!.object!
        school["withoutPasswords"] = true
        person["usesPassword"] = .bool(usesPassword)
        me["organization"] = .object(school)
        me["person"] = .object(person)
        return (200, .object(me))
    }

    /// Where each of these is in a page.
    private func places(_ parts: [String], in text: String) -> [Int] {
        parts.map { part in
            text.firstRange(of: part).map {
                text.utf8.distance(from: text.startIndex, to: $0.lowerBound)
            } ?? -1
        }
    }

    @Test func `the provider comes first, and the form is for administrators`() async throws {
        let usual = try await Browser(FakeAPI(offered(isWithout: false))).get("/sign-in")
        let form = "name=\"password\""
        let button = "href=\"/sign-in/with/p1\""
        let usually = places([form, button], in: usual.text)
        #expect(usually == usually.sorted() && usually[0] >= 0)
        #expect(!usual.text.contains("Administrators:"))
        let page = try await Browser(FakeAPI(offered(isWithout: true))).get("/sign-in")
        let order = places([button, "<details", "Administrators: sign in", form], in: page.text)
        #expect(order == order.sorted() && order[0] >= 0)
        #expect(page.text.contains("Only administrators have a password here"))
        #expect(!page.text.contains("ask your teacher for a new password"))
    }

    @Test func `a refusal says the same, and shows the form with what is wrong`() async throws {
        let browser = Browser(FakeAPI(offered(isWithout: true)))
        _ = try await browser.get("/sign-in")
        var texts: [String] = []
        for name in ["jonas.weiss@harbour.example", "nobody.atall@harbour.example"] {
            let page = try await browser.post(
                "/sign-in", [("managedId", name), ("password", "x")])
            #expect(page.status == 422 && page.text.contains("<details class=\"fold\" open"))
            #expect(page.text.contains("The managed ID or the password is wrong"))
            texts.append(page.text.replacing(name, with: "NAME"))
        }
        // The tokens of forms differ.
        let token = /value="[A-Za-z0-9_.\-]{40,}"/
        #expect(texts[0].replacing(token, with: "") == texts[1].replacing(token, with: ""))
    }

    @Test func `a person without a password is offered none`() async throws {
        let browser = Browser(FakeAPI(["GET /v1/me": me("student")]))
        browser.signIn()
        let page = try await browser.get("/me/sign-in")
        #expect(page.status == 200 && !page.text.contains("/me/password"))
        #expect(page.text.contains("You have no password here"))
        let own = Browser(FakeAPI(["GET /v1/me": me("administrator", usesPassword: true)]))
        own.signIn()
        #expect(try await own.get("/me/sign-in").text.contains("/me/password"))
    }

    @Test func `a teacher is offered no passwords and no sheet`() async throws {
        let usual = try await TeacherBrowser.make([:]).get("/classes/c1/roster")
        #expect(usual.text.contains("/sign-in-sheet") && usual.text.contains("/password\""))
        let browser = TeacherBrowser.make([
            "GET /v1/me": me("teacher"),
            "POST /v1/people/s1/temporary-password": FakeAPI.problem(409, "without_passwords"),
        ])
        let page = try await browser.get("/classes/c1/roster")
        #expect(page.status == 200 && page.text.contains("Mira Castell"))
        #expect(!page.text.contains("/sign-in-sheet") && !page.text.contains("/password\""))
        _ = try await browser.get("/classes/c1/roster/s1/password")
        let refused = try await browser.post("/classes/c1/roster/s1/password")
        #expect(refused.status == 409 && refused.text.contains("students have no password here"))
    }

    @Test func `nor is the office, but for administrators`() async throws {
        let usual = AdministratorsPages.browser([:])
        #expect(
            try await usual.get("/people/p7").text.contains("/people/p7/temporary-password"))
        let browser = AdministratorsPages.browser(["GET /v1/me": me("administrator")])
        #expect(
            try await !browser.get("/people/p7").text.contains("/people/p7/temporary-password"))
        let sheets = try await browser.get("/people/sheets")
        #expect(sheets.text.contains("nothing to print") && !sheets.text.contains("<select"))
    }

    @Test func `the setting is sent, and what it needs is said`() async throws {
        let refusal = FakeAPI.problem(
            422, "invalid_body",
            JSONObject([
                ("errors", [["pointer": "/withoutPasswords", "code": "no_sign_in_provider"]])
            ]))
        let browser = AdministratorsPages.browser(["PATCH /v1/organization": refusal])
        let form = try await browser.get("/settings")
        #expect(form.text.contains("name=\"withoutPasswords\" value=\"yes\""))
        let refused = try await browser.post(
            "/settings", [("name", "Harbour"), ("withoutPasswords", "yes")])
        #expect(refused.status == 422)
        #expect(refused.text.contains("<a href=\"#withoutPasswords\">Connect a sign-in provider"))
        #expect(
            browser.api.body(of: "PATCH /v1/organization")?["withoutPasswords"] == true)
    }

    @Test func `the last provider stays, and the page says why`() async throws {
        let browser = AdministratorsPages.browser([
            "GET /v1/sign-in-providers/p1": (
                200, ["id": "p1", "kind": "google", "name": "Google", "clientId": "c"]
            ),
            "DELETE /v1/sign-in-providers/p1": FakeAPI.problem(409, "last_sign_in_provider"),
        ])
        _ = try await browser.get("/sign-in-providers/p1/removal")
        let refused = try await browser.post("/sign-in-providers/p1/removal")
        #expect(refused.status == 409 && refused.text.contains("This provider stays connected"))
        #expect(refused.text.contains("href=\"/settings\""))
    }
}
