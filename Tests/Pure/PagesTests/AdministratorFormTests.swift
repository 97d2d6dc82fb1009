import HTTPWire
import JSONBytes
import QRCodes
import Testing

@testable import Pages

/// The forms of the pages for administrators.
@Suite struct AdministratorsForms {
    private func browser(
        _ answers: [String: FakeAPI.Answer], tables: [String: String] = [:]
    ) -> Browser { AdministratorsPages.browser(answers, tables: tables) }

    @Test func `a new person is sent as the API wants it`() async throws {
        let browser = browser(["POST /v1/people": (201, ["id": "p9"])])
        let form = try await browser.get("/people/new")
        #expect(form.text.contains("Leave it empty to have one made from the name."))
        #expect(form.text.contains("<option value=\"l1\">Upper &lt;School&gt;</option>"))
        let made = try await browser.post(
            "/people/new",
            [
                ("version", ""), ("givenName", " Rosa "), ("familyName", "Delgado"),
                ("managedId", ""), ("email", ""), ("grade", "8"), ("role-0", ""),
                ("location-0", "l1"), ("role-1", "teacher"), ("location-1", "l2"),
            ])
        #expect(made.location == "/people/p9")
        let expected: JSONValue = [
            "givenName": "Rosa", "familyName": "Delgado", "grade": "8",
            "roles": [["role": "teacher", "locationId": "l2"]],
        ]
        #expect(browser.api.body(of: "POST /v1/people") == expected)
    }

    @Test func `a refused person keeps what was written, with words beside the fields`()
        async throws
    {
        let refusal = FakeAPI.problem(
            422, "invalid",
            JSONObject([
                (
                    "errors",
                    [
                        ["pointer": "/givenName", "code": "too_short"],
                        ["pointer": "/managedId", "code": "foreign_domain"],
                        ["pointer": "/roles", "code": "too_few"],
                    ]
                )
            ]))
        let browser = browser(["POST /v1/people": refusal])
        _ = try await browser.get("/people/new")
        let refused = try await browser.post(
            "/people/new",
            [
                ("givenName", ""), ("familyName", "Delgado"), ("managedId", "rosa@else.example"),
                ("role-0", ""), ("location-0", "l1"),
            ])
        #expect(refused.status == 422 && refused.text.contains("The person is not saved"))
        #expect(refused.text.contains("<title>Error: New person"))
        #expect(refused.text.contains("<a href=\"#givenName\">Fill this in</a>"))
        #expect(refused.text.contains("This domain does not belong to your school"))
        #expect(refused.text.contains("<a href=\"#role-0\">Choose at least one role"))
        #expect(refused.text.contains("value=\"Delgado\""))
    }

    @Test func `editing empties fields and says when someone else was faster`() async throws {
        let changed = FakeAPI.problem(412, "precondition_failed")
        let browser = browser(["PATCH /v1/people/p7": changed])
        let form = try await browser.get("/people/p7/edit")
        #expect(form.text.contains("value=\"S-7\"") && form.text.contains("name=\"role-3\""))
        let refused = try await browser.post(
            "/people/p7/edit",
            [
                ("version", "\"3\""), ("givenName", "Ada"), ("familyName", "Lindqvist"),
                ("managedId", "ada@harbour.example"), ("role-0", "student"), ("location-0", "l1"),
            ])
        #expect(refused.status == 412)
        let sent = browser.api.body(of: "PATCH /v1/people/p7")
        #expect(sent?["sourceId"] == .null && sent?["grade"] == .null)
        #expect(sent?["roles"] == [["role": "student", "locationId": "l1"]])
    }

    @Test func `settings are shown and saved`() async throws {
        let browser = browser(
            ["PATCH /v1/organization": (200, AdministratorsPages.organization(isOn: true))])
        let form = try await browser.get("/settings")
        #expect(form.text.contains("value=\"harbour.example harbour.test\""))
        #expect(form.text.contains("name=\"appPasswords\" value=\"yes\" checked"))
        #expect(form.text.contains("name=\"importLeftOutPercent\""))
        #expect(form.text.contains("Ten rows of a file are always left out"))
        let saved = try await browser.post(
            "/settings",
            [
                ("name", "Harbour"), ("domains", "harbour.example, b.example"),
                ("managedIdFormat", "{givenName}"), ("timeZone", "Asia/Tokyo"),
                ("students", "30"), ("teachers", "many"), ("nameOrder", "familyFirst"),
                ("ownDeviceIdleHours", "336"), ("sharedDeviceIdleMinutes", "45"),
                ("importLeftOutPercent", "5"),
            ])
        #expect(saved.location == "/settings")
        let sent = browser.api.body(of: "PATCH /v1/organization")
        #expect(sent?["domains"] == ["harbour.example", "b.example"])
        #expect(sent?["classSizeLimits"] == ["students": 30, "teachers": "many"])
        #expect(sent?["reclaimLicences"] == false && sent?["studentProgress"] == nil)
        #expect(sent?["ownDeviceIdleHours"] == 336 && sent?["sharedDeviceIdleMinutes"] == 45)
        #expect(sent?["importLeftOutPercent"] == 5)
        #expect(sent?["nameOrder"] == "familyFirst" && sent?["allowsPasswordsInApps"] == false)
    }

    @Test func `a refused setting says what is wrong with it`() async throws {
        let refusal = FakeAPI.problem(
            409, "domain_taken",
            JSONObject([("errors", [["pointer": "/domains", "code": "domain_taken"]])]))
        let browser = browser(["PATCH /v1/organization": refusal])
        _ = try await browser.get("/settings")
        let refused = try await browser.post("/settings", [("domains", "x.example")])
        #expect(refused.status == 409 && refused.text.contains("Another school has this domain"))
    }

    @Test func `a share of rows that is none says what it should be`() async throws {
        let refusal = FakeAPI.problem(
            422, "invalid_body",
            JSONObject([
                ("errors", [["pointer": "/importLeftOutPercent", "code": "out_of_range"]])
            ]))
        let browser = browser(["PATCH /v1/organization": refusal])
        _ = try await browser.get("/settings")
        let refused = try await browser.post("/settings", [("importLeftOutPercent", "101")])
        #expect(refused.status == 422)
        #expect(refused.text.contains("<a href=\"#importLeftOutPercent\">A whole number from 0 to"))
    }

    @Test(arguments: ["pause", "delete"])
    func `student progress goes off with a choice about the past`(past: String) async throws {
        let browser = browser(
            ["PATCH /v1/organization": (200, AdministratorsPages.organization(isOn: false))])
        let question = try await browser.get("/settings/progress")
        #expect(question.text.contains("Delete everything that was recorded"))
        let done = try await browser.post(
            "/settings/progress", [("enabled", "no"), ("past", past)])
        #expect(done.location == "/settings")
        #expect(
            browser.api.body(of: "PATCH /v1/organization")
                == ["studentProgress": ["enabled": false, "onDisable": .text(past)]])
    }

    // MARK: Sign-in sheets

    @Test func `a sheet is one slip for each student`() async throws {
        let table =
            "personId,givenName,familyName,classes,managedId,temporaryPassword,expiresAt\r\n"
            + "p1,Mira,\"Castell <b>\",\"Science, 7A\",mira@x.example,4821,"
            + "2026-12-06T10:00:00.000Z\r\n"
        let browser = browser(
            ["GET /v1/classes": (200, ["items": [["id": "c1", "name": "Science"]]])],
            tables: ["POST /v1/sign-in-sheets": table])
        let gzip = [(name: "Accept-Encoding", value: "gzip")]
        let packed = try await browser.get("/people/sheets?location=l1", gzip)
        #expect(packed.header("Content-Encoding") == "gzip")
        let choice = try await browser.get("/people/sheets?location=l1")
        #expect(choice.text.contains("<option value=\"c1\" selected>Science</option>"))
        let sheet = try await browser.post(
            "/people/sheets", [("location", "l1"), ("class", "c1")],
            headers: gzip + [(name: "Host", value: "school.example:8080")])
        #expect(sheet.bytes.count > 1024)
        #expect(sheet.header("Content-Encoding") == nil, "its length must not betray a password")
        #expect(sheet.text.contains("<bdi>Mira Castell &lt;b&gt;</bdi>"))
        #expect(sheet.text.contains("<p class=\"secret\">4821</p>"))
        #expect(sheet.text.contains("<bdi>Science, 7A</bdi>") && sheet.text.contains("1 slip "))
        #expect(sheet.text.contains("<p class=\"code\">http://school.example:8080</p>"))
        let code = QRCode("http://school.example:8080/sign-in?managedId=mira%40x.example")
        #expect(sheet.text.contains("<path d=\"\(try #require(code).path)\">"))
        #expect(browser.api.body(of: "POST /v1/sign-in-sheets") == ["classId": "c1"])
    }

    @Test func `slips print the address in the settings rather than the one in the browser`()
        async throws
    {
        let table = "givenName,managedId,temporaryPassword\r\nMira,mira@x.example,4821\r\n"
        let browser = AdministratorsPages.browser(
            ["GET /v1/classes": (200, ["items": []])],
            tables: ["POST /v1/sign-in-sheets": table], site: "https://school.example")
        _ = try await browser.get("/people/sheets?location=l1")
        let sheet = try await browser.post(
            "/people/sheets", [("location", "l1"), ("class", "c1")],
            headers: [(name: "Host", value: "10.0.0.7:8080")])
        #expect(sheet.text.contains("<p class=\"code\">https://school.example</p>"))
        #expect(!sheet.text.contains("10.0.0.7"))
    }

    @Test func `a sheet that cannot be made says why`() async throws {
        let refusal = FakeAPI.problem(
            422, "invalid",
            JSONObject([("errors", [["pointer": "/classId", "code": "nobody"]])]))
        let browser = browser([
            "POST /v1/sign-in-sheets": refusal, "GET /v1/classes": (200, ["items": []]),
        ])
        _ = try await browser.get("/people/sheets?location=l1")
        let refused = try await browser.post("/people/sheets", [("location", "l1")])
        #expect(refused.status == 422 && refused.text.contains("no one here whose password"))
        let sent = browser.api.body(of: "POST /v1/sign-in-sheets")
        #expect(sent == ["locationId": "l1"])
    }
}
