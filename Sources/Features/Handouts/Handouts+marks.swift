import API
import Contract
import HTTPServer
import HTTPWire
import Postgres
import School
import Values

/// Marks: what a student's work is worth, for a handout as a whole or for one of its tasks.
///
/// What a teacher writes is a draft until it is given to the student. `SQL/policies/marks.sql` decides who reads it: the
/// author alone, also among those who teach the class together.
extension Handouts {
    var markEndpoints: [Endpoint] {
        let student = "/v1/handouts/{id}/students/{personId}"
        return [
            Endpoint(
                MarkCalls.list.method, MarkCalls.list.path,
                "List the marks of a handout, and your drafts",
                description: "Looking is noted, as with the report.",
                for: [.teacher], query: Endpoint.Parameter.page,
                answers: [.of(MarkCalls.list, "By student, then by task.")], handler: listMarks),
            Endpoint(
                MarkCalls.ofStudent.method, MarkCalls.ofStudent.path,
                "List how a handout and its tasks are marked, with a student's marks",
                description: "Students read their own marks. A teacher's look is noted.",
                for: [.teacher, .student], query: Endpoint.Parameter.page,
                answers: [
                    .of(
                        MarkCalls.ofStudent,
                        "The handout as a whole, then the tasks in their order; what is neither marked nor was is left out."
                    )
                ], handler: listStudentMarks),
        ] + endpoints(of: "\(student)/mark", "a handout")
            + endpoints(of: "\(student)/tasks/{taskId}/mark", "a task")
    }

    /// - Parameter marked: what is marked.
    private func endpoints(of path: String, _ marked: String) -> [Endpoint] {
        let mark = Endpoint.Answer.json("The mark.", .object(MarkShapes.mark)).tagged
        let stale = (status: 412, meaning: "It changed since you read it.")
        let closed = (status: 409, meaning: "The class is archived.")
        return [
            Endpoint(
                .get, path, "Find a student's mark for \(marked)",
                description: "The student and those who teach the class now see it.",
                for: [.teacher, .student], answers: [mark, .unchanged], handler: findMark),
            Endpoint(
                .put, path, "Give a student the mark that you drafted for \(marked)",
                description: """
                    It takes the place of the mark that the student has. `POST /v1/handouts/{id}/returns` gives several, \
                    with a note.
                    """,
                for: [.teacher], answers: [mark],
                problems: [
                    stale,
                    (
                        409,
                        "You have no draft, it no longer fits, somebody gave another mark since, the handout is not published, or the class is archived."
                    ),
                ], handler: giveMark),
            Endpoint(
                .delete, path, "Take a student's mark for \(marked) away", for: [.teacher],
                answers: [.empty(204, "The student does not see it any more.")],
                problems: [stale, closed], handler: takeMarkAway),
        ] + draftEndpoints(of: path + "/draft", marked, [stale, closed])
    }

    private func draftEndpoints(
        of path: String, _ marked: String, _ problems: [(status: Int, meaning: String)]
    ) -> [Endpoint] {
        let draft = Endpoint.Answer.json("The draft.", .object(MarkShapes.draft)).tagged
        return [
            Endpoint(
                .get, path, "Find your draft of a student's mark for \(marked)",
                for: [.teacher], answers: [draft, .unchanged], handler: findMarkDraft),
            Endpoint(
                .put, path, "Draft a student's mark for \(marked)",
                description: """
                    Only you see it, until you give it to the student. The mark that the student has stays until then.
                    """,
                for: [.teacher], body: .json(.object(MarkShapes.newDraft)), answers: [draft],
                problems: [problems[0]] + [
                    (409, "It is not marked, not published yet, or the class is archived.")
                ], handler: draftMark),
            Endpoint(
                .delete, path, "Discard your draft of a student's mark for \(marked)",
                for: [.teacher], answers: [.empty(204, "The draft is gone.")],
                problems: [problems[0]], handler: discardMarkDraft),
        ]
    }

    func listMarks(_ request: Request, caller: Caller) async throws -> Response {
        let id: HandoutID = try request.id("id")
        let page = try request.page()
        let found = try await database.query(.seen(id, of: caller.organizationID), as: caller)
        guard !found.isEmpty else { throw Problem.notFound }
        let statement = Statement.marks(
            at: id, caller, after: try MarkPosition(page), limit: page.limitPlusOne)
        let rows = try await database.query(page.of(statement), as: caller)
        await viewings.note(ViewedWork(at: id), as: caller)
        return try page.response(
            rows,
            key: {
                let marked = try $0.optionalUUID("task_id") ?? id.uuid
                return [try $0.uuid("person_id").description, marked.description]
            }, request: request)
    }

    func listStudentMarks(_ request: Request, caller: Caller) async throws -> Response {
        let path = try MarkPath(request)
        let page = try request.page()
        let found = try await database.query(.marked(path, caller), as: caller)
        guard let student = try found.first?.uuid("person_id") else { throw Problem.notFound }
        let statement = Statement.studentMarks(
            path, of: student, caller, after: try page.afterNumber(), limit: page.limitPlusOne)
        let rows = try await database.query(page.of(statement), as: caller)
        if caller.standing == .teacher {
            await viewings.note(ViewedWork(of: path.person, at: path.handout), as: caller)
        }
        return try page.response(
            rows, columns: rows.columns.count - 1, key: { [String(try $0.int("_position"))] },
            request: request)
    }

    func findMark(_ request: Request, caller: Caller) async throws -> Response {
        let path = try MarkPath(request)
        let found = try await database.query(.marked(path, caller), as: caller)
        guard let student = try found.first?.uuid("person_id") else { throw Problem.notFound }
        let rows = try await database.query(.mark(path, of: student, caller), as: caller)
        if caller.standing == .teacher, !rows.isEmpty {
            await viewings.note(ViewedWork(of: path.person, at: path.handout), as: caller)
        }
        return try .object(rows)
    }

    func findMarkDraft(_ request: Request, caller: Caller) async throws -> Response {
        let path = try MarkPath(request)
        let found = try await database.query(.marked(path, caller), as: caller)
        guard let student = try found.first?.uuid("person_id") else { throw Problem.notFound }
        return try .object(
            await database.query(.markDraft(path, of: student, caller), as: caller))
    }

    func draftMark(_ request: Request, caller: Caller) async throws -> Response {
        let path = try MarkPath(request)
        let body = try await request.body()
        let points = try Points(body.number("points") ?? 0, at: "/points")
        return try await database.transaction(as: caller) { session in
            let held = try await hold(path, session, caller)
            guard let maximum = held.maximum else { throw Problem.notMarked }
            if points > maximum {
                throw Problem.invalid(
                    "/points", "out_of_range", "There are \(maximum.text) points, and no more.")
            }
            let present = try await session.query(.markDraft(path, of: held.student, caller))
            try check(request, present)
            let drafted = try await session.query(
                .draftMark(
                    path, of: held.student, points, replacing: body.integer("replaces")))
            guard try drafted[0].bool("is_drafted") else { throw Problem.notFound }
            return try .object(await session.query(.markDraft(path, of: held.student, caller)))
        }
    }

    func discardMarkDraft(_ request: Request, caller: Caller) async throws -> Response {
        let path = try MarkPath(request)
        try await database.transaction(as: caller) { session in
            let found = try await session.query(.marked(path, caller))
            guard let student = try found.first?.uuid("person_id") else { throw Problem.notFound }
            let present = try await session.query(.markDraft(path, of: student, caller))
            guard !present.isEmpty else { throw Problem.notFound }
            try check(request, present)
            try await session.query(.removeMarkDraft(path, of: student, caller))
        }
        return .noContent
    }

    func giveMark(_ request: Request, caller: Caller) async throws -> Response {
        let path = try MarkPath(request)
        return try await database.transaction(as: caller) { session in
            let student = try await hold(path, session, caller).student
            try check(request, await session.query(.mark(path, of: student, caller)))
            let given = try await session.query(.giveMark(path, of: student))
            if let problem = Problem.ungiven[try given[0].text("outcome")] { throw problem }
            return try .object(await session.query(.mark(path, of: student, caller)))
        }
    }

    func takeMarkAway(_ request: Request, caller: Caller) async throws -> Response {
        let path = try MarkPath(request)
        try await database.transaction(as: caller) { session in
            let student = try await hold(path, session, caller).student
            let present = try await session.query(.mark(path, of: student, caller))
            guard !present.isEmpty else { throw Problem.notFound }
            try check(request, present)
            try await session.query(.takeMarkAway(path, of: student, caller))
        }
        return .noContent
    }

    /// Refuses a write unless its preconditions match what is there, or that nothing is.
    private func check(_ request: Request, _ present: Rows) throws {
        if let row = present.first {
            try request.checkMatch(version: try row.int("version"))
        } else if request.http.headers["if-match"] != nil {
            throw Problem.preconditionFailed
        }
    }

    /// What is to be marked, in a handout that stays as it is until the transaction ends: 404 if the caller does not see
    /// it, 409 where nothing changes any more, or not yet.
    private func hold(
        _ path: MarkPath, _ session: Session, _ caller: Caller
    ) async throws -> (student: UUID, maximum: Points?) {
        let found = try await session.query(.marked(path, caller, isChanging: true))
        guard let row = found.first else { throw Problem.notFound }
        if try row.bool("is_class_archived") { throw Problem.marksClosed }
        guard try row.bool("is_published") else { throw Problem.handoutNotPublished }
        let maximum = try row.optionalText("maximum_points").flatMap { Points(stored: $0) }
        return (try row.uuid("person_id"), maximum)
    }
}

// MARK: Problems

extension Problem {
    fileprivate static let marksClosed = Problem(
        409, "class_archived", "The class is archived, so its marks stay as they are.")

    fileprivate static let notMarked = Problem(
        409, "not_marked", "This is not marked.",
        detail: "First set `marking` of the handout or the task.")

    /// What to answer if a draft was not given, by the outcome of `give_mark`.
    fileprivate static let ungiven: [String: Problem] = [
        "absent": .notFound,
        "missing": Problem(
            409, "no_mark_draft", "You have not drafted a mark.",
            detail: "Write one first, with PUT …/mark/draft."),
        "unfit": Problem(
            409, "mark_unfit", "The draft does not fit how it is marked now.",
            detail: "There are fewer points than before, or no mark. The draft stays."),
        "changed": Problem(
            409, "mark_changed", "Another mark was given since you wrote the draft.",
            detail: "The draft stays. Read the mark, then write the draft again."),
    ]
}
