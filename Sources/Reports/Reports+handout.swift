import HTTPWire
import School

/// Reports over one handout.
extension Reports {
    var handoutEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/handouts/{id}/report",
                "All tasks of a handout with all students, and the averages of the class.",
                for: [.teacher],
                answers: [.jsonOrCSV("The report; CSV has one line a cell.", .object(.report))],
                problems: Self.forTeachers, cost: 5, handler: report),
            Endpoint(
                .get, "/v1/handouts/{id}/students/{personId}",
                "Every attempt of one student at the tasks of a handout, with every item.",
                for: [.teacher],
                answers: [
                    .json("The attempts, the oldest first.", .object(.studentReport)).negotiated
                ],
                problems: Self.forTeachers, cost: 5, handler: attempts),
            Endpoint(
                .get, "/v1/handouts/{id}/tasks/{taskId}/items",
                "Every item of the students' latest attempts at a task, and what the class missed most.",
                for: [.teacher],
                answers: [
                    .jsonOrCSV("The items; CSV has one line a cell.", .object(.itemReport))
                ],
                problems: Self.forTeachers, cost: 5, handler: items),
        ]
    }

    private func report(_ request: Request, _ caller: Caller) async throws -> Response {
        let rows = try await ask(
            .report(of: request.id("id"), languages: request.languages), as: caller)
        return try answer(request, rows, .handout, .handout)
    }

    private func attempts(_ request: Request, _ caller: Caller) async throws -> Response {
        let student: Reference<PersonEntity> = try request.reference("personId")
        let rows = try await ask(
            .attempts(of: student, in: request.id("id"), languages: request.languages), as: caller)
        return try answer(rows, .attempts).varying(by: "Accept-Language")
    }

    private func items(_ request: Request, _ caller: Caller) async throws -> Response {
        let rows = try await ask(
            .items(
                of: request.id("taskId"), in: request.id("id"), languages: request.languages),
            as: caller)
        return try answer(request, rows, .items, .items)
    }
}
