import API
import HTTPWire
import Postgres
import School

/// Reports across handouts.
extension Reports {
    var classEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/classes/{id}/report",
                "Read a class's report over its handouts, newest first",
                description:
                    "Looking is noted: students see who looked at their work, and on which day.",
                for: [.teacher],
                query: Period.parameters + [
                    .optional(
                        "since", .timestamp,
                        "Only handouts whose part of the report may have changed since then.")
                ],
                answers: [
                    .jsonOrCSV("The report; CSV has one line for each task.", .object(.classReport))
                ],
                problems: Self.forTeachers, cost: 5, reads: .replica, handler: taught),
            Endpoint(
                .get, "/v1/classes/{id}/students/{personId}/report",
                "Read one student's report over a class's handouts",
                description:
                    "Looking is noted: students see who looked at their work, and on which day.",
                for: [.teacher], query: Period.parameters,
                answers: [
                    .jsonOrCSV("The report; CSV has one line for each task.", .object(.ownReport))
                ],
                problems: Self.forTeachers, cost: 5, reads: .replica, handler: student),
            Endpoint(
                .get, "/v1/me/report",
                "Read your results for every task you have or had",
                for: [.student], query: Period.parameters,
                answers: [
                    .jsonOrCSV("The report; CSV has one line for each task.", .object(.ownReport))
                ],
                problems: Self.forStudents, cost: 5,
                reads: .replica, handler: own),
        ]
    }

    private func taught(_ request: Request, _ caller: Caller) async throws -> Response {
        let taught: Reference<ClassEntity> = try request.reference("id")
        let rows = try await ask(
            .report(
                of: taught, in: Period(request), since: request.queryTimestamp("since"),
                languages: request.languages),
            showing: ViewedWork(in: taught), for: request, as: caller,
            naming: ReportNames(taught: "r.id"))
        return try answer(request, rows, .taught, .taught)
    }

    private func student(_ request: Request, _ caller: Caller) async throws -> Response {
        let student: Reference<PersonEntity> = try request.reference("personId")
        let taught: Reference<ClassEntity> = try request.reference("id")
        let rows = try await ask(
            .report(
                of: student, in: taught, Period(request), for: caller,
                languages: request.languages),
            showing: ViewedWork(of: student, in: taught), for: request, as: caller,
            naming: .student)
        return try answer(request, rows, .student, .student)
    }

    private func own(_ request: Request, _ caller: Caller) async throws -> Response {
        let rows = try await ask(
            .ownReport(Period(request), for: caller, languages: request.languages), showing: nil,
            for: request, as: caller, naming: .student)
        return try answer(request, rows, .student, .student)
    }
}
