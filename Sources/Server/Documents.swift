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
    private let schema: SchemaVersion?

    /// - Parameters:
    ///   - features: all others; this one adds itself.
    ///   - schema: what the database should be at; `nil` where anything will do.
    init(features: [any Feature], database: Database, schema: SchemaVersion?) {
        self.database = database
        self.schema = schema
        let own = Documents(database: database)
        let value = OpenAPI(features: features + [own]).document
        document = Document(value.bytes, type: "application/json")
        page = Document(
            DocumentPage.bytes(of: value), type: "text/html; charset=utf-8",
            [
                ResponseField(
                    "Content-Security-Policy",
                    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
                        + "form-action 'none'; frame-ancestors 'none'"),
                ResponseField("X-Content-Type-Options", "nosniff"),
            ])
    }

    private init(database: Database) {
        document = Document([], type: "application/json")
        page = Document([], type: "text/html")
        self.database = database
        schema = nil
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
                open: .get, "/readyz",
                "Whether the database is reachable and at a schema that this version can serve.",
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
        let waiting = [ResponseField("Retry-After", "5")]
        let notMigrated = Problem(
            503, "not_migrated", "The database has not been migrated.", headers: waiting)
        do {
            let digest = try await ask(.schemaDigest)[0].optionalBytes("digest")
            guard let digest else { throw notMigrated }
            guard let schema, digest != schema.digest else { return .json(["status": "ok"]) }
            switch try schema.standing(try await ask(.appliedSchema)[0]) {
            case .same, .redefined, .besides: return .json(["status": "ok"])
            case .older: throw notMigrated
            case .newer:
                throw Problem(
                    503, "newer_schema", "The database was made by a newer version.",
                    detail: "This server cannot serve beside that version; start the newer one.",
                    headers: waiting)
            }
        } catch let error as PostgresError {
            throw error.isSchemaMissing ? notMigrated : error
        }
    }

    private func ask(_ statement: Statement) async throws -> Rows {
        try await database.query(statement, withinMilliseconds: Self.readinessMilliseconds)
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
                ResponseField("X-Frame-Options", "DENY"),
            ] + headers, body: .bytes(bytes))
    }
}
