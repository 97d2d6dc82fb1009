import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

extension Catalog {
    func listApps(_ request: Request, caller: Caller) async throws -> Response {
        let page = try request.page()
        let rows = try await database.query(
            .apps(
                in: caller.organizationID, Catalog.environment(request, caller),
                languages: request.languages, after: page.after(0),
                limit: page.limitPlusOne), as: caller)
        return try page.response(rows, key: { [try $0.text("bundleId")] }, request: request)
            .varying(by: "Accept-Language")
    }

    func listChildren(_ request: Request, caller: Caller) async throws -> Response {
        let page = try request.page()
        let path = try Catalog.path(request)
        let environment = Catalog.environment(request, caller)
        let bundleID = request.path("bundleId")
        let parents = try await database.query(
            .exists(bundleID, path, in: caller.organizationID, environment), as: caller)
        guard !parents.isEmpty else { throw Problem.notFound }
        let rows = try await database.query(
            .children(
                of: path, app: bundleID, in: caller.organizationID, environment,
                languages: request.languages, after: try Catalog.place(page),
                limit: page.limitPlusOne), as: caller)
        return try page.response(
            rows,
            key: { row in
                ["\(try row.double("displayOrder"))"] + (try row.textArray("identifierPath"))
            }, request: request
        ).varying(by: "Accept-Language")
    }

    /// Where the page before ended: the display order, then the path.
    private static func place(_ page: Page) throws -> (order: Double, path: [String])? {
        guard let text = page.after(0) else { return nil }
        guard let order = Double(text) else {
            throw Problem.invalidParameter("pageToken", "This token was not made by this list.")
        }
        return (order, Array(page.after.dropFirst()))
    }

    private static func environment(_ request: Request, _ caller: Caller) -> String {
        request.query("environment") ?? caller.environment.rawValue
    }

    private static func path(_ request: Request) throws -> [String] {
        guard let text = request.query("path") else { return [] }
        let shape = Shape.array(.text(1...256), count: 0...7)
        guard let value = try? JSONValue(parsing: text), shape.check(value).isEmpty else {
            throw Problem.invalidParameter("path", "It should be a JSON array of identifiers.")
        }
        return value.array?.compactMap(\.text) ?? []
    }
}
