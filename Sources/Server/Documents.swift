import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

/// What the service says about itself: its API document and its health.
struct Documents: Feature {
    private let document: Document
    private let page: Document
    private let database: Database

    /// - Parameter features: all others; this one adds itself.
    init(features: [any Feature], database: Database) {
        self.database = database
        let own = Documents(database: database)
        let value = OpenAPI(features: features + [own]).document
        document = Document(value.bytes, type: "application/json")
        page = Document(
            DocumentPage.bytes(of: value), type: "text/html; charset=utf-8",
            [
                ResponseField(
                    "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
                ResponseField("X-Content-Type-Options", "nosniff"),
            ])
    }

    private init(database: Database) {
        document = Document([], type: "application/json")
        page = Document([], type: "text/html")
        self.database = database
    }

    var endpoints: [Endpoint] {
        [
            Endpoint(
                open: .get, "/openapi.json", "The API document (OpenAPI 3.1).",
                answers: [.json("The document.", .anything).ranged]
                    + Self.part(of: "application/json"),
                problems: Self.outOfRange, handler: showDocument),
            Endpoint(
                open: .get, "/docs", "The API document as a page for people.",
                answers: [.bytes("The page.", ["text/html"]).ranged] + Self.part(of: "text/html"),
                problems: Self.outOfRange, handler: showPage),
            Endpoint(
                open: .get, "/healthz", "Whether the process is alive.",
                answers: [.json("It is.", Self.health)], handler: showLife),
            Endpoint(
                open: .get, "/readyz", "Whether the database is reachable and migrated.",
                answers: [.json("It is.", Self.health)],
                problems: [(503, "It is not.")], handler: showReadiness),
        ]
    }

    private static func part(of mediaType: String) -> [Endpoint.Answer] {
        [
            .bytes("The part that Range asks for.", [mediaType], status: 206).partial,
            .unchanged,
        ]
    }

    private static let outOfRange = [(status: 416, meaning: "There is nothing in the range.")]

    private static let health = Shape.fields("Health", [.required("status", .word(["ok"]))])

    private func showDocument(_ request: Request) async throws -> Response { document.response }

    private func showPage(_ request: Request) async throws -> Response { page.response }

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

/// Bytes that stay the same while the process lives, to be had whole or in part.
private struct Document {
    let response: Response

    init(_ bytes: [UInt8], type: String, _ headers: [ResponseField] = []) {
        let digest = Base64.encodeURL(Array(SHA256.digest(bytes).bytes.prefix(12)))
        response = Response(
            200,
            headers: [
                ResponseField("Content-Type", type), ResponseField("Cache-Control", "no-cache"),
                ResponseField("ETag", "\"\(digest)\""), ResponseField("Accept-Ranges", "bytes"),
            ] + headers, body: .bytes(bytes))
    }
}
