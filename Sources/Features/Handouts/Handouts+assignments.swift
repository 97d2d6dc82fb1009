import API
import HTTPServer
import JSONBytes
import Postgres
import School
import Values

extension Handouts {
    func listAssignments(_ request: Request, caller: Caller) async throws -> Response {
        let page = try request.page()
        let filter = AssignmentFilter(request)
        // Eight classes may have thousands of tasks in a year.
        let rows = try await database.page(
            .assignments(
                caller, filter, languages: request.languages,
                after: try AssignmentPosition(page, filter), limit: page.limitPlusOne),
            page, isLong: true, as: caller)
        return try page.response(
            rows, columns: AssignmentPosition.shownColumns(rows),
            key: { try AssignmentPosition.key($0, filter) }, request: request
        ).varying(by: "Accept-Language")
    }

    /// Shows one handout to a student who has it, with what became of each task.
    func findOwnHandout(_ request: Request, caller: Caller) async throws -> Response {
        let rows = try await database.query(
            .ownHandout(try request.id("id"), caller, languages: request.languages), as: caller)
        guard !rows.isEmpty else { throw Problem.notFound }
        // The statement's columns about the handout; the others are about one of its assignments.
        let head = AssignmentShapes.ownHandoutHead.count
        var writer = JSONWriter(reserving: 480 * (rows.count + 1))
        writer.beginObject()
        try rows.writeMembers(row: 0, columns: 0..<head, into: &writer)
        writer.key("assignments")
        writer.beginArray()
        for row in 0..<rows.count {
            writer.beginObject()
            try rows.writeMembers(row: row, columns: head..<rows.columns.count, into: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return Response.json(writer.bytes).varying(by: "Accept-Language")
    }

    func open(_ request: Request, caller: Caller) async throws -> Response {
        try await note(request, caller, isWork: false) { .note($0, opened: true, caller) }
    }

    func close(_ request: Request, caller: Caller) async throws -> Response {
        try await note(request, caller, isWork: false) { .note($0, opened: false, caller) }
    }

    func markDone(_ request: Request, caller: Caller) async throws -> Response {
        try await note(request, caller, isWork: true) { .note($0, done: true, caller) }
    }

    func markUndone(_ request: Request, caller: Caller) async throws -> Response {
        try await note(request, caller, isWork: true) { .note($0, done: false, caller) }
    }

    /// - Parameter isWork: whether a locked or completed handout refuses it.
    private func note(
        _ request: Request, _ caller: Caller, isWork: Bool, _ statement: (TaskID) -> Statement
    ) async throws -> Response {
        let id: TaskID = try request.id("id")
        return try await database.transaction(as: caller) { session in
            let shown = Statement.assignment(id, caller, languages: request.languages)
            let before = try await session.query(shown)
            guard let row = before.first else { throw Problem.notFound }
            if isWork, try row.bool("completed") { throw Problem.handoutCompleted }
            if isWork, try row.bool("locked") { throw Problem.handoutLocked }
            _ = try await session.query(statement(id))
            let after = try await session.query(shown)
            return try Response.object(after, columns: AssignmentPosition.shownColumns(after))
                .worded(for: request, after)
        }
    }
}
