import API
import HTTPServer
import Postgres
import School
import Values

extension Handouts {
    func listAssignments(_ request: Request, caller: Caller) async throws -> Response {
        let page = try request.page()
        // Eight classes may have thousands of tasks in a year.
        let rows = try await database.longQuery(
            .assignments(
                caller, state: request.query("state"), languages: request.languages,
                after: try AssignmentPosition(page), limit: page.limitPlusOne), as: caller)
        return try page.response(
            rows, columns: AssignmentPosition.shownColumns(rows),
            key: { try AssignmentPosition.key($0) }, request: request
        ).varying(by: "Accept-Language")
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

extension AssignmentPosition {
    /// `nil` on the first page.
    init?(_ page: Page) throws {
        guard !page.isFirst else { return nil }
        guard page.after.count == 3, let publishAt = Timestamp(page.after[0]),
            let handout = UUID(page.after[1]), let position = Int(page.after[2]),
            (1...20).contains(position)
        else {
            throw Problem.invalidParameter(
                "pageToken", "This page token does not belong to this list.")
        }
        self.init(publishAt: publishAt, handout: handout, position: position)
    }

    static func key(_ row: Row) throws -> [String] {
        [
            try row.timestamp("_publishAt").description, try row.uuid("_handout").description,
            "\(try row.int("_position"))",
        ]
    }

    /// The last three columns are the sort key, which is not sent to clients.
    static func shownColumns(_ rows: Rows) -> Int { rows.columns.count - 3 }
}
