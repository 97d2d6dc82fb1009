import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Access

/// Who may reset whose password, and how its owner learns of it.
@Suite struct PasswordResets {
    private func reset(
        _ persona: Persona, as giver: Persona, in school: TestSchool
    ) async throws -> Answer {
        try await school.post(
            "/v1/people/\(school.id(persona).uuid)/temporary-password", as: giver)
    }

    private func resets(_ token: String, in school: TestSchool) async throws -> [JSONValue] {
        let me = try await school.send(.get, "/v1/me", token: token)
        return me.json["person"]?["signInChanges"]?.array ?? []
    }

    @Test func `a script sets first passwords and resets none`() async throws {
        try await withSchool { school in
            for persona in [Persona.sam, .tom, .petra] {
                let refused = try await reset(persona, as: .provisioner, in: school)
                #expect(refused.status == 403, "\(persona)")
            }
            #expect(
                try await reset(.sam, as: .provisioner, in: school).json["detail"]?.text?
                    .contains("first password") == true)
            _ = try await school.signIn(.sam)
            try school.sql("delete from school.credential")
            try school.sql("update school.person set first_sign_in_at = school.moment()")
            for persona in [Persona.sam, .tom] {
                let answer = try await reset(persona, as: .provisioner, in: school)
                #expect(answer.status == 403, "\(persona) signed in without a password")
            }
            try school.sql("update school.person set first_sign_in_at = null")
            for (persona, status) in [(Persona.sam, 200), (.tom, 200), (.petra, 403), (.ada, 403)] {
                let answer = try await reset(persona, as: .provisioner, in: school)
                #expect(answer.status == status, "\(persona)")
                let again = try await reset(persona, as: .provisioner, in: school)
                #expect(again.status == 403, "\(persona) was reset")
            }
        }
    }

    @Test
    func
        `a people manager resets no teacher's password, even while the teacher's role is briefly gone`()
        async throws
    {
        try await withSchool { school in
            #expect(try await reset(.sam, as: .petra, in: school).status == 200)
            #expect(try await reset(.tom, as: .petra, in: school).status == 403)
            try school.sql(
                "update school.person_role set role = 'staff' where person_id = \(school.id(.tom))")
            #expect(try await reset(.tom, as: .petra, in: school).status == 403)
            #expect(try await reset(.tom, as: .mara, in: school).status == 403)
            _ = try await school.signIn(.tom)
            #expect(try await reset(.tom, as: .ada, in: school).status == 200)
        }
    }

    @Test func `the person sees who changed the sign-in and when, until they confirm it`()
        async throws
    {
        try await withSchool { school in
            let given = try await reset(.sam, as: .tom, in: school)
            _ = try await reset(.sam, as: .ada, in: school)
            #expect(try await resets(school.token(.sue), in: school).isEmpty)
            let last = try await reset(.sam, as: .petra, in: school)
            #expect(given.status == 200 && last.status == 200)
            let password = last.json["temporaryPassword"]?.text ?? ""
            let signedIn = try await school.signIn(.sam, password)
            let listed = signedIn.answer.json["person"]?["signInChanges"]?.array ?? []
            #expect(
                listed.map { $0["name"]?.text } == ["Petra Example", "Ada Example", "Tom Example"])
            #expect(listed.allSatisfy { $0["change"] == "password" })
            #expect(
                listed.map { $0["standing"]?.text } == [
                    "peopleManager", "administrator", "teacher",
                ])
            let moment = listed.first?["changedAt"]?.text.flatMap { Timestamp($0) }
            let age = Clock.system.now.milliseconds - (moment?.milliseconds ?? 0)
            #expect((0..<60_000).contains(age))

            let token = signedIn.accessToken
            _ = try await school.changePassword(token, from: password, to: "Another-2026")
            #expect(try await resets(token, in: school).count == 3, "a change confirms nothing")
            for _ in 0..<2 {
                let confirmed = try await school.send(
                    .delete, "/v1/me/sign-in-changes", token: token)
                #expect(confirmed.status == 204)
            }
            #expect(try await resets(token, in: school).isEmpty)
            let events = try school.sql(
                """
                select e.standing, e.details ->> 'confirmedChanges' as confirmed from school.audit_event as e
                 where e.subject_id = \(school.id(.sam).uuid.description) and e.kind <> 'signIn'
                 order by e.event_id
                """)
            #expect(
                try events.map { try $0.text("standing") } == [
                    "teacher", "administrator", "peopleManager", "student", "student",
                ])
            #expect(try events[4].optionalText("confirmed") == "3")
        }
    }

    @Test func `a first password and one's own reset are not announced, and an app sees neither`()
        async throws
    {
        try await withSchool { school in
            let own = try await reset(.ada, as: .ada, in: school)
            let ada = try await school.signIn(.ada, own.json["temporaryPassword"]?.text ?? "")
            #expect(ada.answer.json["person"]?["managedId"] != nil)
            #expect(ada.answer.json["person"]?["signInChanges"]?.array == nil)
            try school.makeNewcomer(.sam)
            let first = try await reset(.sam, as: .provisioner, in: school)
            let sam = try await school.signIn(.sam, first.json["temporaryPassword"]?.text ?? "")
            #expect(sam.answer.json["person"]?["signInChanges"]?.array == nil)
            let second = try await reset(.sam, as: .tom, in: school)
            let app = try await school.signIn(
                .sam, second.json["temporaryPassword"]?.text ?? "", app: school.quizzler)
            #expect(app.answer.json["person"] == nil)
            #expect(!app.answer.text.contains("Tom"))
        }
    }
}

@Suite struct GuessablePasswords {
    @Test(arguments: [
        "Passw0rd!", "password123456", "qwerty123", "1q2w3e4r5t", "Sommer2026", "summer-26",
        "P@ssw0rd1",
        "Fussball1!", "woaini1314", "abcd1234", "iloveyou1", "letmein01", "Dragon12",
    ])
    func `the passwords that attackers try first are refused`(password: String) {
        #expect(PasswordPolicy.standard.objection(to: password)?.contains("guess") == true)
    }

    @Test func `so are popular digits, and no temporary password is one of them`() {
        #expect(PasswordPolicy.fourDigits.objection(to: "2580") != nil)
        #expect(PasswordPolicy.sixDigits.objection(to: "159753") != nil)
        #expect(PasswordPolicy.fourDigits.objection(to: "6183") == nil)
        #expect(PasswordPolicy.sixDigits.objection(to: "618307") == nil)
        for _ in 0..<500 {
            #expect(!CommonPasswords.contain(TemporaryPassword.make(.fourDigits)))
        }
    }

    @Test(arguments: [
        "Hillside-2026", "apple8391027", "correct horse 7", "kmtr-wzbe-4729", "same-again-7",
    ])
    func `a password that merely resembles one of them is accepted`(password: String) {
        #expect(PasswordPolicy.standard.objection(to: password) == nil)
    }

    @Test func `your own name and managed ID are refused, whatever the case and accents`()
        async throws
    {
        try await withSchool { school in
            try school.sql(
                """
                update school.person set given_name = 'Zoë', family_name = 'Müller-Lindqvist'
                 where person_id = \(school.id(.tom))
                """)
            func change(_ password: String) async throws -> Answer {
                try await school.changePassword(
                    school.token(.tom), from: Persona.password, to: password)
            }
            for password in [
                "MÜLLER+4711x", "xx-muller-81", "lindQVIST-93", "zoë-and-17-cats", "3-zoe-3-abc",
                "tom/4711/x",
            ] {
                let answer = try await change(password)
                #expect(answer.status == 422, "\(password)")
                #expect(answer.pointers == ["/newPassword"])
                #expect(answer.json["errors"]?[0]?["detail"]?.text?.contains("name") == true)
            }
            #expect(
                try await change("tomato-soup-81").status == 204, "a word that begins like a name")
        }
    }
}
