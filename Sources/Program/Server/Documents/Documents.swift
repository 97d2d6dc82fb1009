import API
import Archive
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

/// The service's API document and health checks.
struct Documents: Feature {
    package let meaning = "This document, and the health of the service."
    private let texts: Later<Texts>
    private let database: Database
    private let schema: SchemaVersion?

    /// What is made of all declarations. That takes a second and 20 MB, so it is made when it is first asked for.
    fileprivate struct Texts: Sendable {
        let document: Document
        let page: Document
        let style: Document
        let script: Document
    }

    /// - Parameters:
    ///   - features: all other features; this one adds itself.
    ///   - schema: the version the database should be at; `nil` accepts any.
    init(features: [any Feature], database: Database, schema: SchemaVersion?) {
        self.database = database
        self.schema = schema
        let own = Documents(database: database)
        texts = Later { Texts(of: features + [own]) }
    }

    private init(database: Database) {
        texts = Later { Texts(of: []) }
        self.database = database
        schema = nil
    }

    var endpoints: [Endpoint] {
        [
            Endpoint(
                open: .get, "/openapi.json", "Read the API document (OpenAPI 3.1)",
                answers: [.json("The document.", .anything).ranged.negotiated]
                    + Self.part(of: "application/json"),
                problems: Self.outOfRange, handler: showDocument),
            Endpoint(
                open: .get, "/docs", "Read the API document as a page",
                answers: [.bytes("The page.", ["text/html"]).ranged.negotiated]
                    + Self.part(of: "text/html"),
                problems: Self.outOfRange, handler: showPage),
            Endpoint(
                open: .get, "/docs/{name}", "Fetch a style sheet or script of the page",
                answers: [
                    .bytes("The file.", Self.assetTypes).ranged.negotiated,
                    .bytes("The part that Range asks for.", Self.assetTypes, status: 206).partial
                        .negotiated,
                    .unchanged.negotiated,
                ],
                problems: Self.outOfRange, handler: showAsset),
            Endpoint(
                open: .get, "/healthz", "Ask whether the process is alive",
                answers: [.json("The process is alive.", Self.health)], handler: showLife),
            Endpoint(
                open: .get, "/readyz",
                "Ask whether the database is reachable and migrated",
                answers: [.json("The service is ready.", Self.health)],
                problems: [(503, "The service is not ready.")], handler: showReadiness),
        ]
    }

    private static let assetTypes = ["text/css", "text/javascript"]

    private static func part(of mediaType: String) -> [Endpoint.Answer] {
        [
            .bytes("The part that Range asks for.", [mediaType], status: 206).partial.negotiated,
            .unchanged.negotiated,
        ]
    }

    private static let outOfRange = [(status: 416, meaning: "The file has nothing in this range.")]

    private static let health = Shape.fields("Health", [.required("status", .word(["ok"]))])

    private func showDocument(_ request: Request) async throws -> Response {
        await texts.value.document.response(to: request)
    }

    private func showPage(_ request: Request) async throws -> Response {
        await texts.value.page.response(to: request)
    }

    /// Returns the current file for any digest in the name, so that a page of another version gets it too.
    private func showAsset(_ request: Request) async throws -> Response {
        let name = request.path("name")
        let texts = await texts.value
        if name.hasPrefix("style-"), name.hasSuffix(".css") {
            return texts.style.response(to: request)
        }
        if name.hasPrefix("script-"), name.hasSuffix(".js") {
            return texts.script.response(to: request)
        }
        throw Problem.notFound
    }

    private func showLife(_ request: Request) async throws -> Response {
        .json(["status": "ok"])
    }

    /// How long the check may take before the service reports that it is not ready.
    private static let readinessMilliseconds = 1000

    /// A missing database is reported as in every call; a database without our schema lacks the function.
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

extension Documents.Texts {
    fileprivate init(of features: [any Feature]) {
        let value = OpenAPI(features: features, description: .homeroom).document
        document = Document(value.bytes, type: "application/json")
        style = Document(Array(DocumentPage.style.utf8), type: "text/css; charset=utf-8")
        script = Document(Array(DocumentPage.script.utf8), type: "text/javascript; charset=utf-8")
        let assets = DocumentPage.Assets(
            style: "style-\(style.digest).css", script: "script-\(script.digest).js")
        page = Document(
            DocumentPage.bytes(of: value, assets), type: "text/html; charset=utf-8",
            [ResponseField("Content-Security-Policy", Self.policy)])
    }

    /// Nothing inline, nothing from other origins, and no framing.
    private static let policy =
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'"
}

/// Bytes that stay the same while the process lives. They can be fetched whole or in part, compressed for clients
/// that accept gzip.
private struct Document {
    /// The digest of the bytes, for names that change with them.
    let digest: String
    private let plain: Response
    /// The gzipped bytes; `nil` if they could not be compressed.
    private let packed: Response?

    init(_ bytes: [UInt8], type: String, _ headers: [ResponseField] = []) {
        let digest = Base64.encodeURL(Array(SHA256.digest(bytes).bytes.prefix(12)))
        func response(_ bytes: [UInt8], _ tag: String, _ more: [ResponseField]) -> Response {
            Response(
                200,
                headers: [
                    ResponseField("Content-Type", type), ResponseField("Cache-Control", "no-cache"),
                    ResponseField("ETag", "\"\(tag)\""), ResponseField("Accept-Ranges", "bytes"),
                    ResponseField("Vary", "Accept-Encoding"),
                    ResponseField("X-Frame-Options", "DENY"),
                ] + more + headers, body: .bytes(bytes))
        }
        self.digest = digest
        plain = response(bytes, digest, [])
        packed = (try? GzipWriter.compress(bytes)).map {
            response($0, digest + "-gzip", [ResponseField("Content-Encoding", "gzip")])
        }
    }

    func response(to request: Request) -> Response {
        request.http.headers.takesGzip ? packed ?? plain : plain
    }
}
