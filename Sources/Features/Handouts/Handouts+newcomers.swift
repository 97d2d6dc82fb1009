import API
import HTTPServer
import HTTPWire
import Postgres
import School
import Values

extension Handouts {
    var newcomerEndpoints: [Endpoint] {
        [
            Endpoint(
                .put, "/v1/handouts/{id}/students/{personId}",
                "Give a handout to a student who joined after it was due", for: [.teacher],
                answers: [
                    .empty(
                        204,
                        "The student has the handout to do like the others, and counts. The due time, which was before the student came, makes nothing late. Nothing changes for a student who has it anyway."
                    )
                ],
                problems: [
                    (409, "The class is archived."),
                    (412, "The handout was changed in the meantime."),
                ], handler: giveNewcomer)
        ]
    }

    func giveNewcomer(_ request: Request, caller: Caller) async throws -> Response {
        let person: Reference<PersonEntity> = try request.reference("personId")
        try await database.transaction(as: caller) { session in
            let held = try await hold(request, session, caller)
            let rows = try await session.query(.giveNewcomer(held.id, to: person, caller))
            guard try rows[0].bool("is_there") else { throw Problem.notFound }
        }
        return .noContent
    }
}

extension Statement {
    /// Chooses the student, which a handout for the class otherwise does not need.
    fileprivate static func giveNewcomer(
        _ id: HandoutID, to person: Reference<PersonEntity>, _ caller: Caller
    ) -> Statement {
        """
        with student as (
            select s.handout_id, s.person_id from school.handout_seats(array[\(id)::uuid]) as s
             where s.person_id = \(fragment: person.value(in: caller.organizationID))
        ), chosen as (
            insert into school.handout_recipient (organization_id, handout_id, person_id)
            select \(caller.organizationID), s.handout_id, s.person_id
              from student as s
              join school.due_before_joining(array[\(id)::uuid]) as j on j.person_id = s.person_id
             where not j.is_given
        )
        select exists (select from student) as is_there
        """
    }
}
