import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import AppsAndBooks

/// Content tokens: who makes them, what they hold, and when they end.
@Suite struct ContentTokens {
    private static let wanted: JSONValue = [
        "name": "Zentral", "locationId": "source:main", "country": "DE",
    ]

    private static let elsewhere = TestIDs.elsewhereLocation.uuid.description

    @Test func `a token is the Base64 of its secret, its end and the school`() async throws {
        try await withDevices { devices in
            let bytes = try #require(Base64.decode(devices.token))
            let token = try JSONValue(parsing: bytes)
            #expect(token.object?.keys.sorted() == ["expDate", "orgName", "token"])
            #expect(token["orgName"] == "Hillside")
            let end = try #require(token["expDate"]?.text)
            #expect(end.count == 24 && end.hasSuffix("+0000"))
            #expect(Timestamp("\(end.prefix(19))Z") != nil)
            #expect(try await devices.get("client/config").status == 200)
        }
    }

    @Test func `tokens are listed without what they are made of`() async throws {
        try await withDevices { devices in
            let list = try await devices.school.get("/v1/content-tokens", as: .ada)
            #expect(list.items.count == 1 && list.items[0]["name"] == "Zentral")
            #expect(list.items[0]["country"] == "DE")
            #expect(list.items[0]["contentToken"] == nil)
            #expect(!list.text.contains(devices.token))
            let account = list.items[0]["id"]?.text ?? ""
            let shown = try await devices.school.get("/v1/service-accounts/\(account)", as: .ada)
            #expect(shown.json["role"] == "deviceManager")
            let others = try await devices.school.get("/v1/content-tokens", as: .olga)
            #expect(others.items.isEmpty)
        }
    }

    @Test(
        arguments: [
            ("locationId", "source:nowhere", "unknown_reference"),
            ("locationId", elsewhere, "unknown_reference"),
            ("expiresAt", "2020-01-01T00:00:00Z", "in_the_past"),
            ("expiresAt", "2090-01-01T00:00:00Z", "too_late"), ("country", "Germany", nil),
            ("country", "de", nil), ("name", "", nil),
        ] as [(String, String, String?)])
    func `a wrong body is refused with its pointer`(
        field: String, value: String, code: String?
    ) async throws {
        try await withSchool { school in
            var body = try #require(Self.wanted.object)
            body[field] = .text(value)
            let refused = try await school.post(
                "/v1/content-tokens", as: .ada, json: .object(body))
            #expect(refused.status == 422)
            #expect(refused.pointers == ["/\(field)"])
            if let code { #expect(refused.json["errors"]?[0]?["code"]?.text == code) }
            let rows = try school.sql("select from school.content_token")
            #expect(rows.count == 0)
        }
    }

    @Test func `only administrators make them, and no account does without a location`()
        async throws
    {
        try await withSchool { school in
            for persona in [Persona.petra, .mara, .tom, .sam, .provisioner] {
                let refused = try await school.post(
                    "/v1/content-tokens", as: persona, json: Self.wanted)
                #expect(refused.status == 403, "\(persona)")
            }
            let account = try await school.post(
                "/v1/service-accounts", as: .ada,
                json: ["name": "MDM", "role": "deviceManager"])
            #expect(account.status == 422 && account.pointers == ["/role"])
        }
    }

    @Test func `a revoked token stops at once, whichever way it is revoked`() async throws {
        try await withDevices { devices in
            let school = devices.school
            let other = try await Devices.newToken(school)
            let ids = try await school.get("/v1/content-tokens", as: .ada).items.compactMap {
                $0["id"]?.text
            }
            try #require(ids.count == 2)
            let foreign = try await school.delete("/v1/content-tokens/\(ids[0])", as: .olga)
            #expect(foreign.status == 404)
            let byToken = try await school.delete("/v1/content-tokens/\(ids[0])", as: .ada)
            #expect(byToken.status == 204)
            let byAccount = try await school.delete("/v1/service-accounts/\(ids[1])", as: .ada)
            #expect(byAccount.status == 204)
            for token in [devices.token, other] {
                let refused = try await school.send(
                    "GET", "/mdm/v2/client/config", token: token)
                #expect(refused.status == 401 && refused.json["errorNumber"] == 9601)
            }
            #expect(try await school.get("/v1/content-tokens", as: .ada).items.isEmpty)
            let again = try await school.delete("/v1/content-tokens/\(ids[0])", as: .ada)
            #expect(again.status == 404)
        }
    }

    @Test func `a long name of the school still fits into a header`() async throws {
        try await withSchool { school in
            let name = String(repeating: "\u{1F3EB}\"", count: 128)
            try school.sql(
                "update school.organization set name = \(name) where organization_id = \(school.hillside)"
            )
            let token = try await Devices.newToken(school)
            #expect(token.utf8.count < 480)
            let answer = try await school.send("GET", "/mdm/v2/client/config", token: token)
            #expect(answer.status == 200)
        }
    }

    @Test func `a token does nothing but what is below mdm`() async throws {
        try await withDevices { devices in
            for path in ["/v1/people", "/v1/apps", "/rosterapi/v1/users", "/scim/v2/Users"] {
                let refused = try await devices.school.send("GET", path, token: devices.token)
                #expect(refused.status == 403, "\(path)")
            }
            let refused = try await devices.school.send(
                "GET", "/mdm/v2/assets", token: Persona.ada.token)
            #expect(refused.status == 403 && refused.json["errorNumber"] == 9601)
        }
    }

    @Test func `answers say when the token ends, from 15 days before on`() async throws {
        try await withDevices { devices in
            let early = try await devices.get("client/config").json
            #expect(early["tokenExpirationDate"] == nil)
            let school = devices.school
            let end = Timestamp(milliseconds: Clock.system.now.milliseconds + 14 * 86_400_000)
            let made = try await school.post(
                "/v1/content-tokens", as: .ada,
                json: [
                    "name": "Short", "locationId": "source:main", "country": "DE",
                    "expiresAt": .text(end.description),
                ])
            let token = try #require(made.json["contentToken"]?.text)
            let late = try await school.send("GET", "/mdm/v2/assets", token: token)
            #expect(late.json["tokenExpirationDate"]?.text?.prefix(19) == "\(end)".prefix(19))
        }
    }
}
