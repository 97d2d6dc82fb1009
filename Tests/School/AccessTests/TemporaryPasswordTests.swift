import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Access

@Suite struct GiveTemporaryPassword {
    @Test func `a temporary password ends the person's sessions and works once`()
        async throws
    {
        try await withSchool { school in
            let before = try await school.signIn(.sam)
            #expect(try await school.status(of: before.accessToken) == 200)
            let answer = try await give(.sam, as: .petra, in: school)
            #expect(answer.status == 200)
            let password = answer.json["temporaryPassword"]?.text ?? ""
            let expiry = answer.json["expiresAt"]?.text.flatMap { Timestamp($0) }
            let days = ((expiry?.milliseconds ?? 0) - Clock.system.now.milliseconds) / 86_400_000
            #expect((13...14).contains(days))
            #expect(try await school.status(of: before.accessToken) == 401)
            #expect(try await school.refresh(before.refreshToken).status == 401)
            #expect(try await school.trySignIn(Persona.sam.managedID).status == 401)

            let signedIn = try await school.signIn(.sam, password)
            #expect(signedIn.mustChangePassword == true)
            #expect(try await school.status(of: signedIn.accessToken) == 403)
            #expect(try school.countEvents("temporaryPassword", about: .petra) == 1)
        }
    }

    @Test func `an expired temporary password gives no access`() async throws {
        try await withSchool { school in
            let answer = try await give(.sam, as: .ada, in: school)
            let password = answer.json["temporaryPassword"]?.text ?? ""
            let signedIn = try await school.signIn(.sam, password)
            try school.sql(
                """
                update school.credential set expires_at = now() where person_id = \(school.id(.sam))
                """)
            #expect(try await school.trySignIn(Persona.sam.managedID, password).status == 401)
            #expect(try await school.refresh(signedIn.refreshToken).status == 401)
        }
    }

    @Test func `a temporary password ends a lock`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.credential set locked_until = now() + interval '10 minutes'
                 where person_id = \(school.id(.sam))
                """)
            #expect(try await school.trySignIn(Persona.sam.managedID).status == 401)
            let answer = try await give(.sam, as: .ada, in: school)
            _ = try await school.signIn(.sam, answer.json["temporaryPassword"]?.text ?? "")
        }
    }

    @Test func `a temporary password meets the policy of the student`() async throws {
        try await withSchool { school in
            try school.sql("update school.person set password_policy = '6'")
            let student = try await give(.sam, as: .ada, in: school)
            #expect(student.json["temporaryPassword"]?.text?.wholeMatch(of: #/\d{6}/#) != nil)
            let teacher = try await give(.tom, as: .ada, in: school)
            let password = teacher.json["temporaryPassword"]?.text ?? ""
            #expect(PasswordPolicy.standard.objection(to: password) == nil)
        }
    }

    @Test func `a person who never had a password gets the first one`() async throws {
        try await withSchool { school in
            try school.makeNewcomer(.sam)
            #expect(try await school.trySignIn(Persona.sam.managedID).status == 401)
            let answer = try await give(.sam, as: .provisioner, in: school)
            _ = try await school.signIn(.sam, answer.json["temporaryPassword"]?.text ?? "")
        }
    }

    @Test func `it is for people in the directory, set by those who may give their roles`()
        async throws
    {
        try await withSchool { school in
            for persona in [Persona.sam, .exporter, .samsApp] {
                #expect(try await give(.sue, as: persona, in: school).status == 403, "\(persona)")
            }
            #expect(try await give(.sue, as: nil, in: school).status == 401)
            #expect(try await give(.ada, as: .petra, in: school).status == 403)
            #expect(try await give(.ada, as: .provisioner, in: school).status == 403)
            #expect(try await give(.petra, as: .petra, in: school).status == 200)
            #expect(try await give(.ada, as: .ada, in: school).status == 200)
            _ = try await school.signIn(.tom)
        }
    }

    @Test func `a teacher sets one for students of their own classes`() async throws {
        try await withSchool { school in
            let before = try await school.signIn(.sam)
            #expect(try await give(.sam, as: .tom, in: school).status == 200)
            #expect(try await school.status(of: before.accessToken) == 401)
            let colleague = try await give(.cora, as: .tom, in: school)
            #expect(colleague.status == 403)
            #expect(colleague.json["detail"]?.text?.contains("teaches now") == true)
            #expect(try await give(.ben, as: .tom, in: school).status == 404)
            #expect(try await give(.ben, as: .tess, in: school).status == 200)
            #expect(try await give(.ada, as: .tom, in: school).status == 404)
            try school.sql(
                """
                update school.class set archived_at = school.moment() where class_id = \(school.biology)
                """)
            #expect(try await give(.sam, as: .tom, in: school).status == 403)
        }
    }

    @Test func `a manager sets one for staff and students, and the first one for teachers`()
        async throws
    {
        try await withSchool { school in
            #expect(try await give(.tom, as: .mara, in: school).status == 403)
            try school.makeNewcomer(.tom)
            for persona in [Persona.sam, .tom] {
                let answer = try await give(persona, as: .mara, in: school)
                #expect(answer.status == 200, "\(persona)")
            }
            for persona in [Persona.ada, .petra, .mara] {
                let answer = try await give(persona, as: .mara, in: school)
                #expect(answer.status == 403, "\(persona)")
            }
        }
    }

    @Test func `people of other organizations and unknown ids are not found`() async throws {
        try await withSchool { school in
            let own = try await give(.otto, as: .olga, in: school)
            #expect(own.status == 200)
            #expect(try await give(.otto, as: .ada, in: school).status == 404)
            for id in ["0195d1a0-0000-7000-8000-000000000000", "nonsense", "source:none"] {
                let path = "/v1/people/\(id)/temporary-password"
                #expect(try await school.post(path, as: .ada).status == 404)
            }
            let path = "/v1/people/source:sis-sam/temporary-password"
            #expect(try await school.post(path, as: .ada).status == 200)
        }
    }

    @Test func `a deactivated person gets none`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.person set deactivated_at = now() where person_id = \(school.id(.sam))
                """)
            let answer = try await give(.sam, as: .ada, in: school)
            #expect(answer.status == 409)
            #expect(answer.code == "person_deactivated")
        }
    }

    @Test func `the secret is never replayed`() async throws {
        try await withSchool { school in
            let answer = try await school.post(
                "/v1/people/\(school.id(.sam).uuid)/temporary-password", as: .ada,
                headers: [("Idempotency-Key", "once")])
            #expect(answer.status == 400)
            _ = try await school.signIn(.sam)
        }
    }

    private func give(
        _ persona: Persona, as giver: Persona?, in school: TestSchool
    ) async throws -> Answer {
        try await school.post(
            "/v1/people/\(school.id(persona).uuid)/temporary-password", as: giver)
    }
}

@Suite struct WhoAmI {
    @Test func `people see themselves, with organization and roles`() async throws {
        try await withSchool { school in
            for persona in [Persona.ada, .mara, .tom, .sam] {
                let answer = try await school.get("/v1/me", as: persona)
                #expect(answer.status == 200)
                #expect(answer.json["kind"]?.text == "person")
                #expect(answer.json["organization"]?["name"]?.text == "Hillside")
                #expect(answer.json["organization"]?["timeZone"]?.text == "Europe/Berlin")
                #expect(
                    answer.json["standings"]?.array?.compactMap(\.text)
                        == persona.roles.map(\.rawValue))
                #expect(answer.json["environment"]?.text == "production")
                #expect(answer.json["person"]?["givenName"]?.text == persona.givenName)
            }
        }
    }

    @Test func `a service account is not a person of any organization`() async throws {
        try await withSchool { school in
            for (persona, word) in [(Persona.provisioner, "provisioner"), (.exporter, "exporter")] {
                let answer = try await school.get("/v1/me", as: persona)
                #expect(answer.json["kind"]?.text == "service")
                #expect(
                    answer.json["organization"]?["id"]?.text == school.hillside.uuid.description)
                #expect(answer.json["standings"]?.array?.compactMap(\.text) == [word])
                #expect(answer.json["person"] ?? .null == .null)
            }
        }
    }

    @Test func `an app's token and no token are refused`() async throws {
        try await withSchool { school in
            let person = try await school.get("/v1/me", as: .sam)
            #expect(person.status == 200)
            #expect(try await school.get("/v1/me", as: .samsApp).status == 403)
            #expect(try await school.get("/v1/me", as: nil).status == 401)
            #expect(try await school.status(of: "nobody's") == 401)
        }
    }
}
