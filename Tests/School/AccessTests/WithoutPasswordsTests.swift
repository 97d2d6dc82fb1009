import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// Schools whose people sign in with a provider, and not with passwords.
@Suite struct WithoutPasswords {
    @Test func `nobody but administrators signs in by password, and no stranger sees a difference`()
        async throws
    {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            for persona in [Persona.sam, .tom, .petra] { _ = try await school.signIn(persona) }
            let provider = try await school.connect(issuer)
            try await school.giveUpPasswords()
            var answers = [
                try await school.trySignIn("nobody@hillside.example"),
                try await school.trySignIn("nobody@nowhere.example"),
                try await school.trySignIn(Persona.ada.managedID, "wrong"),
                try await school.trySignIn(Persona.omar.managedID, "wrong"),
            ]
            for persona in [Persona.sam, .tom, .petra] {
                answers.append(try await school.trySignIn(persona.managedID))
                answers.append(try await school.trySignIn(persona.managedID, "wrong"))
                answers.append(
                    try await school.trySignIn(persona.managedID, app: school.quizzler))
            }
            for answer in answers {
                #expect(answer.status == 401 && answer.code == "sign_in_refused")
                #expect(answer.text == answers[0].text)
                #expect(answer.headers.map(\.name) == answers[0].headers.map(\.name))
            }
            #expect(try school.refusals() == Array(repeating: "withoutPasswords", count: 9))
            let development: JSONValue = [
                "managedId": .text(Persona.sam.managedID), "password": .text(Persona.password),
                "bundleId": .text(school.quizzler), "environment": "development",
            ]
            let script = try await school.post("/v1/sign-in", as: nil, json: development)
            #expect(script.status == 401, "no app either, wherever it is made")
            _ = try await school.signIn(.ada)
            _ = try await school.signIn(.omar)
            let signedIn = try await school.signIn(
                with: provider, at: issuer, account("s1", Persona.sam.managedID))
            #expect(signedIn.status == 200, "\(signedIn.text)")
            #expect(signedIn.json["person"]?["usesPassword"] == false)
        }
    }

    @Test func `strangers with wrong passwords lock nobody out of the way that is left`()
        async throws
    {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            try school.sql(
                """
                update school.credential set locked_until = school.moment() + interval '1 hour'
                 where person_id = \(school.id(.sue))
                """)
            let locked = try await school.signIn(
                with: provider, at: issuer, account("s2", Persona.sue.managedID))
            #expect(locked.status == 401, "a lock holds for the provider, too")
            try await school.giveUpPasswords()
            for _ in 0..<11 { _ = try await school.trySignIn(Persona.sam.managedID, "wrong") }
            for (subject, persona) in [("s1", Persona.sam), ("s2", .sue)] {
                let signedIn = try await school.signIn(
                    with: provider, at: issuer, account(subject, persona.managedID))
                #expect(signedIn.status == 200, "\(signedIn.text)")
            }
            for _ in 0..<10 { _ = try await school.trySignIn(Persona.ada.managedID, "wrong") }
            let administrator = try await school.trySignIn(Persona.ada.managedID)
            #expect(administrator.status == 401, "an administrator's password can be guessed")
        }
    }

    @Test func `only an administrator decides it, with a provider, and leaves an event`()
        async throws
    {
        try await withSchool(client: FakeIssuer()) { school in
            let first = try await school.get("/v1/organization", as: .ada)
            #expect(first.json["withoutPasswords"] == false)
            let early = try await school.setWithoutPasswords(true)
            #expect(early.status == 422 && early.pointers == ["/withoutPasswords"])
            #expect(early.json["errors"]?.array?[0]["code"] == "no_sign_in_provider")
            _ = try await school.connect(FakeIssuer())
            let refused = try await school.setWithoutPasswords(true, as: .petra)
            #expect(refused.status == 403, "no way round the administrators: \(refused.text)")
            let done = try await school.setWithoutPasswords(true)
            #expect(done.status == 200 && done.json["withoutPasswords"] == true)
            let events = try await school.get("/v1/audit-events?kind=organizationChange", as: .ada)
            let details = try #require(events.items.last?["details"])
            #expect(
                details["withoutPasswords"] == true && details["fields"] == ["withoutPasswords"])
            let me = try await school.get("/v1/me", as: .tom)
            #expect(me.json["organization"]?["withoutPasswords"] == true)
            #expect(me.json["person"]?["usesPassword"] == false)
            #expect(
                try await school.get("/v1/me", as: .ada).json["person"]?["usesPassword"] == true)
        }
    }

    @Test func `the page for signing in learns it of a school, and of no person`() async throws {
        try await withSchool(client: FakeIssuer()) { school in
            _ = try await school.connect(FakeIssuer())
            func says(_ domain: String) async throws -> JSONValue? {
                try await school.get(
                    "/v1/sign-in/offered-providers?domain=\(domain)", as: nil
                ).json["withoutPasswords"]
            }
            #expect(try await says("hillside.example") == false)
            try await school.giveUpPasswords()
            #expect(try await says("hillside.example") == true)
            #expect(try await says("HILLSIDE.example") == true)
            #expect(try await says("elsewhere.example") == false)
            #expect(try await says("nowhere.example") == false)
        }
    }

    @Test func `the last provider stays until passwords count again`() async throws {
        try await withSchool(client: FakeIssuer()) { school in
            let one = try await school.connect(FakeIssuer())
            let other = try await school.connect(FakeIssuer("https://other.example"))
            try await school.giveUpPasswords()
            #expect(
                try await school.delete("/v1/sign-in-providers/\(one)", as: .ada).status == 204)
            let refused = try await school.delete("/v1/sign-in-providers/\(other)", as: .ada)
            #expect(refused.status == 409 && refused.code == "last_sign_in_provider")
            #expect(try school.count("sign_in_provider") == 1)
            #expect(try await school.setWithoutPasswords(false).status == 200)
            _ = try await school.signIn(.sam)
            #expect(
                try await school.delete("/v1/sign-in-providers/\(other)", as: .ada).status == 204)
        }
    }

    /// Both may be asked at the same moment.
    @Test func `of the two last providers that are removed at once, one stays`() async throws {
        try await withSchool(client: FakeIssuer()) { school in
            let ids = [
                try await school.connect(FakeIssuer()),
                try await school.connect(FakeIssuer("https://other.example")),
            ]
            try await school.giveUpPasswords()
            async let one = school.delete("/v1/sign-in-providers/\(ids[0])", as: .ada)
            async let other = school.delete("/v1/sign-in-providers/\(ids[1])", as: .ada)
            let statuses = try await [one.status, other.status].sorted()
            #expect(statuses == [204, 409])
            #expect(try school.count("sign_in_provider") == 1)
        }
    }
}

extension TestSchool {
    func setWithoutPasswords(
        _ isWithout: Bool, as persona: Persona = .ada
    ) async throws -> Answer {
        try await patch(
            "/v1/organization", as: persona, json: ["withoutPasswords": .bool(isWithout)])
    }

    /// Hillside signs in with the provider that it has.
    func giveUpPasswords() async throws {
        let answer = try await setWithoutPasswords(true)
        try #require(answer.status == 200, "\(answer.text)")
    }
}
