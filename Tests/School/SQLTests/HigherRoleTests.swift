import Postgres
import School
import TestKit
import Testing

/// An administrator cannot be locked out from below, whatever the server forgets.
@Suite struct HigherRoles {
    private func deactivate(_ persona: Persona, in school: TestSchool) -> Statement {
        """
        update school.person set deactivated_at = school.moment()
         where organization_id = \(school.hillside) and person_id = \(school.id(persona))
        """
    }

    private func caller(_ standing: Standing, in school: TestSchool) -> Caller {
        Caller(
            organizationID: school.hillside, personID: school.id(.petra), standings: [standing])
    }

    @Test(arguments: [Standing.peopleManager, .siteManager, .provisioner, .manager])
    func `a caller who may not give a role does not lock out its holder`(standing: Standing)
        async throws
    {
        try await withSchool { school in
            let caller = caller(standing, in: school)
            #expect(
                try school.sql(deactivate(.tom, in: school), as: caller).affected == 1,
                "a teacher can be deactivated")
            let seen = try school.sql(
                "select from school.person where person_id = \(school.id(.ada))", as: caller)
            #expect(seen.count == 1, "the administrator is there and visible")
            let error = #expect(throws: PostgresError.self) {
                try school.sql(deactivate(.ada, in: school), as: caller)
            }
            #expect(error?.sqlState == "42501")
        }
    }

    @Test func `an administrator may`() async throws {
        try await withSchool { school in
            try makeAdministrator(.petra, in: school)
            let changed = try school.sql(deactivate(.ada, in: school), as: school.caller(.ada))
            #expect(changed.affected == 1)
        }
    }

    @Test func `nobody removes the last administrator, whatever the statement`() async throws {
        try await withSchool { school in
            try makeAdministrator(.petra, in: school)
            let attempts: [Statement] = [
                deactivate(.ada, in: school),
                """
                delete from school.person_role
                 where organization_id = \(school.hillside) and person_id = \(school.id(.ada))
                """,
                """
                update school.person_role set role = 'staff'
                 where organization_id = \(school.hillside) and person_id = \(school.id(.ada))
                """,
                "delete from school.person where person_id = \(school.id(.ada))",
            ]
            for attempt in attempts {
                try undone(attempt, in: school)
            }
            try school.sql(deactivate(.petra, in: school))
            for attempt in attempts {
                let error = #expect(throws: PostgresError.self) { try undone(attempt, in: school) }
                #expect(error?.constraint == "organization_has_an_administrator")
            }
        }
    }

    @Test func `a role changed by statement revokes every token`() async throws {
        try await withSchool { school in
            #expect(try await school.get("/v1/classes", as: .tom).status == 200)
            try school.sql(
                """
                update school.person_role set role = 'staff'
                 where organization_id = \(school.hillside) and person_id = \(school.id(.tom))
                """)
            #expect(try await school.get("/v1/me", as: .tom).status == 401)
            #expect(try await school.get("/v1/me", as: .cora).status == 200)
        }
    }

    private func makeAdministrator(_ persona: Persona, in school: TestSchool) throws {
        try school.sql(
            """
            insert into school.person_role (organization_id, person_id, location_id, role)
            values (\(school.hillside), \(school.id(persona)), \(school.mainLocation), 'administrator')
            """)
    }

    /// Tries a statement bypassing every policy, and rolls it back.
    private func undone(_ statement: Statement, in school: TestSchool) throws {
        let connection = try BlockingConnection(school.ownerURL)
        try connection.execute("begin")
        defer { try? connection.execute("rollback") }
        #expect(try connection.query(statement).affected == 1)
    }
}
