import API
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

extension Catalog {
    /// Those who give handouts, and those who manage what handouts refer to.
    private static let browsers: [Standing] = [.teacher, .administrator, .contentManager]

    var browsingEndpoints: [Endpoint] {
        let environment = Endpoint.Parameter.optional(
            "environment", .word(Environment.allCases.map(\.rawValue)),
            "The environment; the token's own when absent.")
        return [
            Endpoint(
                .get, "/v1/catalog/apps", "List apps that have contexts", for: Catalog.browsers,
                query: Endpoint.Parameter.page + [environment],
                answers: [.page("The apps.", of: CatalogShapes.browsedContext).negotiated],
                reads: .replica, handler: listApps),
            Endpoint(
                .get, "/v1/catalog/apps/{bundleId}/contexts",
                "List the contexts below a context, in display order",
                for: Catalog.browsers,
                query: Endpoint.Parameter.page + [
                    environment,
                    .optional(
                        "path", .text(2...4000),
                        "A JSON array that begins below the app; [] is the app itself."),
                ],
                answers: [.page("The children.", of: CatalogShapes.browsedContext).negotiated],
                reads: .replica, handler: listChildren),
            Endpoint(
                .get, "/v1/catalog/search",
                "Search contexts, best match first",
                for: Catalog.browsers,
                query: Endpoint.Parameter.page + [environment] + Catalog.searchParameters,
                answers: [.page("The contexts.", of: CatalogShapes.browsedContext).negotiated],
                reads: .replica, handler: search),
            Endpoint(
                .get, "/v1/catalog/contexts/{id}/thumbnail", "Find the thumbnail of a context",
                for: Catalog.browsers + [.student],
                answers: [
                    .bytes("At most 330 pixels on a side.", ["image/png", "image/jpeg"]).tagged,
                    .unchanged,
                ], handler: showPicture),
        ]
    }

    private static let searchParameters: [Endpoint.Parameter] = [
        .required(
            "q", .text(1...256), "At most ten words, each the beginning of a word of the context."),
        .optional("bundleId", CatalogShapes.bundleID, "Only contexts of this app."),
        .optional(
            "topic", .word(CatalogShapes.topics), "Only contexts that have or inherit this topic."),
        .optional("age", .integer(0...150), "Only contexts suggested for this age, in years."),
        .optional(
            "minutesMax", .integer(1...1_000_000),
            "Only contexts that can be completed in this many minutes, as suggested."),
        .optional(
            "kind", .word(CatalogShapes.kinds), "Only contexts that report this kind of progress."),
    ]

    func listApps(_ request: Request, caller: Caller) async throws -> Response {
        let page = try request.page()
        let rows = try await database.query(
            page.of(
                .apps(
                    in: caller.organizationID, Catalog.environment(request, caller),
                    languages: request.languages, after: page.after(0),
                    limit: page.limitPlusOne)), as: caller)
        return try page.response(rows, key: { [try $0.text("bundle_id")] }, request: request)
            .varying(by: "Accept-Language")
    }

    func listChildren(_ request: Request, caller: Caller) async throws -> Response {
        let page = try request.page()
        let path = try ContextPath.read(request)
        let environment = Catalog.environment(request, caller)
        let bundleID = request.path("bundleId")
        let parents = try await database.query(
            .isThere(bundleID, path, environment), as: caller)
        guard try parents[0].bool("is_there") else { throw Problem.notFound }
        let rows = try await database.query(
            page.of(
                .children(
                    of: path, app: bundleID, in: caller.organizationID, environment,
                    languages: request.languages, after: try ContextPath.position(page),
                    limit: page.limitPlusOne)), as: caller)
        return try page.response(rows, key: ContextPath.key, request: request)
            .varying(by: "Accept-Language")
    }

    func search(_ request: Request, caller: Caller) async throws -> Response {
        let page = try request.page()
        let query = CatalogQuery(
            words: request.query("q") ?? "", environment: Catalog.environment(request, caller),
            bundleID: request.query("bundleId"), topic: request.query("topic"),
            age: request.queryInteger("age"), minutesMax: request.queryInteger("minutesMax"),
            kind: request.query("kind"), languages: request.languages)
        let rows = try await database.longQuery(
            page.of(
                .found(
                    by: query, in: caller.organizationID, after: try Catalog.position(page),
                    limit: page.limitPlusOne)), as: caller)
        return try page.response(
            rows, columns: rows.columns.count - 1,
            key: { ["\(try $0.double("rank"))", try $0.uuid("id").description] }, request: request
        ).varying(by: "Accept-Language")
    }

    /// The position at which the previous page of a search ended: the rank, then the id.
    private static func position(_ page: Page) throws -> (rank: Double, id: UUID)? {
        guard let text = page.after(0) else { return nil }
        guard let rank = Double(text), let id = page.after(1).flatMap({ UUID($0) }) else {
            throw Problem.invalidParameter(
                "pageToken", "This page token does not belong to this list.")
        }
        return (rank, id)
    }

    func showPicture(_ request: Request, caller: Caller) async throws -> Response {
        guard let id = UUID(request.path("id")) else { throw Problem.notFound }
        let rows = try await database.query(
            .picture(of: "\(id)", in: caller.organizationID), as: caller)
        guard let row = rows.first else { throw Problem.notFound }
        return try .picture(row)
    }

    private static func environment(_ request: Request, _ caller: Caller) -> String {
        request.query("environment") ?? caller.environment.rawValue
    }
}

extension Response {
    /// The picture in a row, tagged by its digest.
    static func picture(_ row: Row) throws -> Response {
        let bytes = try row.bytes("bytes")
        return Response(
            200,
            headers: [
                ResponseField("Content-Type", try row.text("media_type")),
                ResponseField("Cache-Control", "private, no-cache"),
                ResponseField("ETag", "\"\(Base64.encodeURL(SHA256.digest(bytes).bytes))\""),
            ], body: .bytes(bytes))
    }
}

/// Identifier paths in queries, and positions in lists of children.
enum ContextPath {
    /// The query's `path`, below the app; empty for the app itself if it is absent.
    static func read(_ request: Request) throws -> [String] {
        guard let text = request.query("path") else { return [] }
        let shape = Shape.array(.text(1...256), count: 0...7)
        guard let value = try? JSONValue(parsing: text), shape.check(value).isEmpty else {
            throw Problem.invalidParameter("path", "It should be a JSON array of identifiers.")
        }
        return value.array?.compactMap(\.text) ?? []
    }

    /// The sort key of a child: the display order, then the path.
    static func key(_ row: Row) throws -> [String] {
        ["\(try row.double("display_order"))"] + (try row.textArray("identifier_path"))
    }

    /// The position at which the previous page ended.
    static func position(_ page: Page) throws -> (order: Double, path: [String])? {
        guard let text = page.after(0) else { return nil }
        guard let order = Double(text) else {
            throw Problem.invalidParameter(
                "pageToken", "This page token does not belong to this list.")
        }
        return (order, Array(page.after.dropFirst()))
    }
}
