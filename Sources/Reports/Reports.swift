import HTTPServer
import HTTPWire
import Postgres
import School

/// What teachers see of the work that they assigned, and students of their own.
///
/// Progress reaches a report through assignments only; row-level security sees to it, not this code.
package struct Reports: Feature {
    let database: Database

    package init(database: Database) {
        self.database = database
    }

    package var endpoints: [Endpoint] { handoutEndpoints + classEndpoints }

    static let forTeachers: [(status: Int, meaning: String)] = [
        (
            403,
            "Progress is seen by teachers only, and only through what was assigned in their classes."
        )
    ]

    /// Reports go over many rows and are not for the lane of the quick statements. No row: there is no such thing
    /// for the caller.
    func ask(_ statement: Statement, as caller: Caller) async throws -> Rows {
        let rows = try await database.longQuery(statement, as: caller)
        guard !rows.isEmpty else { throw Problem.notFound }
        return rows
    }

    /// The rows as JSON, or as CSV for whoever would rather have that.
    func answer(
        _ request: Request, _ rows: Rows, _ outline: ReportOutline, _ columns: [ReportTable.Column]
    ) throws -> Response {
        let response =
            request.prefersCSV
            ? try ReportTable(rows, outline, columns: columns).response([
                ResponseField("Content-Type", "text/csv; charset=utf-8; header=present"),
                ResponseField("Cache-Control", "no-store"),
                ResponseField("Content-Disposition", "attachment; filename=\"report.csv\""),
            ])
            : try answer(rows, outline)
        return response.varying(by: "Accept, Accept-Language")
    }

    func answer(_ rows: Rows, _ outline: ReportOutline) throws -> Response {
        try ReportDocument(rows, outline).response([
            ResponseField("Content-Type", "application/json"),
            ResponseField("Cache-Control", "no-store"),
        ])
    }
}

extension Request {
    /// Whether the client would rather have CSV than JSON (RFC 9110 section 12.5.1).
    fileprivate var prefersCSV: Bool {
        var weights: [String: Double] = [:]
        for part in http.headers.list("accept") {
            let pieces = part.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            guard let type = pieces.first else { continue }
            let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }
            weights[type] = weight.flatMap { Double($0.dropFirst(2)) } ?? 1
        }
        let rest = weights["*/*"] ?? 0
        let csv = weights["text/csv"] ?? weights["text/*"] ?? rest
        return csv > (weights["application/json"] ?? weights["application/*"] ?? rest)
    }
}
