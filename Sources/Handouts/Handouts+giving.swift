import HTTPServer
import HTTPWire
import Postgres
import School
import Values

/// What a list of handouts is narrowed to.
struct HandoutFilter: Sendable {
    let classReference: Reference<ClassEntity>?
    let state: String?
    let dueBefore: Timestamp?
    let updatedSince: Timestamp?
}

extension Handouts {
    func listHandouts(_ request: Request, caller: Caller) async throws -> Response {
        let page = try request.page()
        let filter = HandoutFilter(
            classReference: request.queryReference("classId"), state: request.query("state"),
            dueBefore: request.queryTimestamp("dueBefore"),
            updatedSince: request.queryTimestamp("updatedSince"))
        let after = try page.after(0).map { text in
            guard let id = UUID(text) else {
                throw Problem.invalidParameter("pageToken", "This token was not made by this list.")
            }
            return id
        }
        let rows = try await database.query(
            .handouts(
                of: caller.organizationID, filter, after: after, limit: page.limitPlusOne),
            as: caller)
        return try page.response(
            rows, key: { [try $0.uuid("id").description] }, request: request)
    }

    func findHandout(_ request: Request, caller: Caller) async throws -> Response {
        try .object(
            await database.query(
                .handout(request.id("id"), of: caller.organizationID), as: caller))
    }

    func give(_ request: Request, caller: Caller) async throws -> Response {
        let handout = try NewHandout(await request.body(), caller: caller)
        let languages = request.languages
        return try await database.transaction(as: caller) { session in
            let place = try await classToGiveTo(handout, session, caller)
            let tasks = try await titled(handout, languages, session, caller)
            let people = try await recipients(handout, of: place.id, session, caller)
            _ = try await session.query(
                .give(handout, to: place.id, dueAt: handout.dueAt ?? place.dueAt, by: caller))
            _ = try await session.query([
                .choose(people, for: handout.id, in: caller.organizationID),
                .addTasks(tasks, to: handout.id, of: place.id, in: caller.organizationID),
            ])
            let rows = try await session.query(.handout(handout.id, of: caller.organizationID))
            return try Response.object(rows, status: 201)
                .located(at: "/v1/handouts/\(handout.id.uuid)")
        }
    }

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

    private func classToGiveTo(
        _ handout: NewHandout, _ session: Session, _ caller: Caller
    ) async throws -> (id: UUID, dueAt: Timestamp?) {
        let rows = try await session.query(
            .classToGiveTo(
                handout.classReference, dueOn: handout.dueOn, of: caller.organizationID))
        guard let row = rows.first else { throw Problem.unknownReference("/classId") }
        if try row.bool("is_archived") { throw Problem.classArchived }
        let id = try row.uuid("class_id")
        if handout.publishAt != nil { try await checkRoom(in: id, session, caller) }
        return (id, try row.optionalTimestamp("due_at"))
    }

    /// Refuses when the class has as many active handouts as it may have.
    func checkRoom(in classID: UUID, _ session: Session, _ caller: Caller) async throws {
        let rows = try await session.query(
            .activeHandouts(of: classID, in: caller.organizationID))
        if try rows[0].int("count") >= 200 { throw Problem.tooManyHandouts }
    }

    /// The tasks with the titles of their contexts, which must be there and assignable.
    private func titled(
        _ handout: NewHandout, _ languages: [String], _ session: Session, _ caller: Caller
    ) async throws -> [NewTask] {
        var tasks = handout.tasks
        let rows = try await session.query(
            .contexts(
                of: tasks, in: caller.organizationID, handout.environment.rawValue,
                languages: languages))
        for row in rows {
            let place = try row.int("place")
            guard try row.bool("is_assignable") else {
                throw Problem.invalid(
                    "/tasks/\(place)/identifierPath", "not_assignable",
                    "This context only holds others; assign one of its children.")
            }
            tasks[place].title = try row.text("title")
        }
        if let place = tasks.firstIndex(where: { $0.title == nil }) {
            throw Problem.unknownReference("/tasks/\(place)/identifierPath")
        }
        return tasks
    }

    private func recipients(
        _ handout: NewHandout, of classID: UUID, _ session: Session, _ caller: Caller
    ) async throws -> [UUID] {
        guard let references = handout.recipients else { return [] }
        let rows = try await session.query(
            .students(references, of: classID, in: caller.organizationID))
        let found = try Set(rows.map { try $0.int("place") })
        if let missing = references.indices.first(where: { !found.contains($0) }) {
            throw Problem.unknownReference("/recipients/\(missing)")
        }
        return try rows.map { try $0.uuid("person_id") }
    }
}
