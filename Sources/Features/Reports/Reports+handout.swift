import API
import HTTPWire
import Postgres
import School

/// Reports on one handout.
extension Reports {
    var handoutEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/handouts/{id}/report",
                "Read a handout's report: tasks, students, class averages",
                description:
                    "Looking is noted: students see who looked at their work, and on which day.",
                for: [.teacher],
                answers: [
                    .jsonOrCSV("The report; CSV has one line for each cell.", .object(.report))
                ],
                problems: Self.forTeachers, cost: 5, reads: .replica, handler: report),
            Endpoint(
                .get, "/v1/handouts/{id}/students/{personId}",
                "Read every attempt of one student at a handout",
                description:
                    "Looking is noted: students see who looked at their work, and on which day.",
                for: [.teacher], query: Self.attemptsPage, answers: [Self.attemptsAnswer],
                problems: Self.forTeachers, cost: 5, reads: .replica, handler: attempts),
            Endpoint(
                .get, "/v1/me/handouts/{id}/attempts",
                "Read your attempts at a handout",
                for: [.student], query: Self.attemptsPage, answers: [Self.attemptsAnswer],
                problems: Self.forStudents, cost: 5, reads: .replica, handler: ownAttempts),
            Endpoint(
                .get, "/v1/handouts/{id}/tasks/{taskId}/items",
                "Read the items of a task, and which the class missed most",
                for: [.teacher],
                query: Self.page(
                    "How many items at most; 100 when absent. A page of a large class is shorter."),
                answers: [
                    .jsonOrCSV(
                        "A page of the items; CSV has one line a cell. Without a page token you get "
                            + "the first one; `nextPageToken`, or the field Link, says that there are more.",
                        .object(.itemReport)
                    ).paged
                ],
                problems: Self.forTeachers, cost: 5, reads: .replica, handler: items),
        ]
    }

    private static let attemptsPage = page(
        "How many attempts at most; 100 when absent. A page with many items is shorter.")

    private static let attemptsAnswer = Endpoint.Answer.json(
        "A page of the attempts, by task and the oldest first. Without a page token you get the "
            + "first one; `nextPageToken` says that there are more.",
        .object(.studentReport)
    ).paged.negotiated

    private func report(_ request: Request, _ caller: Caller) async throws -> Response {
        let handout: HandoutID = try request.id("id")
        let rows = try await ask(
            .report(of: handout, languages: request.languages), showing: ViewedWork(at: handout),
            for: request, as: caller,
            naming: ReportNames(handout: "r.id", person: "r.person_id"))
        return try answer(
            request, rows, .handout, .handout, position: ReportPosition.text(of: rows))
    }

    private func attempts(_ request: Request, _ caller: Caller) async throws -> Response {
        let student: Reference<PersonEntity> = try request.reference("personId")
        let work = ViewedWork(of: student, at: try request.id("id"))
        return try await attempts(of: student, showing: work, request, caller)
    }

    private func attempts(
        of student: Reference<PersonEntity>, showing work: ViewedWork?, _ request: Request,
        _ caller: Caller
    ) async throws -> Response {
        let page = try request.page()
        let rows = try await ask(
            .attempts(
                of: student, in: request.id("id"), after: AttemptPosition(page), limit: page.limit,
                languages: request.languages),
            showing: work, as: caller)
        return try answer(
            rows, .attempts, next: page.next(after: rows, key: AttemptPosition.key, of: request)
        ).varying(by: "Accept-Language")
    }

    private func ownAttempts(_ request: Request, _ caller: Caller) async throws -> Response {
        guard let own = caller.personID else { throw Problem.notFound }
        return try await attempts(of: .id(own), showing: nil, request, caller)
    }

    private func items(_ request: Request, _ caller: Caller) async throws -> Response {
        let page = try request.page()
        let handout: HandoutID = try request.id("id")
        let rows = try await ask(
            .items(
                of: request.id("taskId"), in: handout, after: ItemPosition(page),
                limit: page.limit, languages: request.languages),
            showing: ViewedWork(at: handout), for: request, as: caller,
            naming: ReportNames(
                handout: "r.id", task: "r.task_id", person: "r.person_id"))
        return try answer(
            request, rows, .items, .items,
            next: page.next(after: rows, key: ItemPosition.key, of: request))
    }
}
