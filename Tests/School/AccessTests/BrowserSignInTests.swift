import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct BrowserSignIn {
    @Test func `a browser gets one token, which lives for twelve hours from each renewal on`()
        async throws
    {
        try await withSchool { school in
            let browser = try await school.signInWithBrowser(.tom)
            #expect(browser.answer.json["refreshToken"] == nil)
            #expect(browser.answer.json["expiresIn"]?.int64 == 43_200)
            #expect(browser.answer.json["person"]?["givenName"]?.text == "Tom")
            #expect(try school.sql("select from school.refresh_token").count == 0)
            #expect(try school.secondsLeft(of: browser) == 43_200)

            try school.sql(
                """
                update school.access_token set expires_at = now() + interval '1 minute'
                 where session_id is not null
                """)
            let renewed = try await school.renew(browser)
            #expect(renewed.json["expiresIn"]?.int64 == 43_200)
            #expect(try school.secondsLeft(of: browser) == 43_200)
            #expect(try await school.status(of: browser.accessToken) == 200)
        }
    }

    @Test(arguments: [
        (Persona.sam, true, nil as Int64?, Int64(3600)), (.sam, true, 5, 300),
        (.sam, true, 720, 43_200), (.sam, false, 5, 43_200), (.tom, true, 5, 43_200),
    ])
    func `on a shared device a student is signed out after what the school says`(
        persona: Persona, isShared: Bool, minutes: Int64?, seconds: Int64
    ) async throws {
        try await withSchool { school in
            if let minutes {
                let answer = try await school.patch(
                    "/v1/organization", as: .ada,
                    json: ["sharedDeviceIdleMinutes": JSONValue(integerLiteral: minutes)])
                #expect(answer.json["sharedDeviceIdleMinutes"]?.int64 == minutes)
            }
            let browser = try await school.signInWithBrowser(persona, isShared: isShared)
            #expect(browser.answer.json["expiresIn"]?.int64 == seconds)
            #expect(try await school.renew(browser).json["expiresIn"]?.int64 == seconds)
            // Who teaches, too, is not kept from working.
            try school.sql(
                """
                insert into school.person_role (organization_id, person_id, location_id, role)
                values (\(school.hillside), \(school.id(.sam)), \(TestIDs.mainLocation), 'teacher')
                """)
            let later = try await school.signInWithBrowser(.sam, isShared: true)
            #expect(later.answer.json["expiresIn"]?.int64 == 43_200)
        }
    }

    @Test(arguments: [
        (Persona.sam, false, Int64(504), Int64(1_814_400)), (.tom, false, 1, 3600),
        (.tom, true, 504, 43_200), (.tom, true, 1, 3600), (.sam, true, 504, 3600),
    ])
    func `on a personal device a sign-in lasts as long as the school says`(
        persona: Persona, isShared: Bool, hours: Int64, seconds: Int64
    ) async throws {
        try await withSchool { school in
            let answer = try await school.patch(
                "/v1/organization", as: .ada,
                json: ["ownDeviceIdleHours": JSONValue(integerLiteral: hours)])
            #expect(answer.json["ownDeviceIdleHours"]?.int64 == hours)
            let browser = try await school.signInWithBrowser(persona, isShared: isShared)
            #expect(browser.answer.json["expiresIn"]?.int64 == seconds)
            #expect(try await school.renew(browser).json["expiresIn"]?.int64 == seconds)
            #expect(try await school.status(of: browser.accessToken) == 200)
        }
    }

    @Test(arguments: [0, 721]) func `nobody stays signed in for ever`(hours: Int64) async throws {
        try await withSchool { school in
            let answer = try await school.patch(
                "/v1/organization", as: .ada,
                json: ["ownDeviceIdleHours": JSONValue(integerLiteral: hours)])
            #expect(answer.status == 422 && answer.pointers == ["/ownDeviceIdleHours"])
            let settings = try await school.get("/v1/organization", as: .ada).json
            #expect(settings["ownDeviceIdleHours"]?.int64 == 12)
        }
    }

    @Test(arguments: [4, 721]) func `a school cannot sign students out too soon or too late`(
        minutes: Int64
    ) async throws {
        try await withSchool { school in
            let answer = try await school.patch(
                "/v1/organization", as: .ada,
                json: ["sharedDeviceIdleMinutes": JSONValue(integerLiteral: minutes)])
            #expect(answer.status == 422)
            #expect(answer.pointers == ["/sharedDeviceIdleMinutes"])
            let settings = try await school.get("/v1/organization", as: .ada).json
            #expect(settings["sharedDeviceIdleMinutes"]?.int64 == 60)
        }
    }

    @Test func `renewals end thirty days after the sign-in`() async throws {
        try await withSchool { school in
            let browser = try await school.signInWithBrowser(.tom)
            try school.sql(
                "update school.session set started_at = now() - interval '30 days' + interval '1 minute'"
            )
            let seconds = try #require(try await school.renew(browser).json["expiresIn"]?.int64)
            #expect((50...60).contains(seconds))
            try school.sql("update school.session set started_at = now() - interval '30 days'")
            #expect(try await school.renew(browser).json["expiresIn"]?.int64 == 0)
            #expect(try await school.status(of: browser.accessToken) == 401)
        }
    }

    @Test func `only the token of a browser is renewed`() async throws {
        try await withSchool { school in
            let script = try await school.signIn(.tom)
            for token in [script.accessToken, Persona.tom.token] {
                let answer = try await school.send(
                    "POST", "/v1/me/session/renewal", token: token)
                #expect(answer.status == 409 && answer.code == "not_of_browser")
            }
            let app = try await school.signIn(.sam, app: school.quizzler)
            #expect(try await school.renew(app).status == 403)
            let browser = try await school.signInWithBrowser(.sam)
            #expect(try await school.renew(browser).status == 200)
            #expect(
                try await school.send("POST", "/v1/sign-out", token: browser.accessToken).status
                    == 204)
            #expect(try await school.renew(browser).status == 401)
        }
    }

    @Test func `an app has no browser`() async throws {
        try await withSchool { school in
            let answer = try await school.post(
                "/v1/sign-in", as: nil,
                json: [
                    "managedId": .text(Persona.sam.managedID),
                    "password": .text(Persona.password), "bundleId": "org.example.quizzler",
                    "browser": ["shared": false],
                ])
            #expect(answer.status == 422)
            #expect(answer.pointers == ["/browser"])
            #expect(try school.sql("select from school.session").count == 0)
        }
    }

    @Test func `a browser's sign-in is removed with its token`() async throws {
        try await withSchool { school in
            _ = try await school.signInWithBrowser(.tom)
            try school.removeOutdated()
            #expect(try school.sql("select from school.session").count == 1)
            try school.sql(
                """
                update school.access_token set expires_at = now() - interval '31 days'
                 where session_id is not null
                """)
            try school.removeOutdated()
            #expect(try school.sql("select from school.session").count == 0)
        }
    }

    @Test func `those who manage people see when a person last signed in`() async throws {
        try await withSchool { school in
            let path = "/v1/people/\(school.id(.sam).uuid)"
            let before = try await school.get(path, as: .ada)
            #expect(before.json["lastSignInAt"]?.isNull == true)
            _ = try await school.signInWithBrowser(.sam)
            let moment = try school.sql(
                """
                select last_sign_in_at from school.credential where person_id = \(school.id(.sam))
                """)[0].timestamp("last_sign_in_at")
            for persona in [Persona.ada, .petra, .mara, .provisioner] {
                let person = try await school.get(path, as: persona).json
                #expect(person["lastSignInAt"]?.text == moment.description, "\(persona)")
            }
            let seen = try await school.get(path, as: .tom)
            #expect(seen.status == 200)
            #expect(seen.json["lastSignInAt"]?.isNull == true)
            let etag = try #require(before.header("etag"))
            let again = try await school.get(
                path, as: .ada, headers: [("If-None-Match", etag)])
            #expect(again.status == 200, "the answer has changed")
            let list = try await school.get("/v1/people", as: .ada)
            #expect(list.items.allSatisfy { $0["lastSignInAt"] == nil })
        }
    }
}

extension TestSchool {
    func signInWithBrowser(
        _ persona: Persona, isShared: Bool = false, userAgent: String? = nil,
        from address: String = "127.0.0.1"
    ) async throws -> SignedIn {
        let answer = try await trySignInWithBrowser(
            persona, isShared: isShared, userAgent: userAgent, from: address)
        try #require(answer.status == 200, "\(answer.text)")
        return SignedIn(answer: answer)
    }

    func trySignInWithBrowser(
        _ persona: Persona, _ password: String = Persona.password, isShared: Bool = false,
        userAgent: String? = nil, secret: String? = nil, from address: String = "127.0.0.1"
    ) async throws -> Answer {
        var browser: [(String, JSONValue)] = [("shared", isShared ? true : false)]
        if let userAgent { browser.append(("userAgent", .text(userAgent))) }
        if let secret { browser.append(("secret", .text(secret))) }
        let body: JSONValue = [
            "managedId": .text(persona.managedID), "password": .text(password),
            "browser": .object(JSONObject(browser)),
        ]
        return try await send(
            "POST", "/v1/sign-in", token: nil, body: body.bytes, from: address)
    }

    func renew(_ signedIn: SignedIn, from address: String = "127.0.0.1") async throws -> Answer {
        try await send(
            "POST", "/v1/me/session/renewal", token: signedIn.accessToken, from: address)
    }

    /// How many seconds a token lives, to the nearest one.
    func secondsLeft(of signedIn: SignedIn) throws -> Int {
        try sql(
            """
            select round(extract(epoch from t.expires_at - s.last_used_at))::integer as seconds
              from school.access_token as t join school.session as s using (organization_id, session_id)
             where t.digest = sha256(\(Array(signedIn.accessToken.utf8)))
            """)[0].int("seconds")
    }
}
