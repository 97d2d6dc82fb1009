import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct SignIn {
    @Test func `a person signs in and sees who that is`() async throws {
        try await withSchool { school in
            let answer = try await school.trySignIn("TOM@hillside.example")
            #expect(answer.status == 200)
            #expect(answer.json["tokenType"]?.text == "Bearer")
            #expect(answer.json["expiresIn"]?.int64 == 3600)
            #expect(answer.json["mustChangePassword"]?.bool == false)
            #expect(answer.json["person"]?["id"]?.text == school.id(.tom).uuid.description)
            #expect(answer.json["person"]?["roles"]?.array?.first?["role"]?.text == "teacher")
            #expect(answer.header("cache-control") == "no-store")
            let signedIn = SignedIn(answer: answer)
            let me = try await school.send("GET", "/v1/me", token: signedIn.accessToken)
            #expect(me.json["person"]?["managedId"]?.text == Persona.tom.managedID)
            #expect(try school.countEvents("signIn", about: .tom) == 1)
        }
    }

    @Test func `only digests of tokens are stored`() async throws {
        try await withSchool { school in
            let signedIn = try await school.signIn(.tom)
            #expect(signedIn.accessToken.utf8.count == 43)
            let stored = try school.sql(
                """
                select count(*) filter (where digest = sha256(\(Array(signedIn.accessToken.utf8)))) as digests,
                       count(*) filter (where t::text like '%' || \(signedIn.accessToken) || '%') as texts
                  from school.access_token as t
                """)
            #expect(try stored[0].int("digests") == 1)
            #expect(try stored[0].int("texts") == 0)
        }
    }

    @Test func `unknown, wrong, locked, deactivated and expired get the same answer`() async throws
    {
        try await withSchool { school in
            _ = try await school.signIn(.sue)
            _ = try await school.signIn(.ben)
            _ = try await school.signIn(.tess)
            try school.sql(
                """
                update school.credential set locked_until = now() + interval '1 minute'
                 where person_id = \(school.id(.sue))
                """)
            try school.sql(
                """
                update school.person set deactivated_at = now() where person_id = \(school.id(.ben))
                """)
            try school.sql(
                """
                update school.credential set expires_at = now() where person_id = \(school.id(.tess))
                """)
            var answers = [
                try await school.trySignIn("nobody@hillside.example"),
                try await school.trySignIn("tom@nowhere.example"),
                try await school.trySignIn("no managed ID at all"),
                try await school.trySignIn(Persona.tom.managedID, "wrong"),
            ]
            for persona in [Persona.sue, .ben, .tess] {
                answers.append(try await school.trySignIn(persona.managedID))
            }
            for answer in answers {
                #expect(answer.status == 401)
                #expect(answer.text == answers[0].text)
                #expect(answer.headers.map(\.name) == answers[0].headers.map(\.name))
            }
        }
    }

    @Test func `a failure leaves an event, even where nobody has the managed ID`() async throws {
        try await withSchool { school in
            _ = try await school.trySignIn(Persona.tom.managedID, "wrong")
            _ = try await school.trySignIn("nobody@hillside.example")
            #expect(try school.countEvents("signInFailure", about: .tom) == 1)
            let events = try school.sql(
                """
                select organization_id, address, row_to_json(e)::text as text
                  from school.audit_event as e
                 where kind = 'signInFailure' and person_id is null
                """)
            #expect(events.count == 1)
            #expect(try events[0].uuid("organization_id") == school.hillside.uuid)
            #expect(try events[0].text("address") == "127.0.0.1")
            #expect(try !events[0].text("text").contains("nobody"))
        }
    }

    @Test func `hostile bodies are refused with pointers`() async throws {
        try await withSchool { school in
            let answer = try await school.post(
                "/v1/sign-in", as: nil,
                json: [
                    "managedId": 7, "environment": "staging", "bundleId": "", "admin/me": true,
                ])
            #expect(answer.status == 422)
            #expect(
                Set(answer.pointers) == [
                    "/managedId", "/environment", "/bundleId", "/admin~1me", "/password",
                ])
            for body in ["", "{", "[]", #"{"password":"a","password":"b"}"#, "\u{FEFF}{}"] {
                let answer = try await school.send(
                    "POST", "/v1/sign-in", as: nil, body: Array(body.utf8))
                #expect((400..<500).contains(answer.status), "\(body): \(answer.text)")
                #expect(answer.status != 401)
            }
        }
    }

    @Test func `an answer with secrets is never replayed`() async throws {
        try await withSchool { school in
            let body: JSONValue = [
                "managedId": .text(Persona.tom.managedID), "password": .text(Persona.password),
            ]
            let answer = try await school.post(
                "/v1/sign-in", as: nil, json: body, headers: [("Idempotency-Key", "once")])
            #expect(answer.code == "idempotency_key_refused")
        }
    }
}

@Suite struct AppSignIn {
    @Test func `an app does not learn who signed in, and cannot ask`() async throws {
        try await withSchool { school in
            let person = try await school.signIn(.sam)
            #expect(person.answer.json["person"] != nil)
            #expect(try await school.status(of: person.accessToken) == 200)

            let app = try await school.signIn(.sam, app: school.quizzler)
            #expect(app.answer.json["person"] == nil)
            #expect(!app.answer.text.contains("sam"))
            #expect(!app.answer.text.contains(school.id(.sam).uuid.description))
            let me = try await school.send("GET", "/v1/me", token: app.accessToken)
            #expect(me.status == 403)
            #expect(me.json["detail"]?.text?.contains("app") == true)

            let refreshed = try await school.refresh(app.refreshToken)
            #expect(refreshed.status == 200)
            #expect(refreshed.json["person"] == nil)
        }
    }

    @Test func `an app's token acts as an app in one environment`() async throws {
        try await withSchool { school in
            let answer = try await school.post(
                "/v1/sign-in", as: nil,
                json: [
                    "managedId": .text(Persona.tom.managedID), "password": .text(Persona.password),
                    "bundleId": "org.example.quizzler", "environment": "development",
                ])
            #expect(answer.status == 200)
            let rows = try school.sql(
                """
                select standing, app, environment from school.access_token
                 where session_id is not null and person_id = \(school.id(.tom))
                """)
            #expect(try rows[0].text("standing") == "app")
            #expect(try rows[0].text("app") == "org.example.quizzler")
            #expect(try rows[0].text("environment") == "development")
        }
    }

    @Test func `an app cannot change a password that is not temporary`() async throws {
        try await withSchool { school in
            let app = try await school.signIn(.sam, app: school.quizzler)
            let answer = try await school.changePassword(
                app.accessToken, from: Persona.password, to: "Another-2026")
            #expect(answer.status == 403)
            _ = try await school.signIn(.sam)
        }
    }
}
