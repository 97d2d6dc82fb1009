import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

/// What teachers see of the work that they assigned.
///
/// Progress reaches a report through assignments only; row-level security sees to it, not this code.
package struct Reports: Feature {
    let database: Database

    package init(database: Database) {
        self.database = database
    }

    private static let forTeachers =
        "Progress is seen by teachers only, and only through what was assigned in their classes."

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/handouts/{id}/report",
                "All tasks of a handout with all students, and the averages of the class.",
                for: [.teacher],
                answers: [.jsonOrCSV("The report; CSV has one line a cell.", .object(.report))],
                problems: [(403, Reports.forTeachers)], handler: report),
            Endpoint(
                .get, "/v1/handouts/{id}/students/{personId}",
                "Every attempt of one student at the tasks of a handout, with every item.",
                for: [.teacher],
                answers: [.json("The attempts, the oldest first.", .object(.studentReport))],
                problems: [(403, Reports.forTeachers)], handler: student),
        ]
    }

    private func report(_ request: Request, _ caller: Caller) async throws -> Response {
        let handout: HandoutID = try request.id("id")
        let rows = try await ask(.report(of: handout), as: caller)
        guard !rows.isEmpty else { throw Problem.notFound }
        let document = try ReportDocument.make(rows)
        let response =
            request.prefersCSV ? try ReportTable.response(document) : Response.json(document)
        return response.varying(by: "Accept")
    }

    private func student(_ request: Request, _ caller: Caller) async throws -> Response {
        let handout: HandoutID = try request.id("id")
        let person: Reference<PersonEntity> = try request.reference("personId")
        let rows = try await ask(.attempts(of: person, in: handout), as: caller)
        guard !rows.isEmpty else { throw Problem.notFound }
        return .json(try StudentReportDocument.make(rows))
    }

    /// Reports go over many rows and are not for the lane of the quick statements.
    private func ask(_ statement: Statement, as caller: Caller) async throws -> Rows {
        try await database.longQuery(statement, as: caller)
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
