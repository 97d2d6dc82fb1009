import API
import HTTPServer
import HTTPWire
import Postgres
import School
import Values

extension Handouts {
    var returnEndpoints: [Endpoint] {
        let path = "/v1/handouts/{id}/students/{personId}/tasks/{taskId}/return"
        let answer = Endpoint.Answer.json(
            "As it is now.", .object(AssignmentShapes.studentReturn))
        let stale = [(status: 412, meaning: "The handout was changed in the meantime.")]
        return [
            Endpoint(
                .get, path, "Find how a student's work was returned", for: [.teacher],
                answers: [answer], handler: findReturn),
            Endpoint(
                .put, path, "Return a student's work, with a note or to try again",
                description: """
                    Returning it again replaces what was said before. With `tryAgain` the student has the task \
                    to do once more.
                    """,
                for: [.teacher], body: .json(.object(AssignmentShapes.newReturn)),
                answers: [answer],
                problems: stale + [
                    (
                        409,
                        "The handout is not published yet, or is completed and `tryAgain` is true."
                    )
                ], handler: giveBack),
            Endpoint(
                .delete, path, "Undo a return; the student's mark done is not restored",
                for: [.teacher], answers: [.empty(204, "The return is undone.")],
                problems: stale + [(409, "The class is archived.")], handler: takeReturnBack),
        ]
    }

    func findReturn(_ request: Request, caller: Caller) async throws -> Response {
        let path = try ReturnPath(request)
        let rows = try await database.query(.studentReturn(path, caller), as: caller)
        if !rows.isEmpty {
            await viewings.note(ViewedWork(of: path.person, at: path.handout), as: caller)
        }
        return try .object(rows)
    }

    /// Returning work again replaces what was said before.
    func giveBack(_ request: Request, caller: Caller) async throws -> Response {
        let path = try ReturnPath(request)
        let body = try await request.body()
        let isToTryAgain = body.boolean("tryAgain") ?? false
        return try await database.transaction(as: caller) { session in
            _ = try await holdForReturn(request, session, caller, isToTryAgain: isToTryAgain)
            let rows = try await session.query(
                .giveBack(
                    path, note: body.text("note"), isToTryAgain: isToTryAgain, caller))
            guard try rows[0].bool("is_returned") else { throw Problem.notFound }
            return try .object(await session.query(.studentReturn(path, caller)))
        }
    }

    /// Locks a handout whose work is returned: work of a completed one can be, but not for another try.
    func holdForReturn(
        _ request: Request, _ session: Session, _ caller: Caller, isToTryAgain: Bool
    ) async throws -> HeldHandout {
        let held = try await hold(request, session, caller)
        guard held.isPublished else { throw Problem.handoutNotPublished }
        if held.isCompleted, isToTryAgain { throw Problem.handoutCompleted }
        return held
    }

    func takeReturnBack(_ request: Request, caller: Caller) async throws -> Response {
        let path = try ReturnPath(request)
        try await database.transaction(as: caller) { session in
            _ = try await hold(request, session, caller)
            let rows = try await session.query(.takeReturnBack(path, caller))
            guard try rows[0].bool("is_taken_back") else { throw Problem.notFound }
        }
        return .noContent
    }
}

/// A student's task in a handout, as a path names it.
private struct ReturnPath: Sendable {
    let handout: HandoutID
    let task: TaskID
    let person: Reference<PersonEntity>

    init(_ request: Request) throws {
        handout = try request.id("id")
        task = try request.id("taskId")
        person = try request.reference("personId")
    }

    /// The student's id; null if the caller does not see such a student.
    func personID(_ caller: Caller) -> Statement { person.value(in: caller.organizationID) }
}

extension Statement {
    fileprivate static func studentReturn(_ path: ReturnPath, _ caller: Caller) -> Statement {
        """
        select a.task_id, a.person_id, school.opened_at(a.opened_at, f.begun_at) as opened_at,
               a.done_at, a.returned_at, a.return_note as "note",
               a.is_to_try_again as "tryAgain"
          from school.assignment as a
          join school.task as t on t.organization_id = a.organization_id and t.task_id = a.task_id
          left join school.assignment_figures as f
            on f.organization_id = a.organization_id and f.task_id = a.task_id and f.person_id = a.person_id
         where a.organization_id = \(caller.organizationID) and a.task_id = \(path.task)
           and a.person_id = \(fragment: path.personID(caller)) and t.handout_id = \(path.handout)
           and a.returned_at is not null
        """
    }

    fileprivate static func giveBack(
        _ path: ReturnPath, note: String?, isToTryAgain: Bool, _ caller: Caller
    ) -> Statement {
        """
        select school.return_assignment(\(path.handout), \(path.task), \(fragment: path.personID(caller)),
                                        \(note), \(isToTryAgain)) as is_returned
        """
    }

    fileprivate static func takeReturnBack(_ path: ReturnPath, _ caller: Caller) -> Statement {
        """
        select school.take_return_back(\(path.handout), \(path.task),
                                       \(fragment: path.personID(caller))) as is_taken_back
        """
    }
}
