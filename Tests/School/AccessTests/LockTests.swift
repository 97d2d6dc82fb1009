import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct AutomaticLock {
    @Test func `ten wrong passwords lock for fifteen minutes, and the lock ends by itself`()
        async throws
    {
        try await withSchool { school in
            for _ in 1...9 {
                let answer = try await school.trySignIn(Persona.tom.managedID, "wrong")
                #expect(answer.status == 401)
            }
            _ = try await school.signIn(.tom)
            for _ in 1...10 { _ = try await school.trySignIn(Persona.tom.managedID, "wrong") }
            #expect(try await school.trySignIn(Persona.tom.managedID).status == 401)
            _ = try await school.signIn(.sam)

            try school.sql(
                """
                update school.credential set locked_until = locked_until - interval '14 minutes'
                 where person_id = \(school.id(.tom))
                """)
            #expect(try await school.trySignIn(Persona.tom.managedID).status == 401)
            try school.sql(
                """
                update school.credential set locked_until = locked_until - interval '1 minute'
                 where person_id = \(school.id(.tom))
                """)
            _ = try await school.signIn(.tom)
        }
    }

    @Test func `wrong tries during a lock do not prolong it`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.credential set locked_until = now() + interval '1 minute'
                 where person_id = \(school.id(.tom))
                """)
            let before = try lock(of: .tom, in: school)
            for _ in 1...11 { _ = try await school.trySignIn(Persona.tom.managedID, "wrong") }
            #expect(try lock(of: .tom, in: school) == before)
        }
    }

    @Test func `wrong current passwords count as wrong sign-ins`() async throws {
        try await withSchool { school in
            for _ in 1...10 {
                let answer = try await school.changePassword(
                    school.token(.tom), from: "wrong", to: "Another-2026")
                #expect(answer.status == 422)
                #expect(answer.pointers == ["/password"])
            }
            let locked = try await school.changePassword(
                school.token(.tom), from: Persona.password, to: "Another-2026")
            #expect(locked.status == 429)
            #expect(locked.header("retry-after") != nil)
            #expect(try await school.trySignIn(Persona.tom.managedID).status == 401)
        }
    }

    private func lock(of persona: Persona, in school: TestSchool) throws -> String {
        try school.sql(
            """
            select locked_until::text as lock from school.credential
             where person_id = \(school.id(persona))
            """)[0].text("lock")
    }
}
