import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

/// What the service says about itself: its API document and its health.
struct Documents: Feature {
    private let document: [UInt8]
    private let page: [UInt8]
    private let database: Database

    /// - Parameter features: all others; this one adds itself.
    init(features: [any Feature], database: Database) {
        self.database = database
        let own = Documents(database: database)
        let value = OpenAPI(features: features + [own]).document
        document = value.bytes
        page = DocumentPage.bytes(of: value)
    }

    private init(database: Database) {
        document = []
        page = []
        self.database = database
    }

    var endpoints: [Endpoint] {
        [
            Endpoint(
                open: .get, "/openapi.json", "The API document (OpenAPI 3.1).",
                answers: [.json("The document.", .anything)], handler: showDocument),
            Endpoint(
                open: .get, "/docs", "The API document as a page for people.",
                answers: [.bytes("The page.", ["text/html"])], handler: showPage),
            Endpoint(
                open: .get, "/healthz", "Whether the process is alive.",
                answers: [.json("It is.", Self.health)], handler: showLife),
            Endpoint(
                open: .get, "/readyz", "Whether the database is reachable and migrated.",
                answers: [.json("It is.", Self.health)],
                problems: [(503, "It is not.")], handler: showReadiness),
        ]
    }

    private static let health = Shape.fields("Health", [.required("status", .word(["ok"]))])

    private func showDocument(_ request: Request) async throws -> Response {
        var response = Response.json(document)
        response.headers[1] = ResponseField("Cache-Control", "no-cache")
        return response
    }

    private func showPage(_ request: Request) async throws -> Response {
        Response(
            200,
            headers: [
                ResponseField("Content-Type", "text/html; charset=utf-8"),
                ResponseField("Cache-Control", "no-cache"),
                ResponseField(
                    "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
                ResponseField("X-Content-Type-Options", "nosniff"),
            ], body: .bytes(page))
    }

    private func showLife(_ request: Request) async throws -> Response {
        .json(["status": "ok"])
    }

    /// What the question may take before the answer is no.
    private static let readinessMilliseconds = 1000

    /// No database is explained as everywhere; a database without our schema lacks the function.
    private func showReadiness(_ request: Request) async throws -> Response {
        let notMigrated = Problem(
            503, "not_migrated", "The database has not been migrated.",
            headers: [ResponseField("Retry-After", "5")])
        do {
            let rows = try await database.query(
                "select school.schema_digest() as digest",
                withinMilliseconds: Self.readinessMilliseconds)
            guard try rows[0].optionalBytes("digest") != nil else { throw notMigrated }
        } catch let error as PostgresError {
            // No function, no schema, or no right to it.
            let isAbsent = ["42883", "3F000", "42501"].contains(error.sqlState)
            throw isAbsent ? notMigrated : error
        }
        return .json(["status": "ok"])
    }
}
