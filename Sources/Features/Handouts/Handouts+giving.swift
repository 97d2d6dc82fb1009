import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

extension Handouts {
    func findHandout(_ request: Request, caller: Caller) async throws -> Response {
        let statement = Statement.handout(
            try request.id("id"), of: caller.organizationID, languages: request.languages)
        let taught = try await database.query(statement, as: caller)
        // A person who teaches a class may be a student in another.
        guard taught.isEmpty, caller.standing == .teacher,
            let student = caller.acting(asFirstOf: [.student])
        else { return try Response.object(taught).worded(for: request, taught) }
        let own = try await database.query(statement, as: student)
        return try Response.object(own).worded(for: request, own)
    }

    func give(_ request: Request, caller: Caller) async throws -> Response {
        let handout = try NewHandout(await request.body(), caller: caller)
        if let index = handout.tasks.firstIndex(where: \.stays) {
            throw Problem.unknownReference("/tasks/\(index)/id")
        }
        if handout.publishAt != nil, handout.tasks.isEmpty { throw Problem.tasksMissing }
        return try await database.transaction(as: caller) { session in
            let target = try await classToGiveTo(
                handout.classReference, dueOn: handout.dueOn, session, caller)
            let tasks = try await titled(
                handout.tasks, in: handout.environment.rawValue, for: target.id, request, session,
                caller)
            let people = try await recipients(handout.recipients, of: target.id, session, caller)
            try await session.query(
                .give(handout, to: target.id, dueAt: handout.dueAt ?? target.dueAt, by: caller))
            _ = try await session.query([
                .choose(people ?? [], for: handout.id, in: caller.organizationID),
                .addTasks(tasks, to: handout.id, of: target.id, in: caller.organizationID),
            ])
            let rows = try await session.query(
                .postedHandout(
                    handout.id, of: caller.organizationID, languages: request.languages))
            return try Response.object(rows, status: 201)
                .located(at: "/v1/handouts/\(handout.id.uuid)").worded(for: request, rows)
        }
    }

    /// Also works in an archived class.
    func removeHandout(_ request: Request, caller: Caller) async throws -> Response {
        let id: HandoutID = try request.id("id")
        try await database.transaction(as: caller) { session in
            let rows = try await session.query(.lockHandout(id, of: caller.organizationID))
            guard let row = rows.first else { throw Problem.notFound }
            try request.checkMatch(version: try row.int("version"))
            _ = try await session.query(.removeHandout(id))
        }
        return .noContent
    }

    /// A class that the caller teaches, and when the day ends there.
    func classToGiveTo(
        _ reference: Reference<ClassEntity>, dueOn: Day?, _ session: Session, _ caller: Caller
    ) async throws -> (id: UUID, dueAt: Timestamp?) {
        let rows = try await session.query(
            .classToGiveTo(reference, dueOn: dueOn, of: caller.organizationID))
        guard let row = rows.first else { throw Problem.unknownReference("/classId") }
        if try row.bool("is_archived") { throw Problem.classArchived }
        return (try row.uuid("class_id"), try row.optionalTimestamp("due_at"))
    }

    /// The tasks with the titles that their apps give them. Contexts must exist and be assignable, a whole app must be
    /// known, and a new task's tool must be for the class.
    func titled(
        _ sent: [NewTask], in environment: String, for classID: UUID, _ request: Request,
        _ session: Session, _ caller: Caller
    ) async throws -> [NewTask] {
        var tasks = sent
        if tasks.contains(where: { $0.toolID != nil }) {
            let unusable = try await session.query(.unusableTools(of: tasks, for: classID))
            if let row = unusable.first {
                throw Problem.unknownReference("/tasks/\(try row.int("place"))/toolId")
            }
        }
        let rows = try await session.query(
            .titles(of: tasks, in: environment, languages: request.languages))
        for row in rows {
            let position = try row.int("place")
            let isContext = try row.bool("is_context")
            guard let title = try row.optionalText("title") else {
                throw Problem.unknownReference(
                    "/tasks/\(position)/\(isContext ? "identifierPath" : "bundleId")")
            }
            if isContext, try row.optionalBool("is_assignable") == false {
                throw Problem.invalid(
                    "/tasks/\(position)/identifierPath", "not_assignable",
                    "This context only groups others. Assign one of those below it.")
            }
            tasks[position].title = title
            tasks[position].titles = try row.optionalText("titles").map {
                try JSONValue(parsing: $0)
            }
            if isContext { tasks[position].contextOwner = try row.optionalUUID("owner_id") }
        }
        return tasks
    }

    /// The students that a body names; `nil` for the class.
    func recipients(
        _ references: [Reference<PersonEntity>]?, of classID: UUID, _ session: Session,
        _ caller: Caller
    ) async throws -> [UUID]? {
        guard let references else { return nil }
        let rows = try await session.query(
            .students(references, of: classID, in: caller.organizationID))
        let found = try Set(rows.map { try $0.int("place") })
        if let missing = references.indices.first(where: { !found.contains($0) }) {
            throw Problem.unknownReference("/recipients/\(missing)")
        }
        return try rows.map { try $0.uuid("person_id") }
    }
}
