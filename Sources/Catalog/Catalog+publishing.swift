import HTTPServer
import JSONBytes
import Postgres
import School

extension Catalog {
    /// Publishes all contexts of a call, or none, in every organization where the key verifies.
    func publish(_ request: Request) async throws -> Response {
        try await CatalogError.answering {
            try await developers.check(request)
            let body = try await request.json(maximumBytes: 8 << 20)
            let errors = Shape.object(CatalogShapes.contexts).check(body)
            if let error = errors.first {
                let count = body["contexts"]?.array?.count ?? 0
                throw count > 200
                    ? CatalogError(
                        status: 400, code: "TOO_MANY_CONTEXTS",
                        message: "A call takes at most 200 contexts.")
                    : CatalogError.invalidBody("\(error.pointer): \(error.detail)")
            }
            let contexts =
                try Fields(body.object ?? JSONObject()).objects("contexts")?
                .enumerated().map { try NewContext($1, at: "/contexts/\($0)") } ?? []
            try Catalog.checkTogether(contexts)
            for bundleID in Set(contexts.map(\.bundleID)).sorted() {
                let own = contexts.filter { $0.bundleID == bundleID }
                for caller in try await callers(request, bundleID) {
                    try await store(own, caller)
                }
            }
            return Response(201)
        }
    }

    /// All contexts of a call are of one app, so that the call is one transaction, and none is there twice.
    private static func checkTogether(_ contexts: [NewContext]) throws {
        guard Set(contexts.map(\.bundleID)).count == 1 else {
            throw CatalogError.invalidBody("/contexts: All contexts of a call are of one app.")
        }
        var seen: Set<[String]> = []
        for context in contexts {
            guard seen.insert(context.fullPath + [context.locale]).inserted else {
                throw CatalogError.invalidBody(
                    "/contexts: \(context.fullPath) stands there twice in \(context.locale).")
            }
        }
    }

    private func store(_ contexts: [NewContext], _ caller: Caller) async throws {
        let document = JSONDocument(JSONValue.array(contexts.map(\.document)).bytes)
        let environment = caller.environment.rawValue
        try await database.transaction(as: caller) { session in
            let orphans = try await session.query(
                .orphans(document, in: caller.organizationID, environment))
            if let orphan = orphans.first {
                throw CatalogError.parentNotFound(
                    [contexts[0].bundleID] + (try orphan.textArray("identifier_path")),
                    try orphan.text("locale"))
            }
            _ = try await session.query(.publish(document, in: caller.organizationID, environment))
            let crowded = try await session.query(
                .crowded(document, in: caller.organizationID, environment))
            if !crowded.isEmpty { throw CatalogError.tooManyChildren }
        }
    }

    func readContext(_ request: Request) async throws -> Response {
        try await CatalogError.answering {
            let (path, locale) = try Catalog.key(request)
            let callers = try await callers(request, path[0])
            for caller in callers {
                let rows = try await database.query(
                    .published(
                        path[0], Array(path.dropFirst()), locale, in: caller.organizationID,
                        caller.environment.rawValue), as: caller)
                if let row = rows.first { return .json(try row.text("body").utf8.map { $0 }) }
            }
            throw CatalogError.contextNotFound(path, locale)
        }
    }

    func withdraw(_ request: Request) async throws -> Response {
        try await CatalogError.answering {
            let (path, locale) = try Catalog.key(request)
            var isFound = false
            for caller in try await callers(request, path[0]) {
                let rows = try await database.query(
                    .withdraw(
                        path[0], Array(path.dropFirst()), locale, in: caller.organizationID,
                        caller.environment.rawValue), as: caller)
                isFound = isFound || rows.affected > 0
            }
            guard isFound else { throw CatalogError.contextNotFound(path, locale) }
            return .noContent
        }
    }

    /// The developer as callers, in the environment that the query names.
    private func callers(_ request: Request, _ bundleID: String) async throws -> [Caller] {
        let environment = request.query("environment").flatMap(Environment.init(rawValue:))
        return try await developers.callers(request, bundleID: bundleID).map {
            Caller(
                organizationID: $0.organizationID, personID: nil, standings: [.developer],
                environment: environment ?? .production, team: $0.team)
        }
    }

    /// The identifier path with the bundle id, and the locale.
    private static func key(_ request: Request) throws -> (path: [String], locale: String) {
        guard let text = request.query("identifierPath"),
            let path = try? JSONValue(parsing: text),
            CatalogShapes.path.check(path).isEmpty, let elements = path.array?.compactMap(\.text)
        else {
            throw CatalogError.invalidParameter(
                "identifierPath should be a JSON array of 1 to 8 identifiers.")
        }
        return (elements, NewContext.normal(locale: request.query("locale") ?? ""))
    }
}
