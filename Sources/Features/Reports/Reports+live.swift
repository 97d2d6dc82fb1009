import API
import HTTPServer
import HTTPWire
import Postgres
import School

/// Reports that are followed as they change.
extension Reports {
    var liveEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/handouts/{id}/report/events",
                "Follow a handout's report: an event for each change",
                for: [.teacher],
                query: [
                    .optional(
                        "after", .text(1...100),
                        "The `position` of the report that you have. If it has changed since, you get "
                            + "an event at once. The header field Last-Event-ID, which clients send when "
                            + "they connect again, comes before it.")
                ],
                answers: [
                    .bytes(
                        "Server-sent events, at most one a second. Each has the new position as its id, "
                            + "and says no more: read the report. The answer ends with your right to "
                            + "read the report.", ["text/event-stream"])
                ],
                problems: Self.forTeachers + [
                    (429, "You have 10 live reports open (`too_many_live_reports`)."),
                    (503, "Too many live reports are open (`live_reports_full`)."),
                ], cost: 5, handler: events)
        ]
    }

    private func events(_ request: Request, _ caller: Caller) async throws -> Response {
        let handout: HandoutID = try request.id("id")
        guard !live.isClosed else { throw Problem.liveReportsFull }
        let place = try live.count.enter(caller)
        // First, so that no change falls between the reading and the watch.
        _ = try await database.query(.watch(handout), as: caller)
        let languages = request.languages
        let position = ReportPosition.text(
            of: try await ask(
                .report(of: handout, languages: languages), showing: ViewedWork(at: handout),
                as: caller))
        let known = request.http.headers["last-event-id"] ?? request.query("after")
        let key = LiveReport.Key(
            organization: caller.organizationID, person: caller.personID, handout: handout,
            environment: caller.environment, languages: languages)
        return Response(
            200,
            headers: [
                ResponseField("Content-Type", "text/event-stream"),
                ResponseField("Cache-Control", "no-store"),
                // Proxies such as nginx pass events on as they come.
                ResponseField("X-Accel-Buffering", "no"),
            ],
            body: .stream(length: nil) { [live] writer in
                try await live.follow(
                    key, as: caller, from: known, at: position, place, to: writer)
            })
    }
}
