import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What becomes of passwords in a school without them.
@Suite struct UnusedPasswords {
    @Test func `nobody gets a new one but an administrator`() async throws {
        try await withSchool(client: FakeIssuer()) { school in
            _ = try await school.connect(FakeIssuer())
            try await school.giveUpPasswords()
            for (persona, victim) in [
                (Persona.ada, Persona.sam), (.petra, .sam), (.mara, .sue), (.tom, .sam),
            ] {
                let answer = try await school.post(
                    "/v1/people/\(school.id(victim).uuid)/temporary-password", as: persona)
                #expect(answer.status == 409 && answer.code == "without_passwords")
            }
            let biology = JSONValue.text(school.biology.uuid.description)
            let whole = try await school.orderSheet(["classId": biology], as: .tom)
            let listed = try await school.orderSheet(
                ["personIds": [.text("\(school.id(.sam).uuid)")]], as: .ada)
            for sheet in [whole, listed] {
                #expect(sheet.status == 409 && sheet.code == "without_passwords")
            }
            #expect(listed.pointers == ["/personIds/0"])
            let own = try await school.post(
                "/v1/people/\(school.id(.ada).uuid)/temporary-password", as: .ada)
            #expect(own.status == 200, "\(own.text)")
        }
    }

    @Test func `nor by the operator's command`() async throws {
        try await withSchool(client: FakeIssuer()) { school in
            func reset(_ persona: Persona) throws -> String {
                try school.sql(
                    """
                    select school.reset_password(\(persona.managedID), 'record', now() + interval '1 day') as outcome
                    """)[0].text("outcome")
            }
            #expect(try reset(.sam) == "set")
            _ = try await school.connect(FakeIssuer())
            try await school.giveUpPasswords()
            #expect(try reset(.sam) == "withoutPassword")
            #expect(try reset(.ada) == "set" && reset(.omar) == "set")
        }
    }

    @Test func `nobody changes one that does not count`() async throws {
        try await withSchool(client: FakeIssuer()) { school in
            let signedIn = try await school.signIn(.tom)
            _ = try await school.connect(FakeIssuer())
            try await school.giveUpPasswords()
            #expect(try await school.status(of: signedIn.accessToken) == 200, "it goes on")
            for password in [Persona.password, "wrong"] {
                let change = try await school.changePassword(
                    signedIn.accessToken, from: password, to: "Another-2026")
                #expect(change.status == 409 && change.code == "without_passwords")
            }
            #expect(try await school.refresh(signedIn.refreshToken).status == 200)
            let administrator = try await school.changePassword(
                school.token(.ada), from: Persona.password, to: "Another-2026")
            #expect(administrator.status == 204)
        }
    }

    @Test func `a sign-in that waits for a new password ends, others go on`() async throws {
        try await withSchool(client: FakeIssuer()) { school in
            for persona in [Persona.sam, .ada] {
                try school.setTemporaryPassword(persona, "temporary-7")
            }
            let waiting = try await school.signIn(.sam, "temporary-7")
            let administrator = try await school.signIn(.ada, "temporary-7")
            let other = try await school.signIn(.sue)
            #expect(waiting.mustChangePassword == true && administrator.mustChangePassword == true)
            _ = try await school.connect(FakeIssuer())
            try await school.giveUpPasswords()
            let ended = try await school.changePassword(
                waiting.accessToken, from: "temporary-7", to: "Another-2026")
            #expect(ended.status == 401)
            #expect(try await school.refresh(waiting.refreshToken).status == 401)
            #expect(try await school.status(of: other.accessToken) == 200)
            let changed = try await school.changePassword(
                administrator.accessToken, from: "temporary-7", to: "Another-2026")
            #expect(changed.status == 204)
        }
    }

    @Test func `no finding asks for a password that nobody uses`() async throws {
        try await withSchool(client: FakeIssuer()) { school in
            try school.sql("delete from school.credential where person_id = \(school.id(.sam))")
            func codes() async throws -> [String] {
                let checks = try await school.get("/v1/checks", as: .ada)
                return (checks.json["findings"]?.array ?? []).compactMap { $0["code"]?.text }
            }
            #expect(try await codes().contains("person_cannot_sign_in"))
            _ = try await school.connect(FakeIssuer())
            try await school.giveUpPasswords()
            #expect(try await !codes().contains("person_cannot_sign_in"))
            #expect(try await school.setWithoutPasswords(false).status == 200)
            #expect(try await codes().contains("person_cannot_sign_in"))
        }
    }

    @Test func `an app goes on whose person has a temporary password that does not count`()
        async throws
    {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            _ = try await school.connect(issuer)
            let app = try await school.signIn(.sam, app: school.quizzler)
            try school.setTemporaryPassword(.sam, "temporary-7")
            try await school.giveUpPasswords()
            // Old tokens are removed after a while, and with them what they said.
            try school.sql(
                "delete from school.access_token where person_id = \(school.id(.sam)) and session_id is not null"
            )
            let again = try await school.refresh(app.refreshToken)
            #expect(again.status == 200 && again.json["mustChangePassword"] == false)
        }
    }
}
