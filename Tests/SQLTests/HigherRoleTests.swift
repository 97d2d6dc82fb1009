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

    @Test(arguments: [Standing.peopleManager, .siteManager, .provisioner])
    func `who may not give a role does not lock out who holds it`(standing: Standing) async throws {
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
            let changed = try school.sql(deactivate(.ada, in: school), as: school.caller(.ada))
            #expect(changed.affected == 1)
        }
    }
}
