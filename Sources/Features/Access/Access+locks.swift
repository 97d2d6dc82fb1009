import API
import HTTPServer
import HTTPWire
import Postgres
import School
import Values

extension Access {
    var lockEndpoints: [Endpoint] {
        [
            Endpoint(
                .delete, "/v1/people/{id}/sign-in-lock",
                "Unlock a person after too many wrong passwords",
                description: """
                    For those who may set the person's password. Forgets all wrong passwords so far, even if \
                    the person is not locked yet.
                    """,
                for: Standing.directoryManagers + [.manager, .teacher],
                answers: [.empty(204, "There is no lock now.")],
                problems: [
                    (
                        403,
                        "You may not manage the person's roles, or you lack a relation such as teaching the person."
                    )
                ], handler: liftLock)
        ]
    }

    /// Lifts a lock, for callers who may set the person's password; has no effect when repeated.
    func liftLock(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<PersonEntity> = try request.reference("id")
        let found = try await database.query(
            .visiblePerson(reference, organizationID: caller.organizationID), as: caller)
        guard let row = found.first else { throw Problem.notFound }
        let personID = PersonID(try row.uuid("person_id"))
        let outcome = try await database.transaction(as: caller) { session in
            try await session.query(.liftLock(of: personID))
        }
        switch try outcome.first?.text("outcome") {
        case "lifted": return .noContent
        case "forbidden": throw Problem.forbiddenTemporaryPassword(as: caller.standing)
        default: throw Problem.notFound
        }
    }
}

extension Statement {
    /// The id of a person whom the caller sees.
    static func visiblePerson(
        _ person: Reference<PersonEntity>, organizationID: OrganizationID
    ) -> Statement {
        """
        select p.person_id from school.person as p
         where p.organization_id = \(organizationID)
           and (p.person_id = \(person.id) or p.source_id = \(person.source))
        """
    }

    /// One word: `lifted`, `unknown` or `forbidden`.
    fileprivate static func liftLock(of personID: PersonID) -> Statement {
        "select school.lift_sign_in_lock(\(personID)) as outcome"
    }
}
