import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Who makes and voids badges, and what a sign-in with one opens.
@Suite struct BadgeRights {
    @Test func `teachers make badges for their own students, if the school wants them`()
        async throws
    {
        try await withSchool { school in
            let off = try await school.orderBadges()
            #expect(off.status == 409 && off.code == "badges_off")
            for persona in [Persona.tom, .petra, .mara, .sam] {
                #expect(try await school.allowBadges(as: persona).status == 403, "\(persona)")
            }
            #expect(try await school.allowBadges().status == 200)
            #expect(try await school.orderBadges(as: .tess).status == 404, "of another class")
            #expect(try await school.orderBadges(as: .olga).status == 404, "of another school")
            for (persona, outcome) in [(Persona.tom, "ready"), (.tess, "unknown")] {
                let asked = try school.sql(
                    "select school.badge_outcome(\(school.biology), \(school.id(.sam))) as outcome",
                    as: school.caller(persona))
                #expect(try asked[0].text("outcome") == outcome, "nobody learns who sits there")
            }
            for persona in [Persona.petra, .mara, .sam, .provisioner, .samsApp] {
                #expect(try await school.orderBadges(as: persona).status == 403, "\(persona)")
            }
            let foreign = try await school.orderBadges(for: [.sam, .ben])
            #expect(foreign.status == 422 && foreign.pointers == ["/personIds/1"])
            try school.sql(
                """
                insert into school.person_role (organization_id, person_id, location_id, role)
                values (\(school.hillside), \(school.id(.sue)), \(school.mainLocation), 'staff')
                """)
            for persona in [Persona.tom, .ada] {
                let answer = try await school.orderBadges(for: [.sue], as: persona)
                #expect(answer.status == 422 && answer.pointers == ["/personIds/0"])
                let whole = try await school.orderBadges(again: true, as: persona)
                #expect(whole.items.count == 1 && whole.json["leftOut"] == 1)
            }
            try school.sql(
                """
                insert into school.privilege (organization_id, name, location_id, is_granted)
                values (\(school.hillside), 'resetPasswords', null, false)
                """)
            let withdrawn = try await school.orderBadges(again: true)
            #expect(withdrawn.items.isEmpty && withdrawn.json["leftOut"] == 2)
        }
    }

    @Test func `a second badge voids the first only if that is asked for`() async throws {
        try await withSchool { school in
            try await school.allowBadges()
            let first = try await school.badge()
            let kept = try await school.orderBadges()
            #expect(kept.json["kept"] == 1)
            #expect(kept.items.map { $0["givenName"]?.text } == ["Sue"])
            let token = try await school.signIn(withBadge: first).accessToken
            let second = try await school.badge()
            #expect(try await school.tryBadge(first).status == 401)
            #expect(try await school.status(of: token) == 401, "with its sign-in")
            #expect(try await school.tryBadge(second).status == 200)
        }
    }

    @Test func `one tap voids a badge or those of a class, and ends what they began`() async throws
    {
        try await withSchool { school in
            try await school.allowBadges()
            let (sams, sues) = (try await school.badge(), try await school.badge(of: .sue))
            let path = "/v1/classes/\(school.biology.uuid)/badges"
            let own = "\(path)/\(school.id(.sam).uuid)"
            let ids = [
                try await school.signIn(withBadge: sams),
                try await school.signIn(withBadge: sues),
            ]
            let password = try await school.signIn(.sam)
            for persona in [Persona.tess, .olga, .sam, .petra] {
                for target in [path, own] {
                    let answer = try await school.delete(target, as: persona)
                    #expect([403, 404].contains(answer.status), "\(persona): \(answer.text)")
                }
            }
            #expect(try await school.status(of: ids[0].accessToken) == 200)
            for _ in 1...2 { #expect(try await school.delete(own, as: .cora).status == 204) }
            #expect(try await school.status(of: ids[0].accessToken) == 401)
            #expect(try await school.tryBadge(sams).status == 401)
            #expect(try await school.status(of: ids[1].accessToken) == 200)
            #expect(try await school.delete(path, as: .ada).status == 204)
            #expect(try await school.status(of: ids[1].accessToken) == 401)
            #expect(try await school.tryBadge(sues).status == 401)
            #expect(try await school.status(of: password.accessToken) == 200, "not by a badge")
            let events = try await school.get("/v1/audit-events?kind=badgeChange", as: .ada).items
            #expect(
                events.map { $0["details"]?["change"]?.text } == ["void", "void", "made", "made"])
            #expect(events[1]["personId"]?.text == school.id(.cora).uuid.description)
        }
    }

    @Test func `each change of the rule ends what badges began, and is an event`() async throws {
        try await withSchool { school in
            try await school.allowBadges()
            let secret = try await school.badge()
            let token = try await school.signIn(withBadge: secret).accessToken
            try await school.allowBadges(networks: ["127.0.0.0/8"])
            #expect(try await school.status(of: token) == 401)
            #expect(try await school.tryBadge(secret).status == 200)
            let read = try await school.get("/v1/badge-rule", as: .tom)
            #expect(read.json["networks"] == ["127.0.0.0/8"] && read.json["until"] == "24:00")
            let events = try await school.get(
                "/v1/audit-events?kind=organizationChange", as: .ada
            ).items
            #expect(events.first?["details"]?["change"] == "badges")
            for (name, networks, from, until) in [
                ("networks", ["10.0.0.1/8"], "08:00", "09:00"),
                ("networks", ["x"], "08:00", "09:00"),
                ("networks", ["::ffff:10.0.0.1"], "08:00", "09:00"), ("from", [], "8:000", "09:00"),
                ("until", [], "08:00", "24:01"), ("until", [], "08:00", "08:00"),
                ("until", [], "08:00", "12:60"),
            ] {
                let answer = try await school.allowBadges(
                    networks: networks, from: from, until: until)
                #expect(answer.status == 422, "\(networks) \(from) \(until): \(answer.text)")
                #expect(answer.pointers.first?.hasPrefix("/\(name)") == true)
            }
        }
    }

    @Test func `a badge opens work, and neither sign-ins nor passwords nor anything elsewhere`()
        async throws
    {
        try await withSchool { school in
            try await school.registerQuizzler()
            try await school.allowBadges()
            let other = try await school.signIn(.sam)
            let byBadge = try await school.signIn(withBadge: try await school.badge())
            func send(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) async throws
                -> Answer
            {
                try await school.send(
                    method, path, token: byBadge.accessToken, body: body?.bytes ?? [])
            }
            let sessions = try await school.send(
                "GET", "/v1/me/sessions", token: other.accessToken)
            let others = try #require(
                sessions.items.first { $0["current"]?.bool == true }?["id"]?.text)
            #expect(sessions.items.count >= 2, "there is something to see")
            let seen = try await send("GET", "/v1/me/sessions")
            #expect(seen.items.map { $0["current"]?.bool } == [true], "but not by the badge")
            var refused = [
                try await school.changePassword(
                    byBadge.accessToken, from: Persona.password, to: "Another-2026"),
                try await school.changePassword(
                    byBadge.accessToken, from: "wrong", to: "Another-2026"),
                try await send("DELETE", "/v1/me/sessions"),
                try await send("DELETE", "/v1/me/sessions/\(others)"),
                try await send("DELETE", "/v1/me/sign-in-changes"),
                try await school.authorization(by: byBadge),
                try await school.authorization("/check", by: byBadge),
            ]
            let device = try await school.askForDevice().json["user_code"]?.text ?? ""
            for action in ["approval", "refusal"] {
                refused.append(try await school.deviceCode(action, device, by: byBadge))
            }
            for answer in refused {
                #expect(answer.status == 403, "\(answer.text)")
                #expect(answer.code == "signed_in_by_badge")
            }
            #expect(try await school.status(of: other.accessToken) == 200)
            #expect(try await school.authorization(by: other).status == 201, "otherwise it works")
            #expect(try await send("GET", "/v1/me/classes").status == 200)
            #expect(try await send("POST", "/v1/sign-out").status == 204)
        }
    }

    @Test func `who signed in before is told that a badge was made`() async throws {
        try await withSchool { school in
            try await school.allowBadges()
            try school.makeNewcomer(.sue)
            _ = try await school.signIn(.sam)
            _ = try await school.orderBadges()
            let told = try school.sql(
                "select person_id, change, by_person_id from school.sign_in_change")
            #expect(told.count == 1)
            #expect(try told[0].text("change") == "badge")
            #expect(try PersonID(told[0].uuid("person_id")) == school.id(.sam))
            let me = try await school.send(
                "GET", "/v1/me", token: try await school.signIn(.sam).accessToken)
            #expect(me.json["person"]?["signInChanges"]?[0]?["change"] == "badge")
        }
    }

    @Test func `badges that were voided are forgotten after thirty days`() async throws {
        try await withSchool { school in
            try await school.allowBadges()
            _ = try await school.badge()
            let working = try await school.badge()
            func count() throws -> Int {
                try school.sql("select count(*) as n from school.badge")[0].int("n")
            }
            #expect(try count() == 2)
            try school.setMoment(ahead: .seconds(29 * 86_400))
            try school.letClockProveRight()
            try school.sql("select school.remove_outdated()")
            #expect(try count() == 2)
            try school.setMoment(ahead: .seconds(31 * 86_400))
            try school.letClockProveRight()
            try school.sql("select school.remove_outdated()")
            #expect(try count() == 1)
            #expect(try await school.tryBadge(working).status == 200)
        }
    }
}
