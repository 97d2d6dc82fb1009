import API
import HTTPServer
import HTTPWire
import Metrics
import Postgres
import School

/// What teachers see of the work they assigned, and students of their own.
///
/// Progress reaches a report through assignments only; row-level security ensures this, not this code.
package struct Reports: Feature {
    package let meaning =
        "Progress on what was assigned, for teachers and for students themselves."
    let database: Database
    let live: LiveReports
    private let viewings: Viewings

    package init(database: Database, viewings: Viewings) {
        self.database = database
        self.viewings = viewings
        live = LiveReports(database)
    }

    package var endpoints: [Endpoint] {
        handoutEndpoints + liveEndpoints + classEndpoints + overviewEndpoints + newsEndpoints
            + appEndpoints + insightEndpoints
    }

    package func receive(_ event: Listener.Event) { live.receive(event) }

    package func endOpenAnswers() { live.close() }

    package func stop() { viewings.stop() }

    package func settle() async throws { await viewings.writeLate() }

    package func export(to metrics: inout Exposition) {
        metrics.gauge(
            "homeroom_live_reports", "Reports that are open and followed as they change.",
            live.count.value)
        viewings.export(to: &metrics)
    }

    static let forTeachers: [(status: Int, meaning: String)] = [
        (
            403,
            "Progress is seen by teachers only, and only through what was assigned in their classes."
        )
    ]

    static let forStudents: [(status: Int, meaning: String)] = [
        (403, "Only students have a report of their own.")
    ]

    /// Runs a report's query. Reports read many rows and do not belong on the lane for quick statements. No row means
    /// that the caller has no access to such a report.
    ///
    /// - Parameter work: what the caller looks at; `nil` if it is the caller's own.
    func ask(_ statement: Statement, showing work: ViewedWork?, as caller: Caller) async throws
        -> Rows
    {
        let rows = try await database.longQuery(statement, as: caller)
        guard !rows.isEmpty else { throw Problem.notFound }
        if let work { await viewings.note(work, as: caller) }
        return rows
    }

    /// The same, with the names that a file for people has if the client prefers CSV.
    func ask(
        _ statement: Statement, showing work: ViewedWork?, for request: Request, as caller: Caller,
        naming names: ReportNames
    ) async throws -> Rows {
        try await ask(
            request.prefersCSV ? .named(statement, by: names, for: caller) : statement,
            showing: work, as: caller)
    }

    /// The rows as JSON, or as CSV if the client prefers it.
    func answer(
        _ request: Request, _ rows: Rows, _ outline: ReportOutline, _ columns: [ReportTable.Column],
        next: Page.Next? = nil, position: String? = nil
    ) throws -> Response {
        let response =
            request.prefersCSV
            ? try ReportTable(rows, outline, columns: columns).response(
                [
                    ResponseField("Content-Type", "text/csv; charset=utf-8; header=present"),
                    ResponseField("Cache-Control", "no-store"),
                    .attachment(try ReportNames.file(rows, outline)),
                ] + (next.map { [$0.link] } ?? []))
            : try answer(rows, outline, next: next, position: position)
        return response.varying(by: "Accept, Accept-Language")
    }

    func answer(
        _ rows: Rows, _ outline: ReportOutline, next: Page.Next? = nil, position: String? = nil
    ) throws -> Response {
        try ReportDocument(rows, outline, nextPageToken: next?.token, position: position).response(
            [
                ResponseField("Content-Type", "application/json"),
                ResponseField("Cache-Control", "no-store"),
            ] + (next.map { [$0.link] } ?? []))
    }

    /// The parameters of a call that answers in pages.
    static func page(_ limit: String) -> [Endpoint.Parameter] {
        [
            .optional("limit", .integer(1...1000), limit),
            .optional(
                "pageToken", .text(1...2000), "Continues the list where the last page ended."),
        ]
    }
}
