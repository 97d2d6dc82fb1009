import API
import Crypto
import EventLoop
import JSONBytes
import Postgres
import School
import Synchronization
import TestKit
import Testing
import Values

@testable import Access

/// A password's record from before the cost was raised.
@Suite struct RecordRenewals {
    private let weaker = "ln=4,r=1,p=1"

    @Test func `a sign-in renews a weaker record, once, and nothing else changes`() async throws {
        try await withSchool { school in
            let elsewhere = try await school.signIn(.tom)
            try school.store(.tom, at: weaker)
            let before = try school.credentials()
            let signedIn = try await school.signIn(.tom)
            let record = try school.record(of: .tom)
            #expect(record.hasPrefix("$scrypt$\(Scrypt.Cost.ofTests)$"))
            #expect(Scrypt.verify(Persona.password, against: record, at: .ofTests))
            #expect(try school.credentials() == before)
            #expect(try await school.status(of: signedIn.accessToken) == 200)
            #expect(try await school.status(of: elsewhere.accessToken) == 200)
            _ = try await school.signIn(.tom)
            #expect(try school.record(of: .tom) == record)
            #expect(try school.countEvents("signIn", about: .tom) == 3)
            #expect(try school.countEvents("passwordChange", about: .tom) == 0)
        }
    }

    @Test func `a wrong password renews nothing, nor does a right one during a lock`() async throws
    {
        try await withSchool { school in
            let record = try school.store(.tom, at: weaker)
            #expect(try await school.trySignIn(Persona.tom.managedID, "wrong").status == 401)
            try school.sql(
                """
                update school.credential set locked_until = now() + interval '1 minute'
                 where person_id = \(school.id(.tom))
                """)
            #expect(try await school.trySignIn(Persona.tom.managedID).status == 401)
            #expect(try school.record(of: .tom) == record)
        }
    }

    @Test(arguments: ["ln=5,r=8,p=1", "ln=4,r=8,p=2", "ln=4,r=1,p=16"])
    func `a record that has more of memory or work stays`(cost: String) async throws {
        try await withSchool { school in
            let record = try school.store(.tom, at: cost)
            _ = try await school.signIn(.tom)
            #expect(try school.record(of: .tom) == record)
        }
    }

    @Test func `a temporary password keeps its record until it is changed`() async throws {
        try await withSchool { school in
            let record = try school.store(.tom, at: weaker)
            try school.sql(
                """
                update school.credential set is_temporary = true where person_id = \(school.id(.tom))
                """)
            let signedIn = try await school.signIn(.tom)
            #expect(signedIn.mustChangePassword == true)
            #expect(try school.record(of: .tom) == record)
            let change = try await school.changePassword(
                signedIn.accessToken, from: Persona.password, to: "Another-2026")
            #expect(change.status == 204)
            let changed = try school.record(of: .tom)
            #expect(changed.hasPrefix("$scrypt$\(Scrypt.Cost.ofTests)$"))
            #expect(Scrypt.verify("Another-2026", against: changed, at: .ofTests))
        }
    }

    @Test func `who compared the earlier record still signs in and changes the password`()
        async throws
    {
        try await withSchool { school in
            let earlier = try school.store(.tom, at: weaker)
            let signedIn = try await school.signIn(.tom)
            #expect(try school.record(of: .tom) != earlier)
            #expect(try school.begins(.tom, with: earlier))
            let rows = try school.sql(
                .changePassword(
                    from: earlier, to: Scrypt.hash("Another-2026", at: .ofTests),
                    keeping: Token(text: signedIn.accessToken)), as: school.caller(.tom))
            #expect(try rows[0].bool("is_changed"))
            _ = try await school.signIn(.tom, "Another-2026")
        }
    }

    @Test func `a change of the password wins over a renewal`() async throws {
        try await withSchool { school in
            let earlier = try school.store(.tom, at: weaker)
            let renewed = try #require(
                Scrypt.renewed(earlier, of: Persona.password, at: .ofTests))
            let change = try await school.changePassword(
                school.token(.tom), from: Persona.password, to: "Another-2026")
            #expect(change.status == 204)
            let changed = try school.record(of: .tom)
            try school.renew(.tom, from: earlier, to: renewed)
            #expect(try school.record(of: .tom) == changed)
            try school.renew(.tom, from: changed, to: renewed)
            #expect(try school.record(of: .tom) == changed, "of another password")
            for record in [earlier, renewed, "", "$scrypt$ln=4,r=8,p=1$"] {
                #expect(try !school.begins(.tom, with: record))
            }
            #expect(try school.begins(.tom, with: changed))
        }
    }

    @Test func `a record of scrypt becomes one of Argon2id, and no other password's does`()
        async throws
    {
        try await withSchool { school in
            let argon2 = try #require(PasswordCost("m=64,t=1,p=1"))
            let earlier = try school.store(.tom, at: weaker)
            let renewed = try #require(argon2.renewed(earlier, of: Persona.password))
            try school.renew(.tom, from: earlier, to: renewed)
            #expect(try school.record(of: .tom) == renewed)
            #expect(try school.begins(.tom, with: earlier) && school.begins(.tom, with: renewed))
            let other = argon2.record(of: "Another-2026")
            #expect(try !school.begins(.tom, with: other), "the same cost is not the same salt")
            try school.renew(.tom, from: renewed, to: other)
            #expect(try school.record(of: .tom) == renewed)
            _ = try await school.signIn(.tom)
            #expect(try await school.trySignIn(Persona.tom.managedID, "wrong").status == 401)
        }
    }

    @Test func `a sign-in with Argon2id reads and renews what scrypt made`() async throws {
        let cost = try #require(PasswordCost("m=64,t=1,p=1"))
        let passwords = PasswordThreads(cost: cost)
        let record = Scrypt.hash(Persona.password, at: .ofTests)
        let asker = Asker(
            address: "127.0.0.1", organization: nil, account: "tom", isKnownDevice: false)
        #expect(try await passwords.matches(Persona.password, record, for: asker).isRight)
        #expect(try await !passwords.matches("wrong", record, for: asker).isRight)
        #expect(try await !passwords.matches("wrong", nil, for: asker).isRight)
        let renewed = try #require(try await passwords.renewed(record, of: Persona.password))
        #expect(renewed.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$"))
        #expect(try await passwords.matches(Persona.password, renewed, for: asker).isRight)
        #expect(try await passwords.renewed(renewed, of: Persona.password) == nil)
    }

    @Test func `a refusal takes as long as with a record of scrypt, which may not be there`()
        async throws
    {
        let loop = try Loop(time: .manual())
        loop.start()
        defer { loop.stop() }
        let passwords = PasswordThreads(cost: .standard)
        let earlier = PasswordCost.scrypt(.standard).probableNanoseconds
        let isOver = Flag()
        let refusal = Task(executorPreference: loop) {
            let comparison = PasswordThreads.Comparison(
                isRight: false, nanoseconds: earlier - 40_000_000)
            await passwords.evenOut(comparison)
            isOver.set()
        }
        await loop.advance(milliseconds: 39)
        #expect(!isOver.isSet)
        await loop.advance(milliseconds: 2)
        await refusal.value
        let long = Task(executorPreference: loop) {
            await passwords.evenOut(.init(isRight: false, nanoseconds: earlier))
        }
        await long.value
    }

    @Test func `several sign-ins at once all begin`() async throws {
        try await withSchool { school in
            try school.store(.tom, at: weaker)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...4 {
                    group.addTask { try await school.trySignIn(Persona.tom.managedID).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == [200, 200, 200, 200])
            #expect(try school.record(of: .tom).hasPrefix("$scrypt$\(Scrypt.Cost.ofTests)$"))
        }
    }

    @Test func `passwords of sheets cost one pass, as they are replaced`() async throws {
        let cost = try #require(PasswordCost("ln=4,r=8,p=3"))
        let passwords = PasswordThreads(cost: cost)
        let records = try await passwords.records(of: ["one", "two"])
        #expect(records.count == 2)
        for record in records { #expect(record.hasPrefix("$scrypt$ln=4,r=8,p=1$")) }
        let asker = Asker(
            address: "127.0.0.1", organization: nil, account: "tom", isKnownDevice: false)
        let own = try await passwords.record(of: "one", for: asker)
        #expect(own.hasPrefix("$scrypt$ln=4,r=8,p=3$"))
    }
}

/// What a task says when it is over.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
}

extension TestSchool {
    /// Stores the record of a persona's usual password at a cost.
    @discardableResult
    fileprivate func store(_ persona: Persona, at cost: String) throws -> String {
        let record = Scrypt.hash(Persona.password, at: try #require(Scrypt.Cost(cost)))
        try sql(
            """
            update school.credential set password_record = \(record) where person_id = \(id(persona))
            """)
        return record
    }

    fileprivate func record(of persona: Persona) throws -> String {
        try sql("select password_record from school.credential where person_id = \(id(persona))")[0]
            .text("password_record")
    }

    /// All credentials, without the records and what each sign-in notes.
    fileprivate func credentials() throws -> String {
        try sql(
            """
            select jsonb_agg(to_jsonb(c) - '{password_record,last_sign_in_at,updated_at}'::text[]
                             order by person_id)::text as text
              from school.credential as c
            """)[0].text("text")
    }

    fileprivate func renew(_ persona: Persona, from record: String, to renewed: String) throws {
        try sql(.renewRecord(of: id(persona), in: hillside, from: record, to: renewed))
    }

    /// Whether a sign-in begins after its password was compared with a record.
    fileprivate func begins(_ persona: Persona, with record: String) throws -> Bool {
        let pair = TokenPair(now: Timestamp(milliseconds: 1_800_000_000_000))
        let tried = try SignInTry(Fields(JSONObject()), from: "127.0.0.1")
        let rows = try sql(
            .startSession(
                tried, organizationID: hillside, personID: id(persona), record: record, pair: pair))
        return rows.count == 1
    }
}
