import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// A stranger guesses the password of an account, and its owner keeps working.
@Suite struct KnownDevices {
    @Test func `a device that signed in before gets past the lock, and no other does`()
        async throws
    {
        try await withSchool { school in
            let home = try await school.signIn(.tom)
            let sams = try await school.signIn(.sam)
            #expect(home.deviceToken.utf8.count == 43)
            #expect(sams.deviceToken != home.deviceToken)
            try await school.lockOut(.tom)

            let id = Persona.tom.managedID
            #expect(try await school.trySignIn(id).status == 401)
            #expect(try await school.trySignIn(id, device: "guessed").status == 401)
            #expect(try await school.trySignIn(id, device: sams.deviceToken).status == 401)
            #expect(try await school.trySignIn(id, device: home.refreshToken).status == 401)
            let again = try await school.trySignIn(id, device: home.deviceToken)
            #expect(again.status == 200)
            #expect(again.json["deviceToken"]?.text == home.deviceToken, "it stays the same")
            #expect(try await school.trySignIn(id).status == 401, "strangers are still locked out")
        }
    }

    @Test func `a device has ten tries of its own, and after them it is a stranger`() async throws {
        try await withSchool { school in
            let home = try await school.signIn(.tom)
            let id = Persona.tom.managedID
            for _ in 1...9 {
                let wrong = try await school.trySignIn(id, "wrong", device: home.deviceToken)
                #expect(wrong.status == 401)
            }
            #expect(try await school.trySignIn(id, device: home.deviceToken).status == 200)
            for _ in 1...10 {
                _ = try await school.trySignIn(id, "wrong", device: home.deviceToken)
            }
            #expect(try school.tries(.tom) == 0, "they did not count against the account")
            try await school.lockOut(.tom)
            #expect(try await school.trySignIn(id, device: home.deviceToken).status == 401)
        }
    }

    @Test func `only the digest of a device is stored, for at most twenty devices per person`()
        async throws
    {
        try await withSchool { school in
            let home = try await school.signIn(.tom)
            let stored = try school.sql(
                """
                select count(*) filter (where digest = sha256(\(Array(home.deviceToken.utf8)))) as digests,
                       count(*) filter (where d::text like '%' || \(home.deviceToken) || '%') as texts
                  from school.sign_in_device as d
                """)
            #expect(try stored[0].int("digests") == 1)
            #expect(try stored[0].int("texts") == 0)
            try school.sql(
                """
                insert into school.sign_in_device (organization_id, digest, person_id, session_id, expires_at)
                select organization_id, sha256(n::text::bytea), person_id, session_id, expires_at
                  from school.sign_in_device cross join generate_series(1, 25) as n
                """)
            try school.sql("update school.sign_in_device set created_at = now() - interval '1 day'")
            _ = try await school.signIn(.tom)
            #expect(try school.sql("select from school.sign_in_device").count == 20)
        }
    }

    @Test func `a new password makes the other devices strangers`() async throws {
        try await withSchool { school in
            let here = try await school.signIn(.tom)
            let elsewhere = try await school.signIn(.tom)
            let change = try await school.changePassword(
                here.accessToken, from: Persona.password, to: "Another-2026")
            #expect(change.status == 204)
            try await school.lockOut(.tom)
            let id = Persona.tom.managedID
            let there = try await school.trySignIn(
                id, "Another-2026", device: elsewhere.deviceToken)
            #expect(there.status == 401)
            #expect(
                try await school.trySignIn(id, "Another-2026", device: here.deviceToken).status
                    == 200)

            let reset = try await school.post(
                "/v1/people/\(school.id(.tom).uuid)/temporary-password", as: .ada)
            #expect(reset.status == 200)
            #expect(try school.sql("select from school.sign_in_device").count == 0)
        }
    }

    @Test func `a known device is refused in the same words as everyone`() async throws {
        try await withSchool { school in
            let home = try await school.signIn(.sue)
            let stranger = try await school.trySignIn("nobody@hillside.example")
            try school.sql(
                "update school.person set deactivated_at = now() where person_id = \(school.id(.sue))"
            )
            for password in [Persona.password, "wrong"] {
                let answer = try await school.trySignIn(
                    Persona.sue.managedID, password, device: home.deviceToken)
                #expect(answer.status == 401)
                #expect(answer.text == stranger.text)
                #expect(answer.headers.map(\.name) == stranger.headers.map(\.name))
            }
        }
    }

    @Test
    func `a signed-in person refreshes and changes the password while strangers are locked out`()
        async throws
    {
        try await withSchool { school in
            let home = try await school.signIn(.tom)
            try await school.lockOut(.tom)
            let next = SignedIn(answer: try await school.refresh(home.refreshToken))
            #expect(next.answer.status == 200)
            let change = try await school.changePassword(
                next.accessToken, from: Persona.password, to: "Another-2026")
            #expect(change.status == 204)
        }
    }

    @Test func `ten wrong current passwords end the session and lock nobody out`() async throws {
        try await withSchool { school in
            let stolen = try await school.signIn(.tom)
            for _ in 1...10 {
                let answer = try await school.changePassword(
                    stolen.accessToken, from: "wrong", to: "Another-2026")
                #expect(answer.status == 422)
            }
            let answer = try await school.changePassword(
                stolen.accessToken, from: Persona.password, to: "Another-2026")
            #expect(answer.status == 401)
            #expect(try await school.refresh(stolen.refreshToken).status == 401)
            _ = try await school.signIn(.tom)
        }
    }
}

/// The same for a browser, which has one secret for all who sign in with it.
@Suite struct KnownBrowsers {
    private let secret = String(repeating: "b", count: 43)

    @Test func `a browser with which a person signed in gets past the lock, for that person only`()
        async throws
    {
        try await withSchool { school in
            let first = try await school.trySignInWithBrowser(.tom, secret: secret)
            #expect(first.status == 200 && first.json["deviceToken"] == nil)
            let left = try await school.send(
                "POST", "/v1/sign-out", token: first.json["accessToken"]?.text)
            #expect(left.status == 204)
            for persona in [Persona.tom, .sam] { try await school.lockOut(persona) }

            #expect(try await school.trySignInWithBrowser(.tom).status == 401)
            let other = String(repeating: "c", count: 43)
            #expect(try await school.trySignInWithBrowser(.tom, secret: other).status == 401)
            #expect(try await school.trySignInWithBrowser(.sam, secret: secret).status == 401)
            for _ in 1...2 {
                let again = try await school.trySignInWithBrowser(.tom, secret: secret)
                #expect(again.status == 200)
            }
            #expect(try await school.trySignIn(Persona.tom.managedID, device: secret).status == 401)
        }
    }

    @Test func `people who share a browser are all known there, and nothing stored says so`()
        async throws
    {
        try await withSchool { school in
            for persona in [Persona.tom, .sam, .sue] {
                #expect(
                    try await school.trySignInWithBrowser(persona, secret: secret).status == 200)
            }
            let stored = try school.sql(
                """
                select count(distinct digest) as digests, count(*) as devices,
                       count(*) filter (where digest = sha256(\(Array(secret.utf8)))) as plain
                  from school.sign_in_device
                """)
            #expect(try stored[0].int("digests") == 3 && stored[0].int("devices") == 3)
            #expect(try stored[0].int("plain") == 0)
            for persona in [Persona.tom, .sam, .sue] {
                try await school.lockOut(persona)
                #expect(
                    try await school.trySignInWithBrowser(persona, secret: secret).status == 200)
            }
        }
    }

    @Test func `ten wrong passwords make a browser a stranger, and a right one known again`()
        async throws
    {
        try await withSchool { school in
            #expect(try await school.trySignInWithBrowser(.tom, secret: secret).status == 200)
            for _ in 1...10 {
                _ = try await school.trySignInWithBrowser(.tom, "wrong", secret: secret)
            }
            #expect(try school.tries(.tom) == 0 && school.devices(of: .tom) == 0)
            #expect(try await school.trySignInWithBrowser(.tom, secret: secret).status == 200)
            #expect(try school.devices(of: .tom) == 1)
        }
    }

    @Test func `a browser is remembered again after half a year, and for who has the ID now`()
        async throws
    {
        try await withSchool { school in
            #expect(try await school.trySignInWithBrowser(.tom, secret: secret).status == 200)
            try school.sql(
                "update school.sign_in_device set expires_at = now() - interval '1 second'")
            #expect(try await school.trySignInWithBrowser(.tom, secret: secret).status == 200)
            #expect(try school.devices(of: .tom) == 1)
            try school.sql(
                "update school.sign_in_device set person_id = \(school.id(.sam))")
            #expect(try await school.trySignInWithBrowser(.tom, secret: secret).status == 200)
            #expect(try school.devices(of: .tom) == 1 && school.devices(of: .sam) == 0)
        }
    }
}

/// An administrator lifts a lock.
@Suite struct LiftingOfLocks {
    @Test func `a person who may set the password lifts the lock, and an event records it`()
        async throws
    {
        try await withSchool { school in
            let sam = "/v1/people/\(school.id(.sam).uuid)"
            for persona in [Persona.ada, .tom] {
                try await school.lockOut(.sam)
                #expect(try await school.get(sam, as: .ada).json["status"] == "locked")
                #expect(try await school.trySignIn(Persona.sam.managedID).status == 401)
                for _ in 1...2 {
                    let lifted = try await school.delete("\(sam)/sign-in-lock", as: persona)
                    #expect(lifted.status == 204)
                }
                #expect(try await school.get(sam, as: .ada).json["status"] != "locked")
                let events = try school.sql(
                    """
                    select from school.audit_event
                     where kind = 'personChange' and person_id = \(school.id(persona))
                       and subject_id = \(school.id(.sam).uuid.description)
                       and details = '{"change": "unlocked"}'
                    """)
                #expect(events.count == 1)
                _ = try await school.signIn(.sam)
            }
        }
    }

    @Test func `a person who may not set the password cannot lift the lock`() async throws {
        try await withSchool { school in
            try await school.lockOut(.sam)
            try await school.lockOut(.ada)
            let sam = "/v1/people/\(school.id(.sam).uuid)/sign-in-lock"
            let ada = "/v1/people/\(school.id(.ada).uuid)/sign-in-lock"
            for persona in [Persona.sue, .exporter, .samsApp] {
                #expect(try await school.delete(sam, as: persona).status == 403)
            }
            #expect(try await school.delete(sam, as: .tess).status == 404)
            #expect(try await school.delete(sam, as: .olga).status == 404)
            #expect(try await school.delete(ada, as: .petra).status == 403)
            #expect(try await school.trySignIn(Persona.sam.managedID).status == 401)
            #expect(try await school.trySignIn(Persona.ada.managedID).status == 401)
        }
    }

    @Test func `each lock is twice as long as the one before, up to a day, until a sign-in`()
        async throws
    {
        try await withSchool { school in
            for minutes in [15, 30, 60, 120, 240, 480, 960, 1440, 1440] {
                #expect(try school.nextLock(of: .tom) == minutes)
            }
            try school.sql(
                "update school.credential set locked_until = now() - interval '1 second'")
            _ = try await school.signIn(.tom)
            #expect(try school.nextLock(of: .tom) == 15)
        }
    }
}

extension TestSchool {
    /// Ten wrong passwords from a stranger.
    fileprivate func lockOut(_ persona: Persona) async throws {
        try sql("update school.credential set failed_tries = 9 where person_id = \(id(persona))")
        #expect(try await trySignIn(persona.managedID, "wrong").status == 401)
    }

    fileprivate func tries(_ persona: Persona) throws -> Int {
        try sql("select failed_tries from school.credential where person_id = \(id(persona))")[0]
            .int("failed_tries")
    }

    fileprivate func devices(of persona: Persona) throws -> Int {
        try sql(
            """
            select from school.sign_in_device
             where person_id = \(id(persona)) and expires_at > now() and failed_tries = 0
            """
        ).count
    }

    /// How many minutes the lock lasts after ten more wrong tries, once the earlier lock is over.
    fileprivate func nextLock(of persona: Persona) throws -> Int {
        try sql(
            """
            update school.credential set failed_tries = 9, locked_until = null
             where person_id = \(id(persona))
            """)
        try sql("select school.count_failed_try(\(hillside), \(id(persona)))")
        return try sql(
            """
            select round(extract(epoch from locked_until - updated_at) / 60)::bigint as minutes
              from school.credential where person_id = \(id(persona))
            """)[0].int("minutes")
    }
}
