import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct OwnSessions {
    @Test func `people see where they are signed in, and which of it is here`() async throws {
        try await withSchool { school in
            let script = try await school.signIn(.tom)
            let app = try await school.signIn(.tom, app: school.quizzler)
            let browser = try await school.signInWithBrowser(
                .tom, userAgent: "Firefox", from: "192.0.2.7")
            _ = try await school.signInWithBrowser(.sam)
            let items = try await school.sessions(browser).items
            try #require(items.count == 3)
            #expect(items.map { $0["kind"]?.text } == ["browser", "app", "password"])
            #expect(items.map { $0["current"]?.bool } == [true, false, false])
            #expect(items[0]["userAgent"]?.text == "Firefox")
            #expect(items[0]["address"]?.text == "192.0.2.7")
            #expect(items[1]["bundleId"]?.text == school.quizzler)
            #expect(items[2]["bundleId"]?.isNull == true && items[2]["userAgent"]?.isNull == true)

            _ = try await school.renew(browser, from: "192.0.2.8")
            _ = try await school.refresh(script.refreshToken)
            let later = try await school.sessions(browser).items
            #expect(later[0]["address"]?.text == "192.0.2.8")
            for (before, after) in [(items[0], later[0]), (items[2], later[2])] {
                #expect(before["startedAt"] == after["startedAt"])
                let earlier = try #require(before["lastUsedAt"]?.text)
                #expect(try #require(after["lastUsedAt"]?.text) > earlier)
            }
            #expect(later[1] == items[1])
            let seen = try await school.send("GET", "/v1/me/sessions", token: app.accessToken)
            #expect(seen.status == 403)
        }
    }

    @Test func `the list has pages, and leaves out what has ended or expired`() async throws {
        try await withSchool { school in
            let ended = try await school.signIn(.tom)
            let expired = try await school.signInWithBrowser(.tom, userAgent: "expired")
            for name in ["a", "b", "c"] {
                _ = try await school.signInWithBrowser(.tom, userAgent: name)
            }
            let token = Persona.tom.token
            #expect(
                try await school.send("GET", "/v1/me/sessions", token: token).items.count == 5)
            #expect(
                try await school.send("POST", "/v1/sign-out", token: ended.accessToken).status
                    == 204)
            try school.sql(
                """
                update school.access_token set expires_at = now()
                 where digest = sha256(\(Array(expired.accessToken.utf8)))
                """)
            let first = try await school.send("GET", "/v1/me/sessions?limit=2", token: token)
            #expect(first.items.compactMap { $0["userAgent"]?.text } == ["c", "b"])
            let next = try #require(first.json["nextPageToken"]?.text)
            let second = try await school.send(
                "GET", "/v1/me/sessions?limit=2&pageToken=\(next)", token: token)
            #expect(second.items.compactMap { $0["userAgent"]?.text } == ["a"])
            #expect(second.json["nextPageToken"] == nil)
            #expect(first.items.allSatisfy { $0["current"]?.bool == false })
        }
    }

    @Test func `people end one of their sign-ins, and nobody else's`() async throws {
        try await withSchool { school in
            let here = try await school.signInWithBrowser(.tom)
            let script = try await school.signIn(.tom)
            let sams = try await school.signInWithBrowser(.sam)
            let id = try #require(try await school.sessions(script).items.first?["id"]?.text)
            let samsID = try #require(try await school.sessions(sams).items.first?["id"]?.text)

            for path in [samsID, "0199aaaa-0000-7000-8000-000000000000", "nothing"] {
                let answer = try await school.send(
                    "DELETE", "/v1/me/sessions/\(path)", token: here.accessToken)
                #expect(answer.status == 404)
            }
            #expect(try await school.status(of: sams.accessToken) == 200)

            let ending = try await school.send(
                "DELETE", "/v1/me/sessions/\(id)", token: here.accessToken)
            #expect(ending.status == 204)
            #expect(try await school.status(of: script.accessToken) == 401)
            #expect(try await school.refresh(script.refreshToken).status == 401)
            #expect(try await school.status(of: here.accessToken) == 200)
            #expect(try school.countEvents("signOut", about: .tom) == 1)
            let again = try await school.send(
                "DELETE", "/v1/me/sessions/\(id)", token: here.accessToken)
            #expect(again.status == 404)
        }
    }

    @Test func `people sign out everywhere else`() async throws {
        try await withSchool { school in
            let here = try await school.signInWithBrowser(.tom)
            let others = [
                try await school.signInWithBrowser(.tom), try await school.signIn(.tom),
                try await school.signIn(.tom, app: school.quizzler),
            ]
            let sams = try await school.signInWithBrowser(.sam)
            for _ in 0..<2 {
                let answer = try await school.send(
                    "DELETE", "/v1/me/sessions", token: here.accessToken)
                #expect(answer.status == 204)
            }
            for other in others {
                #expect(try await school.status(of: other.accessToken) == 401)
            }
            #expect(try await school.refresh(others[2].refreshToken).status == 401)
            #expect(try await school.sessions(here).items.count == 1)
            #expect(try await school.status(of: sams.accessToken) == 200)
            #expect(try school.countEvents("signOut", about: .tom) == 1)
        }
    }
}

@Suite struct SessionsOfOthers {
    @Test func `who may reset the password sees and ends sign-ins`() async throws {
        try await withSchool { school in
            let browser = try await school.signInWithBrowser(.sam, userAgent: "Firefox")
            let app = try await school.signIn(.sam, app: school.quizzler)
            for persona in [Persona.ada, .petra] {
                let items = try await school.get(school.sessionsPath(.sam), as: persona).items
                #expect(items.map { $0["kind"]?.text } == ["app", "browser"])
                #expect(items[0]["bundleId"]?.text == school.quizzler)
                #expect(items.allSatisfy { $0["current"]?.bool == false })
            }
            let ids = try await school.get(school.sessionsPath(.sam), as: .ada).items
                .compactMap { $0["id"]?.text }
            let ending = try await school.delete(
                school.sessionsPath(.sam) + "/" + ids[0], as: .petra)
            #expect(ending.status == 204)
            #expect(try await school.refresh(app.refreshToken).status == 401)
            #expect(try await school.status(of: browser.accessToken) == 200)
            let event = try school.sql(
                """
                select person_id, subject_id, details ->> 'sessionId' as session
                  from school.audit_event where kind = 'signOut'
                """)
            #expect(try event[0].uuid("person_id") == school.id(.petra).uuid)
            #expect(try event[0].text("subject_id") == school.id(.sam).uuid.description)
            #expect(try event[0].text("session") == ids[0])
            let again = try await school.delete(
                school.sessionsPath(.sam) + "/" + ids[0], as: .petra)
            #expect(again.status == 404)
        }
    }

    @Test func `nobody else does, nor ends a sign-in by another person's path`() async throws {
        try await withSchool { school in
            let toms = try await school.signInWithBrowser(.tom)
            let sams = try await school.signInWithBrowser(.sam)
            let tomsID = try #require(try await school.sessions(toms).items.first?["id"]?.text)
            let samsID = try #require(try await school.sessions(sams).items.first?["id"]?.text)
            let refused: [(Persona, Persona, Int)] = [
                (.petra, .ada, 403), (.petra, .tom, 403), (.mara, .sam, 403), (.tom, .sam, 403),
                (.sam, .sam, 403), (.olga, .sam, 404), (.olga, .tom, 404),
                (.provisioner, .sam, 403), (.samsApp, .sam, 403),
            ]
            for (asking, about, status) in refused {
                let path = school.sessionsPath(about)
                #expect(
                    try await school.get(path, as: asking).status == status, "\(asking) \(about)")
                let id = about == .tom ? tomsID : samsID
                let answer = try await school.delete("\(path)/\(id)", as: asking)
                #expect(answer.status == status, "\(asking) \(about)")
            }
            let crossed = try await school.delete(
                school.sessionsPath(.sam) + "/" + tomsID, as: .ada)
            #expect(crossed.status == 404)
            for signedIn in [toms, sams] {
                #expect(try await school.status(of: signedIn.accessToken) == 200)
            }
        }
    }
}

extension TestSchool {
    func sessions(_ signedIn: SignedIn) async throws -> Answer {
        try await send("GET", "/v1/me/sessions", token: signedIn.accessToken)
    }

    func sessionsPath(_ persona: Persona) -> String {
        "/v1/people/\(id(persona).uuid)/sessions"
    }
}
