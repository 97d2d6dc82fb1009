import API
import HTTPServer
import Postgres
import School
import Values

extension Handouts {
    /// Replaces a handout with the body.
    func replace(_ request: Request, caller: Caller) async throws -> Response {
        try await edit(request, caller, isWhole: true)
    }

    /// Changes the fields in the body and leaves the rest; null resets a field to its default.
    func amend(_ request: Request, caller: Caller) async throws -> Response {
        try await edit(request, caller, isWhole: false)
    }

    private func edit(
        _ request: Request, _ caller: Caller, isWhole: Bool
    ) async throws -> Response {
        let edit = try HandoutEdit(await request.body(), isWhole: isWhole)
        return try await database.transaction(as: caller) { session in
            let held = try await hold(request, session, caller)
            if held.isCompleted { throw Problem.handoutCompleted }
            let target = try await classToGiveTo(
                edit.classReference ?? .id(ClassID(held.classID)), dueOn: edit.dueOn, session,
                caller)
            guard target.id == held.classID else {
                throw Problem.fixed(
                    "/classId", "A handout stays in its class; copy it to the other one.")
            }
            try edit.checkEnvironment(of: held)
            let publishAt = try edit.publishAt(of: held, caller, now: database.clock.now)
            let isNewlyEmpty = held.publishAt == nil && held.taskCount == 0
            if publishAt != nil, edit.tasks?.isEmpty ?? isNewlyEmpty { throw Problem.tasksMissing }
            try await setRecipients(edit, held, session, caller)
            if let tasks = edit.tasks {
                try await setTasks(tasks, held, request, session, caller)
            }
            try await session.query(
                .change(
                    held, title: edit.title(of: held), instructions: edit.instructions(of: held),
                    dueAt: edit.dueAt(of: held, endOfDay: target.dueAt), publishAt: publishAt,
                    maximumPoints: edit.maximumPoints(of: held),
                    of: caller.organizationID))
            let rows = try await session.query(
                .postedHandout(
                    held.id, of: caller.organizationID, languages: request.languages))
            return try Response.object(rows).worded(for: request, rows)
        }
    }

    private func setRecipients(
        _ edit: HandoutEdit, _ held: HeldHandout, _ session: Session, _ caller: Caller
    ) async throws {
        guard edit.changesRecipients else { return }
        let people = try await recipients(edit.recipients, of: held.classID, session, caller)
        try await session.query(.setRecipients(people, of: held.id))
    }

    /// Tasks for which something is recorded are removed only if the request confirms it.
    private func setTasks(
        _ sent: [NewTask], _ held: HeldHandout, _ request: Request, _ session: Session,
        _ caller: Caller
    ) async throws {
        let organization = caller.organizationID
        let present = try await session.query(.tasks(of: held.id, in: organization))
        let arrangement = try TaskArrangement(sent, replacing: present)
        let tasks = try await titled(
            arrangement.tasks, in: held.environment, for: held.classID, request, session, caller)
        if !arrangement.removed.isEmpty {
            let rows = try await session.query(
                .removeTasks(
                    arrangement.removed, of: held.id,
                    discarding: request.queryBoolean("discardProgress") ?? false,
                    languages: request.languages))
            let begun = try rows[0].textArray("begun")
            if !begun.isEmpty { throw Problem.tasksBegun(begun) }
        }
        _ = try await session.query([
            .arrangeTasks(tasks, of: held.id, in: organization),
            .addTasks(tasks, to: held.id, of: held.classID, in: organization),
        ])
    }
}

extension Statement {
    /// A time that stays the same is not written; one in the past becomes now.
    fileprivate static func change(
        _ held: HeldHandout, title: String, instructions: String?, dueAt: Timestamp?,
        publishAt: Timestamp?, maximumPoints: Points?, of organization: OrganizationID
    ) -> Statement {
        """
        update school.handout
           set title = \(title), instructions = \(instructions), due_at = \(dueAt),
               maximum_points = (\(maximumPoints?.text)::text)::numeric,
               publish_at = case when publish_at is not distinct from \(publishAt) then publish_at
                                 when \(publishAt) is not null
                                 then greatest(\(publishAt), school.moment()) end
         where organization_id = \(organization) and handout_id = \(held.id)
        """
    }

    /// - Parameter people: `nil` for the class.
    fileprivate static func setRecipients(_ people: [UUID]?, of handout: HandoutID) -> Statement {
        "select school.set_recipients(\(handout), \(people))"
    }
}
