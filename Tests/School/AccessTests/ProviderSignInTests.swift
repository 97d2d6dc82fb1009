import Crypto
import HTTPClient
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct SigningInWithAProvider {
    @Test func `who is here already is signed in, and nobody is made`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            let people = try school.count("person")
            try school.sql(
                """
                update school.person set first_sign_in_at = null where person_id = \(school.id(.tom))
                """)
            let begun = try await school.begin(with: provider)
            let back = try issuer.visit(begun.redirect)
            let asked = issuer.asked(for: back.code)
            #expect(asked["redirect_uri"] == "http://localhost/sign-in/callback")
            #expect(asked["scope"] == "openid email profile" && asked["response_type"] == "code")
            #expect(asked["client_id"] == FakeIssuer.clientID)
            #expect(!begun.redirect.contains(begun.secret))
            issuer.change { $0.account = account("t1", "Tom@Hillside.example").object! }
            let signedIn = try await school.finish(begun, back)
            #expect(signedIn.status == 200, "\(signedIn.text)")
            #expect(signedIn.json["person"]?["id"]?.text == "\(school.id(.tom).uuid)")
            #expect(signedIn.json["mustChangePassword"] == false)
            #expect(signedIn.json["refreshToken"] == nil)
            #expect(signedIn.json["expiresIn"]?.int64 == 43_200)
            let token = signedIn.json["accessToken"]?.text ?? ""
            #expect(try await school.status(of: token) == 200)
            #expect(try school.count("person") == people)
            let session = try school.sql(
                """
                select s.kind, s.user_agent, p.first_sign_in_at is not null as has_come,
                       (select count(*) from school.audit_event where kind = 'signIn'
                           and details ->> 'providerId' = \(provider)) as events
                  from school.session as s
                  join school.person as p using (organization_id, person_id)
                """)
            #expect(session.count == 1)
            #expect(try session[0].text("kind") == "browser")
            #expect(try session[0].text("user_agent") == "Firefox")
            #expect(try session[0].bool("has_come") && session[0].int("events") == 1)
            let person = try await school.get("/v1/people/\(school.id(.tom).uuid)", as: .ada)
            #expect(person.json["lastSignInAt"]?.text != nil)
        }
    }

    @Test func `a temporary password stays, and need not be changed`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            try school.setTemporaryPassword(.sam, "temporary-7")
            let signedIn = try await school.signIn(
                with: provider, at: issuer, account("s1", Persona.sam.managedID))
            #expect(signedIn.json["mustChangePassword"] == false)
            #expect(signedIn.json["expiresIn"]?.int64 == 3600, "a student at a shared device")
            let token = signedIn.json["accessToken"]?.text ?? ""
            #expect(try await school.status(of: token) == 200)
            let typed = try await school.trySignIn(Persona.sam.managedID, "temporary-7")
            #expect(typed.json["mustChangePassword"] == true)
            // Without any password, the way through the provider is left, and nothing is out of order.
            try school.sql("delete from school.credential where person_id = \(school.id(.sam))")
            let checks = try await school.get("/v1/checks", as: .ada)
            let codes = (checks.json["findings"]?.array ?? []).compactMap { $0["code"]?.text }
            #expect(!codes.contains("person_cannot_sign_in"))
            #expect(try await school.signIn(with: provider, at: issuer).status == 200)
        }
    }

    @Test(arguments: [true, false])
    func `apps of a person without a password that works go on`(hasOne: Bool) async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            try await school.registerQuizzler()
            let provider = try await school.connect(issuer)
            try school.setTemporaryPassword(.sam, "temporary-7")
            try school.sql("update school.credential set expires_at = now() - interval '1 day'")
            if !hasOne { try school.sql("delete from school.credential") }
            let browser = SignedIn(
                answer: try await school.signIn(
                    with: provider, at: issuer, account("s1", Persona.sam.managedID)))
            let code = try school.code(in: try await school.authorization(by: browser))
            var tokens = try await school.exchange(code)
            for _ in 1...2 {
                tokens = try await school.refreshApp(tokens.json["refresh_token"]?.text ?? "")
                #expect(tokens.status == 200, "\(tokens.text)")
            }
            let token = tokens.json["access_token"]?.text ?? ""
            let contexts = "/v1/me/contexts?path=%5B%22a%22%5D"
            #expect(try await school.send("GET", contexts, token: token).status == 200)
        }
    }

    @Test func `an administrator who signs in with a provider is one`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            let signedIn = try await school.signIn(
                with: provider, at: issuer, account("a1", Persona.ada.managedID))
            #expect(signedIn.status == 200)
            try school.sql("delete from school.credential")
            let checks = try await school.get("/v1/checks", as: .ada)
            let codes = (checks.json["findings"]?.array ?? []).compactMap { $0["code"]?.text }
            #expect(!codes.contains("no_administrator"))
            try school.sql("delete from school.sign_in_link")
            let without = try await school.get("/v1/checks", as: .ada)
            #expect(without.text.contains("no_administrator"))
        }
    }

    @Test func `everyone who may not sign in gets one and the same answer`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            // First everyone may.
            for persona in [Persona.tom, .cora, .tess] {
                let answer = try await school.signIn(
                    with: provider, at: issuer, account("\(persona)", persona.managedID))
                #expect(answer.status == 200, "\(persona)")
            }
            try school.sql(
                """
                update school.person set deactivated_at = now() where person_id = \(school.id(.tom))
                """)
            try school.sql(
                """
                update school.credential set locked_until = now() + interval '1 minute'
                 where person_id = \(school.id(.cora))
                """)
            let erased = try await school.post(
                "/v1/people/\(school.id(.tess).uuid)/erasure", as: .ada)
            #expect(erased.status == 200, "\(erased.text)")
            let sessions = try school.count("session")
            let nameless: JSONValue = ["sub": "x", "email_verified": true]
            let accounts: [(JSONValue, String)] = [
                (account("tom", Persona.tom.managedID), "deactivated"),
                (account("cora", Persona.cora.managedID), "locked"),
                (account("tess", Persona.tess.managedID), "unknownPerson"),
                (account("x", "nobody@hillside.example"), "unknownPerson"),
                (account("x", Persona.omar.managedID), "foreignDomain"),
                (account("x", "sam@hillside.example.evil.example"), "foreignDomain"),
                (account("x", "sam@sub.hillside.example"), "foreignDomain"),
                (account("x", "sam@evil.example@hillside.example"), "foreignDomain"),
                (account("x", "hillside.example"), "foreignDomain"),
                (account("x", Persona.sam.managedID, verified: false), "unverifiedEmail"),
                (account("x", Persona.sam.managedID, verified: nil), "unverifiedEmail"),
                (account("x", Persona.sam.managedID, verified: 1), "unverifiedEmail"),
                (account("x", "sam\u{7}@hillside.example"), "unverifiedEmail"),
                (nameless, "unverifiedEmail"),
            ]
            var answers: Set<String> = []
            for (account, reason) in accounts {
                let answer = try await school.signIn(with: provider, at: issuer, account)
                #expect(answer.status == 401 && answer.code == "provider_sign_in_refused")
                let members = (answer.json.object?.members ?? []).filter { $0.key != "instance" }
                answers.insert("\(members)")
                #expect(try school.refusals().last == reason, "\(account)")
            }
            #expect(answers.count == 1)
            #expect(try school.count("session") == sessions)
        }
    }

    @Test func `the first account of a person is the one that counts`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            let first = account("first", Persona.sam.managedID)
            #expect(try await school.signIn(with: provider, at: issuer, first).status == 200)
            // The address went to another person.
            let second = account("second", Persona.sam.managedID)
            #expect(try await school.signIn(with: provider, at: issuer, second).status == 401)
            #expect(try school.refusals() == ["otherAccount"])
            // The account has another address now, even one of a colleague's.
            let moved = account("first", Persona.sue.managedID)
            let still = try await school.signIn(with: provider, at: issuer, moved)
            #expect(still.json["person"]?["givenName"] == "Sam")

            let path = "/v1/people/\(school.id(.sam).uuid)/sign-in-links"
            #expect(try await school.delete(path, as: .olga).status == 404)
            #expect(try school.count("sign_in_link") == 1)
            #expect(try await school.delete(path, as: .ada).status == 204)
            let third = try await school.signIn(with: provider, at: issuer, second)
            #expect(third.json["person"]?["givenName"] == "Sam")
            let events = try school.sql(
                """
                select from school.audit_event
                 where kind = 'personChange' and subject_id = \("\(school.id(.sam).uuid)")
                   and details ->> 'change' = 'unlinked'
                """)
            #expect(events.count == 1)
        }
    }

    @Test func `a person manager cannot let another account sign in as an administrator`()
        async throws
    {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            let answer = try await school.signIn(
                with: provider, at: issuer, account("a", Persona.ada.managedID))
            #expect(answer.status == 200)
            let path = "/v1/people/\(school.id(.ada).uuid)/sign-in-links"
            #expect(try await school.delete(path, as: .petra).status == 403)
            #expect(try school.count("sign_in_link") == 1)
        }
    }

    @Test func `an address of the person's counts if the school says so, unless two have it`()
        async throws
    {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(
                issuer, ["matching": "email", "emailDomains": ["mail.example", "other.example"]])
            try school.sql(
                """
                update school.person set email = 'Sam.Miller@mail.example'
                 where person_id in (\(school.id(.sam)), \(school.id(.omar)))
                """)
            let managed = account("x", Persona.sam.managedID)
            #expect(try await school.signIn(with: provider, at: issuer, managed).status == 401)
            let mail = account("x", "sam.miller@mail.example")
            let signedIn = try await school.signIn(with: provider, at: issuer, mail)
            #expect(signedIn.json["person"]?["id"]?.text == "\(school.id(.sam).uuid)")
            try school.sql("delete from school.sign_in_link")
            try school.sql(
                """
                update school.person set email = 'sam.miller@mail.example'
                 where person_id = \(school.id(.sue))
                """)
            #expect(try await school.signIn(with: provider, at: issuer, mail).status == 401)
            #expect(try school.refusals() == ["foreignDomain", "unknownPerson"])
        }
    }

    @Test func `an account leads to people of the provider's own school only`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(
                issuer, ["emailDomains": ["elsewhere.example", "hillside.example"]])
            let omar = account("o", Persona.omar.managedID)
            #expect(try await school.signIn(with: provider, at: issuer, omar).status == 401)
            let own = try await school.connect(issuer, as: .olga)
            #expect(try await school.signIn(with: own, at: issuer, omar).status == 200)
            #expect(try school.refusals() == ["unknownPerson"])
        }
    }
}
