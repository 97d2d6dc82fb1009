import EventLoop
import HTTPWire
import JSONBytes
import Postgres
import School
import Synchronization
import TestKit
import Testing
import Values
import WaitKit

@Suite struct Refresh {
    @Test func `a refresh token gives new tokens and voids the old ones`() async throws {
        try await withSchool { school in
            let first = try await school.signIn(.tom)
            let second = SignedIn(answer: try await school.refresh(first.refreshToken))
            #expect(second.answer.status == 200)
            #expect(second.answer.json["person"]?["givenName"]?.text == "Tom")
            #expect(try await school.status(of: second.accessToken) == 200)
            #expect(try await school.status(of: first.accessToken) == 401)
            #expect(second.refreshToken != first.refreshToken)
        }
    }

    @Test
    func `access tokens live an hour and refresh tokens thirty days, counted from each refresh`()
        async throws
    {
        try await withSchool { school in
            func ends() throws -> [String] {
                try ["access", "refresh"].map { kind in
                    let table: Statement =
                        kind == "access" ? "school.access_token" : "school.refresh_token"
                    let rows = try school.sql(
                        """
                        select round(extract(epoch from expires_at - created_at) / 60)::text as minutes
                          from \(fragment: table) where session_id is not null
                         order by created_at desc limit 1
                        """)
                    return try rows[0].text("minutes")
                }
            }
            let first = try await school.signIn(.tom)
            #expect(try ends() == ["60", "43200"])
            #expect(try await school.refresh(first.refreshToken).status == 200)
            #expect(try school.sql("select from school.refresh_token").count == 2)
            #expect(try ends() == ["60", "43200"])
        }
    }

    @Test func `a refresh lets other processes know that the former access token is void`()
        async throws
    {
        try await withSchool { school in
            let signedIn = try await school.signIn(.tom)
            let session = try school.sql("select session_id from school.session")[0]
                .uuid("session_id")
            let heard = Mutex<[String]>([])
            let isListening = Mutex(false)
            let loop = try Loop()
            loop.start()
            defer { loop.stop() }
            let listener = Listener(
                Pool.Settings(school.ownerURL), channels: ["school_revocation"], on: loop
            ) { event in
                if case .connected = event { isListening.withLock { $0 = true } }
                if case .notification(_, let payload) = event {
                    heard.withLock { $0.append(payload) }
                }
            }
            loop.execute { listener.start() }
            defer { loop.execute { listener.stop() } }
            try await eventually { isListening.withLock { $0 } }
            #expect(try await school.refresh(signedIn.refreshToken).status == 200)
            try school.sql("select pg_notify('school_revocation', 'the end')")
            try await eventually { heard.withLock { $0.contains("the end") } }
            #expect(heard.withLock { $0 } == ["session:\(session)", "the end"])
        }
    }

    @Test func `a refresh token used twice ends the whole session`() async throws {
        try await withSchool { school in
            let first = try await school.signIn(.tom)
            let other = try await school.signIn(.tom)
            let second = SignedIn(answer: try await school.refresh(first.refreshToken))
            #expect(try await school.status(of: second.accessToken) == 200)

            let reused = try await school.refresh(first.refreshToken)
            #expect(reused.status == 401)
            #expect(try await school.status(of: second.accessToken) == 401)
            #expect(try await school.refresh(second.refreshToken).status == 401)
            #expect(try await school.status(of: other.accessToken) == 200)
            #expect(try school.countEvents("tokenRevoked", about: .tom) == 1)
        }
    }

    @Test func `two refreshes at once get a pair each, and one of the pairs is valid`()
        async throws
    {
        try await withSchool { school in
            let signedIn = try await school.signIn(.tom)
            async let one = school.refresh(signedIn.refreshToken)
            async let two = school.refresh(signedIn.refreshToken)
            let answers = try await [one, two]
            #expect(answers.map(\.status) == [200, 200])
            var valid = 0
            for answer in answers {
                let token = SignedIn(answer: answer).accessToken
                if try await school.status(of: token) == 200 { valid += 1 }
            }
            #expect(valid == 1)
        }
    }

    @Test func `an unknown or expired token, or one of a deactivated person, is not refreshed`()
        async throws
    {
        try await withSchool { school in
            #expect(try await school.refresh("nobody's").status == 401)

            let tom = try await school.signIn(.tom)
            #expect(try await school.refresh(tom.accessToken).status == 401)
            try school.sql(
                "update school.refresh_token set expires_at = now() - interval '1 second'")
            #expect(try await school.refresh(tom.refreshToken).status == 401)

            let sam = try await school.signIn(.sam)
            #expect(try await school.status(of: sam.accessToken) == 200)
            try school.sql(
                """
                update school.person set deactivated_at = now() where person_id = \(school.id(.sam))
                """)
            #expect(try await school.refresh(sam.refreshToken).status == 401)
            #expect(try await school.status(of: sam.accessToken) == 401)
        }
    }

    @Test func `a refresh token itself gives no access`() async throws {
        try await withSchool { school in
            let signedIn = try await school.signIn(.tom)
            #expect(try await school.status(of: signedIn.accessToken) == 200)
            #expect(try await school.status(of: signedIn.refreshToken) == 401)
        }
    }
}

@Suite struct SignOut {
    @Test func `signing out ends one session and its refresh token`() async throws {
        try await withSchool { school in
            let here = try await school.signIn(.tom)
            let elsewhere = try await school.signIn(.tom)
            let answer = try await school.send("POST", "/v1/sign-out", token: here.accessToken)
            #expect(answer.status == 204)
            #expect(try await school.status(of: here.accessToken) == 401)
            #expect(try await school.refresh(here.refreshToken).status == 401)
            #expect(try await school.status(of: elsewhere.accessToken) == 200)
            #expect(try school.countEvents("signOut", about: .tom) == 1)
        }
    }

    @Test func `an app and a service account sign out, too`() async throws {
        try await withSchool { school in
            let app = try await school.signIn(.sam, app: school.quizzler)
            let answer = try await school.send("POST", "/v1/sign-out", token: app.accessToken)
            #expect(answer.status == 204)
            #expect(try await school.refresh(app.refreshToken).status == 401)

            #expect(try await school.get("/v1/me", as: .exporter).status == 200)
            #expect(try await school.post("/v1/sign-out", as: .exporter).status == 204)
            #expect(try await school.get("/v1/me", as: .exporter).status == 401)
        }
    }

    @Test func `without a token there is nothing to end`() async throws {
        try await withSchool { school in
            let answer = try await school.post("/v1/sign-out", as: nil)
            #expect(answer.status == 401)
            #expect(answer.header("www-authenticate") == "Bearer realm=\"Homeroom\"")
        }
    }
}
