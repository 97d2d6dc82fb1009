import HTTPWire
import JSONBytes
import Testing

@testable import Pages

/// The pages about service accounts and developer teams.
@Suite struct ServicePages {
    private static let account: JSONValue = [
        "id": "s1", "name": "Records <b>", "role": "provisioner",
        "secretChangedAt": "2026-10-01T08:00:00.000Z",
    ]

    private func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        let event: JSONValue = ["id": "e1", "at": "2026-11-22T02:10:00.000Z", "kind": "signIn"]
        let all: [String: FakeAPI.Answer] = [
            "GET /v1/service-accounts": (200, ["items": [Self.account]]),
            "GET /v1/service-accounts/s1": (200, Self.account),
            "GET /v1/audit-events": (200, ["items": [event]]),
            "GET /v1/developer-teams": (200, ["items": [Self.team]]),
            "GET /v1/developer-teams/T<1>": (200, Self.team),
        ]
        return AdministratorsPages.browser(all.merging(answers) { $1 })
    }

    @Test func `accounts are listed with their last use`() async throws {
        let browser = browser()
        let page = try await browser.get("/services")
        #expect(page.text.contains("href=\"/services/s1\" dir=\"auto\">Records &lt;b&gt;</a>"))
        #expect(page.text.contains("Today, 2:10") && page.text.contains("Provisioner"))
        #expect(browser.api.queries("GET /v1/audit-events") == ["limit=1&serviceAccountId=s1"])
        let manager = AdministratorsPages.browser([:], as: "siteManager")
        #expect(!(try await manager.get("/settings").text.contains("href=\"/services\"")))
    }

    @Test func `a directory writer has a location for people without one`() async throws {
        var account = Self.account.object ?? JSONObject()
        account["role"] = "directoryWriter"
        account["defaultLocationId"] = "l2"
        let browser = browser([
            "GET /v1/service-accounts/s1": (200, .object(account)),
            "GET /v1/locations": (
                200,
                ["items": [["id": "l1", "name": "Upper"], ["id": "l2", "name": "Lower <b>"]]]
            ), "PATCH /v1/service-accounts/s1": (200, .object(account)),
        ])
        let page = try await browser.get("/services/s1")
        #expect(page.text.contains("<option value=\"l2\" selected>Lower &lt;b&gt;</option>"))
        for (location, sent) in [("l1", JSONValue.text("l1")), ("", .null)] {
            let saved = try await browser.post(
                "/services/s1", [("name", "Entra"), ("defaultLocationId", location)])
            #expect(saved.status == 303)
            #expect(
                browser.api.body(of: "PATCH /v1/service-accounts/s1")
                    == ["name": "Entra", "defaultLocationId": sent])
        }
    }

    @Test func `a secret is shown once`() async throws {
        let made: FakeAPI.Answer = (
            201,
            [
                "id": "s2", "name": "Warehouse", "role": "exporter", "clientId": "s2",
                "clientSecret": "only-this-once",
            ]
        )
        let browser = browser([
            "POST /v1/service-accounts": made, "POST /v1/service-accounts/s1/secret": made,
        ])
        _ = try await browser.get("/services/new")
        let shown = try await browser.post(
            "/services/new",
            [("name", "Warehouse"), ("role", "exporter"), ("expiresAt", "2027-08-01")])
        #expect(shown.status == 200 && shown.text.contains("only-this-once"))
        #expect(shown.header("Cache-Control") == "no-store")
        #expect(
            browser.api.body(of: "POST /v1/service-accounts") == [
                "name": "Warehouse", "role": "exporter", "expiresAt": "2027-08-01T00:00:00.000Z",
            ])
        #expect(try await browser.get("/services/s1/secret").text.contains("Replace the secret of"))
        let again = try await browser.post("/services/s1/secret")
        #expect(again.text.contains("only-this-once"))
        #expect(!(try await browser.get("/services/s1").text.contains("only-this-once")))
    }

    @Test func `an account is renamed and revoked`() async throws {
        let refusal = FakeAPI.problem(
            422, "invalid",
            JSONObject([("errors", [["pointer": "/expiresAt", "code": "in_the_past"]])]))
        let browser = browser([
            "PATCH /v1/service-accounts/s1": (200, Self.account),
            "DELETE /v1/service-accounts/s1": (204, .null), "POST /v1/service-accounts": refusal,
        ])
        _ = try await browser.get("/services/s1")
        #expect(try await browser.post("/services/s1", [("name", "R")]).status == 303)
        #expect(browser.api.body(of: "PATCH /v1/service-accounts/s1") == ["name": "R"])
        #expect(try await browser.get("/services/s1/revocation").text.contains("Nobody can undo"))
        #expect(try await browser.post("/services/s1/revocation").location == "/services")
        let past = try await browser.post(
            "/services/new", [("name", "R"), ("role", "exporter"), ("expiresAt", "2020-01-01")])
        #expect(past.status == 422 && past.text.contains("Choose a day in the future"))
    }

    // MARK: Developers

    private static let team: JSONValue = [
        "teamId": "T<1>", "name": "Quiz <b>", "bundleIds": ["a.b", "a.c"],
        "keys": [
            ["keyId": "K1", "publicKey": "PEM 1"], ["keyId": "K2", "publicKey": "PEM 2"],
        ], "origin": "organization",
    ]

    @Test func `teams are listed, and the development environment is off or on`() async throws {
        let off = try await browser().get("/developers")
        #expect(off.text.contains("href=\"/developers/T%3C1%3E\" dir=\"auto\">Quiz &lt;b&gt;</a>"))
        #expect(off.text.contains("2 keys") && off.text.contains("Turn on"))
        let environment: JSONValue = [
            "turnedOnAt": "2026-11-20T08:00:00.000Z", "people": [["id": "m1"], ["id": "m2"]],
        ]
        let on = browser([
            "GET /v1/development": (200, environment), "PUT /v1/development": (200, environment),
            "POST /v1/development/reset": (204, .null), "DELETE /v1/development": (204, .null),
        ])
        #expect(try await on.get("/developers").text.contains("2 made-up people"))
        #expect(try await on.get("/developers/development/off").text.contains("Nobody can undo"))
        for (path, line) in [
            ("off", "DELETE /v1/development"), ("reset", "POST /v1/development/reset"),
        ] {
            #expect(try await on.post("/developers/development/\(path)").status == 303)
            #expect(on.api.lines.contains(line))
        }
        #expect(try await on.post("/developers/development").status == 303)
        #expect(on.api.lines.contains("PUT /v1/development"))
    }

    @Test func `a team keeps its ticked keys and gets a new one`() async throws {
        let browser = browser(["PUT /v1/developer-teams/T<1>": (200, Self.team)])
        let form = try await browser.get("/developers/T%3C1%3E")
        #expect(form.text.contains("a.b\na.c</textarea>"))
        let saved = try await browser.post(
            "/developers/T%3C1%3E",
            [
                ("name", "Quiz"), ("bundleIds", "a.b\r\na.d"), ("key", "K2"), ("keyId", "K3"),
                ("publicKey", "PEM 3"),
            ])
        #expect(saved.location == "/developers")
        let expected: JSONValue = [
            "teamId": "T<1>", "name": "Quiz", "bundleIds": ["a.b", "a.d"],
            "keys": [
                ["keyId": "K2", "publicKey": "PEM 2"], ["keyId": "K3", "publicKey": "PEM 3"],
            ],
        ]
        #expect(browser.api.body(of: "PUT /v1/developer-teams/T<1>") == expected)
    }

    @Test func `a refused team says which field is wrong`() async throws {
        let refusal = FakeAPI.problem(
            422, "invalid",
            JSONObject([("errors", [["pointer": "/keys/0/publicKey", "code": "not_a_key"]])]))
        let browser = browser(["POST /v1/developer-teams": refusal])
        _ = try await browser.get("/developers/new")
        let refused = try await browser.post(
            "/developers/new", [("teamId", "T"), ("name", "Q"), ("publicKey", "x")])
        #expect(refused.text.contains("<a href=\"#publicKey\">This is not a public P-256 key"))
        let taken = self.browser([
            "POST /v1/developer-teams": FakeAPI.problem(409, "team_exists"),
            "DELETE /v1/developer-teams/T<1>": (204, .null),
        ])
        _ = try await taken.get("/developers/new")
        let again = try await taken.post("/developers/new", [("teamId", "T"), ("name", "Q")])
        #expect(again.status == 409 && again.text.contains("This team is here already"))
        #expect(try await taken.post("/developers/T%3C1%3E/removal").location == "/developers")
    }
}
