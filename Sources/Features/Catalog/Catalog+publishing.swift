import API
import HTTPServer
import JSONBytes
import Postgres
import School

extension Catalog {
    /// Publishes all contexts of a call, or none, in every organization whose registered key verifies the token.
    func publish(_ request: Request) async throws -> Response {
        try await CatalogError.answering {
            let developer = try await developers.developer(request)
            let body = try await request.json(maximumBytes: 8 << 20)
            if (body["contexts"]?.array?.count ?? 0) > 200 { throw CatalogError.tooManyContexts }
            if let error = Shape.object(CatalogShapes.contexts).check(body).first {
                throw CatalogError.invalidBody("\(error.pointer): \(error.detail)")
            }
            let contexts =
                try Fields(body.object ?? JSONObject()).objects("contexts")?
                .enumerated().map { try NewContext($1, at: $0) } ?? []
            try Catalog.checkTogether(contexts)
            try developer.check(mayPublish: Set(contexts.map(\.bundleID)))
            try await store(contexts, of: developer, Catalog.environment(request))
            return Response(201)
        }
    }

    /// Refuses a context that appears twice.
    private static func checkTogether(_ contexts: [NewContext]) throws {
        var seen: Set<[String]> = []
        for context in contexts {
            guard seen.insert(context.fullPath + [context.locale]).inserted else {
                throw CatalogError.invalidBody(
                    "/contexts: \(CatalogError.describe(context.fullPath)) is listed twice in "
                        + "\(context.locale).")
            }
        }
    }

    /// Writes the contexts of an app in every organization that registered it. An organization that refuses them (it
    /// registered the key later and has no parents yet) is skipped if another one accepts them, so that none blocks
    /// the others. If no organization accepts an app's contexts, that is an error, and nothing is written.
    private func store(
        _ contexts: [NewContext], of developer: Developer, _ environment: Environment
    ) async throws {
        let documents = Dictionary(grouping: contexts, by: \.bundleID)
            .mapValues { JSONDocument(Catalog.array(of: $0)) }
            .sorted { $0.key < $1.key }
        var taken: Set<String> = []
        var mistakes: [String: String] = [:]
        try await database.transaction(as: developer, environment) { session, registration in
            for (bundleID, document) in documents
            where registration.bundleIDs.contains(bundleID) {
                let rows = try await session.query(
                    .offer(document, environment, keyDigest: registration.keyDigest))
                if let mistake = try rows[0].optionalText("mistake") {
                    mistakes[bundleID] = mistakes[bundleID] ?? mistake
                } else {
                    taken.insert(bundleID)
                }
            }
        } beforeCommit: {
            for (bundleID, mistake) in mistakes where !taken.contains(bundleID) {
                throw CatalogError(mistake: try JSONValue(parsing: mistake))
            }
        }
    }

    private static func array(of contexts: [NewContext]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for context in contexts { writer.raw(context.document) }
        writer.endArray()
        return writer.bytes
    }

    func readContext(_ request: Request) async throws -> Response {
        try await CatalogError.answering {
            let (path, locale) = try Catalog.key(request)
            let environment = Catalog.environment(request)
            let developer = try await developers.developer(request)
            try developer.check(mayPublish: [path[0]])
            for registration in developer.registrations(in: environment)
            where registration.bundleIDs.contains(path[0]) {
                let rows = try await database.query(
                    .published(
                        path[0], Array(path.dropFirst()), locale,
                        in: registration.organizationID, environment),
                    as: developer.caller(in: registration, environment))
                if let row = rows.first {
                    var writer = JSONWriter()
                    writer.document(Array(try row.text("body").utf8))
                    return .json(writer.bytes)
                }
            }
            throw CatalogError.contextNotFound(path, locale)
        }
    }

    func withdraw(_ request: Request) async throws -> Response {
        try await CatalogError.answering {
            let (path, locale) = try Catalog.key(request)
            let environment = Catalog.environment(request)
            let developer = try await developers.developer(request)
            try developer.check(mayPublish: [path[0]])
            var count = 0
            try await database.transaction(as: developer, environment) { session, registration in
                guard registration.bundleIDs.contains(path[0]) else { return }
                let rows = try await session.query(
                    .withdraw(path[0], Array(path.dropFirst()), locale, environment))
                count += try rows[0].int("count")
            }
            guard count > 0 else { throw CatalogError.contextNotFound(path, locale) }
            return .noContent
        }
    }

    /// The query's environment, which the endpoint requires.
    static func environment(_ request: Request) -> Environment {
        request.query("environment").flatMap(Environment.init(rawValue:)) ?? .production
    }

    /// The identifier path with the bundle id, and the locale.
    private static func key(_ request: Request) throws -> (path: [String], locale: String) {
        guard let text = request.query("identifierPath"),
            let path = try? JSONValue(parsing: text),
            CatalogShapes.path.check(path).isEmpty, let elements = path.array?.compactMap(\.text)
        else {
            throw CatalogError.invalidParameter(
                "identifierPath: It should be a JSON array of 1 to 8 identifiers.")
        }
        return (elements, NewContext.normal(locale: request.query("locale") ?? ""))
    }
}
