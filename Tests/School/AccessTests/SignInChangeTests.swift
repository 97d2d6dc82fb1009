import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Access

/// What others changed of a person's sign-in is an event, and the person is told.
@Suite struct SignInChanges {
    private func changes(_ persona: Persona, in school: TestSchool) async throws -> [[String]] {
        let me = try await school.get("/v1/me", as: persona)
        return (me.json["person"]?["signInChanges"]?.array ?? []).map { item in
            ["change", "standing", "name"].map { item[$0]?.text ?? "-" }
        }
    }

    private func events(of persona: Persona, in school: TestSchool) throws -> [String] {
        try school.sql(
            """
            select standing || ' ' || (details ->> 'change') as line from school.audit_event
             where kind = 'personChange' and subject_id = \(school.id(persona).uuid.description)
             order by arrived_at, event_id
            """
        ).map { try $0.text("line") }
    }

    @Test func `a new email and a new managed ID are events, and told`() async throws {
        try await withSchool { school in
            try school.sql("update school.person set first_sign_in_at = school.moment()")
            let path = "/v1/people/\(school.id(.tom).uuid)"
            for body: JSONValue in [
                ["email": "tom@example.org"], ["managedId": "tom.new@hillside.example"],
            ] {
                let answer = try await school.patch(path, as: .ada, json: body)
                #expect(answer.status == 200, "\(answer.text)")
            }
            #expect(
                try await changes(.tom, in: school) == [
                    ["managedId", "administrator", "Ada Example"],
                    ["email", "administrator", "Ada Example"],
                ])
            #expect(
                try events(of: .tom, in: school) == [
                    "administrator email", "administrator managedId",
                ])
            #expect(try await changes(.cora, in: school).isEmpty)
            _ = try await school.delete("/v1/me/sign-in-changes", as: .tom)
            #expect(try await changes(.tom, in: school).isEmpty)
        }
    }

    @Test func `what one changes oneself, and what a newcomer never knew, is not told`()
        async throws
    {
        try await withSchool { school in
            try school.sql("update school.person set first_sign_in_at = school.moment()")
            try school.makeNewcomer(.cora)
            for persona in [Persona.ada, .cora] {
                let answer = try await school.patch(
                    "/v1/people/\(school.id(persona).uuid)", as: .ada,
                    json: ["email": .text("\(persona)@example.org")])
                #expect(answer.status == 200)
                #expect(try await changes(persona, in: school).isEmpty, "\(persona)")
                #expect(try events(of: persona, in: school) == ["administrator email"])
            }
        }
    }

    @Test func `an account of another hand is not linked by writing its address`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            try school.sql("update school.person set first_sign_in_at = school.moment()")
            let provider = try await school.connect(issuer, ["matching": "email"])
            let forged = account("evil", "evil@hillside.example")
            for persona in [Persona.petra, .mara, .provisioner] {
                let answer = try await school.patch(
                    "/v1/people/\(school.id(.tom).uuid)", as: persona,
                    json: ["email": "evil@hillside.example"])
                #expect(answer.status == 403, "\(persona)")
            }
            let refused = try await school.signIn(with: provider, at: issuer, forged)
            #expect(refused.status == 401)
            #expect(try school.refusals() == ["unknownPerson"])
        }
    }

    @Test func `a first account at a provider is told to who has been here before`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            try school.sql("update school.person set first_sign_in_at = school.moment()")
            let provider = try await school.connect(issuer)
            try school.makeNewcomer(.sue)
            for persona in [Persona.tom, .tom, .sue] {
                let signedIn = try await school.signIn(
                    with: provider, at: issuer, account("\(persona)", persona.managedID))
                #expect(signedIn.status == 200)
            }
            #expect(try await changes(.tom, in: school) == [["link", "-", "School account"]])
            #expect(try await changes(.sue, in: school).isEmpty)
            for _ in 1...21 {
                try school.sql(
                    "delete from school.sign_in_link where person_id = \(school.id(.tom))")
                _ = try await school.signIn(
                    with: provider, at: issuer, account("tom", Persona.tom.managedID))
            }
            #expect(try await changes(.tom, in: school).count == 20, "the latest are enough")
        }
    }

    @Test func `a people manager does not make a teacher's account another one`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            for persona in [Persona.tom, .sam] {
                _ = try await school.signIn(
                    with: provider, at: issuer, account("\(persona)", persona.managedID))
            }
            func forget(_ persona: Persona, as giver: Persona) async throws -> Int {
                try await school.delete(
                    "/v1/people/\(school.id(persona).uuid)/sign-in-links", as: giver
                ).status
            }
            #expect(try await forget(.tom, as: .petra) == 403)
            #expect(try await forget(.sam, as: .petra) == 204)
            #expect(try await forget(.tom, as: .ada) == 204)
        }
    }
}
