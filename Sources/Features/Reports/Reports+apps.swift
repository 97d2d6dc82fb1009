import API
import HTTPWire
import Postgres
import School

/// What a class did in one app, over its handouts.
extension Reports {
    var appEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/classes/{id}/apps",
                "List the apps in which a class has tasks, with time and attempts",
                for: [.teacher], query: Period.parameters,
                answers: [
                    .jsonOrCSV("The apps; CSV has one line for each app.", .object(.classApps))
                ],
                problems: Self.forTeachers, cost: 5, reads: .replica, handler: apps),
            Endpoint(
                .get, "/v1/classes/{id}/apps/{bundleId}/report",
                "Read a class's report over its tasks in one app, newest handout first",
                for: [.teacher], query: Period.parameters,
                answers: [
                    .jsonOrCSV("The report; CSV has one line for each task.", .object(.appReport))
                ],
                problems: Self.forTeachers, cost: 5, reads: .replica, handler: app),
            Endpoint(
                .get, "/v1/classes/{id}/apps/{bundleId}/students",
                "Read each student's results in one app",
                for: [.teacher], query: Period.parameters,
                answers: [
                    .jsonOrCSV(
                        "The students; CSV has one line for each student.", .object(.appStudents))
                ],
                problems: Self.forTeachers, cost: 5, reads: .replica, handler: appStudents),
        ]
    }

    private func apps(_ request: Request, _ caller: Caller) async throws -> Response {
        let taught: Reference<ClassEntity> = try request.reference("id")
        let rows = try await ask(
            .apps(of: taught, in: Period(request), languages: request.languages),
            showing: ViewedWork(in: taught), for: request, as: caller,
            naming: ReportNames(taught: "r.id"))
        return try answer(request, rows, .apps, .apps)
    }

    private func app(_ request: Request, _ caller: Caller) async throws -> Response {
        let taught: Reference<ClassEntity> = try request.reference("id")
        let rows = try await ask(
            .report(
                of: request.path("bundleId"), in: taught, Period(request),
                languages: request.languages),
            showing: ViewedWork(in: taught), for: request, as: caller,
            naming: ReportNames(taught: "r.id"))
        return try answer(request, rows, .appReport, .appReport)
    }

    private func appStudents(_ request: Request, _ caller: Caller) async throws -> Response {
        let taught: Reference<ClassEntity> = try request.reference("id")
        let rows = try await ask(
            .students(
                of: request.path("bundleId"), in: taught, Period(request),
                languages: request.languages),
            showing: ViewedWork(in: taught), for: request, as: caller,
            naming: ReportNames(taught: "r.id", person: "r.person_id"))
        return try answer(request, rows, .appStudents, .appStudents)
    }
}
