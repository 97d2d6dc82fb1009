import API
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Access

/// Badges: who is signed in by one, where and when.
@Suite struct Badges {
    @Test func `a badge signs in its student without a password, and the class's teachers see it`()
        async throws
    {
        try await withSchool { school in
            try school.setMoment(to: TestSchool.lesson)
            try await school.allowBadges()
            let made = try await school.orderBadges()
            #expect(made.items.map { $0["givenName"]?.text } == ["Sam", "Sue"])
            #expect(made.json["className"] == "Biology")
            #expect(made.header("cache-control") == "no-store")
            let secret = try #require(made.items[0]["secret"]?.text)
            #expect(secret.utf8.count == 43, "256 bits")
            let stored = try school.sql(
                "select count(*) as n from school.badge where digest = sha256(convert_to(\(secret), 'UTF8'))"
            )
            #expect(try stored[0].int("n") == 1, "and only as a digest")
            let answer = try await school.tryBadge(secret)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["person"]?["givenName"] == "Sam")
            #expect(answer.json["expiresIn"] == 3600, "as on a shared device, whatever was asked")
            #expect(answer.json["refreshToken"] == nil && answer.json["deviceToken"] == nil)
            let token = SignedIn(answer: answer).accessToken
            let me = try await school.send("GET", "/v1/me", token: token)
            #expect(me.json["byBadge"] == true && me.json["standings"] == ["student"])
            #expect(try await school.get("/v1/me", as: .sam).json["byBadge"] == false)
            for persona in [Persona.tom, .cora, .ada] {
                let listed = try await school.get(
                    "/v1/classes/\(school.biology.uuid)/badges", as: persona)
                #expect(listed.items.map { $0["mayHaveBadge"] } == [true, true])
                #expect(listed.items[0]["lastUsedAt"]?.text?.hasPrefix("2027-03-09T09:0") == true)
                #expect(listed.items[1]["madeAt"]?.text != nil)
                #expect(listed.items[1]["lastUsedAt"] == .null)
                #expect(!listed.text.contains(secret))
            }
            let person = try await school.get("/v1/people/\(school.id(.sam).uuid)", as: .ada)
            #expect(person.json["lastSignInAt"]?.text?.hasPrefix("2027-03-09T09:0") == true)
            let events = try await school.get("/v1/audit-events?kind=signIn", as: .ada).items
            #expect(events.first?["personId"]?.text == school.id(.sam).uuid.description)
            #expect(events.first?["details"]?["classId"]?.text == school.biology.uuid.description)
        }
    }

    @Test func `the answer does not say why a badge does not sign in`() async throws {
        try await withSchool { school in
            try school.setMoment(to: TestSchool.lesson)
            let early = try await school.tryBadge("unknown")
            try await school.allowBadges()
            let secret = try await school.badge()
            var answers = [early]
            try await school.allowBadges(from: "12:00")
            answers.append(try await school.tryBadge(secret))
            try await school.allowBadges(days: [1, 3, 7])
            answers.append(try await school.tryBadge(secret))
            try await school.allowBadges(until: "10:00")
            answers.append(try await school.tryBadge(secret))
            try await school.allowBadges(networks: ["192.0.2.0/24", "2001:db8::/32"])
            answers.append(try await school.tryBadge(secret, from: "198.51.100.7"))
            answers.append(try await school.tryBadge(secret, from: "nowhere"))
            for near in ["192.0.2.7", "::ffff:192.0.2.8", "2001:db8::1"] {
                let answer = try await school.tryBadge(secret, from: near)
                #expect(answer.status == 200, "\(near): \(answer.text)")
            }
            try await school.allowBadges(on: false)
            answers.append(try await school.tryBadge(secret))
            try await school.allowBadges()
            _ = try await school.badge()
            answers.append(try await school.tryBadge(secret))
            for answer in answers {
                #expect(answer.status == 401 && answer.code == "badge_refused")
                #expect(answer.text.isSame(as: early.text))
                #expect(answer.headers.map(\.name) == early.headers.map(\.name))
            }
            #expect(
                try school.refusals() == [
                    "hours", "hours", "hours", "network", "network", "off", "void",
                ], "the school can find out")
        }
    }

    @Test func `the hours are the school's own, and a sign-in ends with them`() async throws {
        try await withSchool { school in
            // Eight in Berlin, in winter; seven by UTC.
            try school.setMoment(to: Timestamp("2027-03-09T07:00:00.000Z")!)
            try await school.allowBadges(from: "08:00", until: "08:30")
            let secret = try await school.badge()
            let answer = try await school.tryBadge(secret)
            #expect(answer.status == 200, "\(answer.text)")
            let seconds = try #require(answer.json["expiresIn"]?.int64)
            #expect((1700...1800).contains(seconds))
            let token = SignedIn(answer: answer).accessToken
            try school.setMoment(to: Timestamp("2027-03-09T07:20:00.000Z")!)
            let renewal = try await school.send("POST", "/v1/me/session/renewal", token: token)
            let left = try #require(renewal.json["expiresIn"]?.int64)
            #expect((500...600).contains(left), "renewed only to the end of the hours")
            try school.setMoment(to: Timestamp("2027-03-09T07:30:00.000Z")!)
            #expect(try await school.status(of: token) == 401)
            #expect(try await school.tryBadge(secret).status == 401)
        }
    }

    private static let ends: [Statement] = [
        "update school.seat set left_at = school.moment() where person_id = \(sam)",
        """
        insert into school.person_role (organization_id, person_id, location_id, role)
        select organization_id, person_id, location_id, 'staff' from school.person_role
         where person_id = \(sam)
        """,
        "update school.person set deactivated_at = school.moment() where person_id = \(sam)",
        "update school.class set archived_at = school.moment() where class_id = \(TestIDs.biology)",
        """
        update school.class set origin = 'teacher', source_id = null where class_id = \(TestIDs.biology)
        """,
        """
        insert into school.seat (organization_id, class_id, person_id, role, joined_at, left_at)
        select organization_id, \(TestIDs.chemistry), person_id, 'teacher',
               school.moment() - interval '9 days', school.moment() - interval '8 days'
          from school.person where person_id = \(sam)
        """,
        "delete from school.badge where person_id = \(sam)",
    ]

    private static let sam = Persona.sam.personID

    @Test(arguments: 0..<7)
    func `it ends with what it stands on, and so does its sign-in`(number: Int) async throws {
        try await withSchool { school in
            try await school.allowBadges()
            let secret = try await school.badge()
            let token = try await school.signIn(withBadge: secret).accessToken
            #expect(try await school.status(of: token) == 200)
            try school.sql(Self.ends[number])
            let identified = try school.sql(
                "select from school.identify(sha256(convert_to(\(token), 'UTF8')))")
            #expect(identified.isEmpty, "no server believes the token")
            #expect(try await school.tryBadge(secret).status == 401)
        }
    }

    @Test func `a school that gives up passwords has no badges either`() async throws {
        try await withSchool(client: FakeIssuer()) { school in
            try await school.allowBadges()
            let secret = try await school.badge()
            let token = try await school.signIn(withBadge: secret).accessToken
            _ = try await school.connect(FakeIssuer())
            try await school.giveUpPasswords()
            #expect(try await school.status(of: token) == 401)
            #expect(try await school.tryBadge(secret).status == 401)
            let order = try await school.orderBadges()
            #expect(order.status == 409 && order.code == "without_passwords")
        }
    }

    @Test func `wrong badges of a network are limited, and the right one signs in all the same`()
        async throws
    {
        try await withSchool { school in
            try await school.allowBadges()
            let secret = try await school.badge()
            let access = try #require(school.features.compactMap { $0 as? Access }.first)
            for _ in 1...100 { access.badgeTries.count("192.0.2.7", now: .max / 2) }
            let wrong = try await school.tryBadge("wrong", from: "192.0.2.7")
            #expect(wrong.status == 429 && wrong.header("retry-after") != nil)
            #expect(try await school.tryBadge("wrong", from: "192.0.2.8").status == 401)
            #expect(try await school.tryBadge(secret, from: "192.0.2.7").status == 200)
            for _ in 0..<10 { _ = try await school.trySignIn(Persona.sam.managedID, "wrong") }
            #expect(try await school.trySignIn(Persona.sam.managedID).status == 401, "locked")
            #expect(try await school.tryBadge(secret).status == 200, "no classmate's doing")
        }
    }
}

extension String {
    /// Equal but for the id of the request.
    fileprivate func isSame(as other: String) -> Bool {
        func bare(_ text: String) -> String { text.replacing(/"instance":"[^"]*"/, with: "") }
        return bare(self) == bare(other)
    }
}
