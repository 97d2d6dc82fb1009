import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

extension Licences {
    var appEndpoints: [Endpoint] {
        let app = Shape.object(LicenceShapes.app)
        let stale = (status: 412, meaning: "It changed since you read it.")
        let devices = (status: 409, meaning: "Devices hold licences of what would not be for them.")
        return [
            Endpoint(
                .get, "/v1/apps", "List the apps and books", for: Self.standings,
                query: Self.appFilters + Endpoint.Parameter.page,
                answers: [.page("In the order of their adamIds.", of: LicenceShapes.app)],
                handler: listApps),
            Endpoint(
                .post, "/v1/apps", "Create an app or a book", for: Self.standings,
                body: .json(.object(LicenceShapes.newApp)),
                answers: [.json("The new app.", app, status: 201).tagged.located],
                problems: [(409, "It exists already.")], handler: addApp),
            Endpoint(
                .get, "/v1/apps/{adamId}", "Find an app and its seat counts", for: Self.standings,
                answers: [.json("The app.", app).tagged, .unchanged], handler: findApp),
            Endpoint(
                .put, "/v1/apps/{adamId}", "Create or replace an app", for: Self.standings,
                body: .json(.object(LicenceShapes.appReplacement)),
                answers: [
                    .json("Replaced.", app).tagged, .json("Created.", app, status: 201).tagged,
                ], problems: [devices, stale], handler: putApp),
            Endpoint(
                .patch, "/v1/apps/{adamId}", "Change fields of an app", for: Self.standings,
                body: .json(.object(LicenceShapes.appChange)),
                answers: [.json("As it is now.", app).tagged], problems: [devices, stale],
                handler: changeApp),
            Endpoint(
                .delete, "/v1/apps/{adamId}", "Remove an app that has no assigned licences",
                for: Self.standings, answers: [.empty(204, "Removed.")],
                problems: [(409, "Licences of this app are assigned."), stale], handler: removeApp),
        ]
    }

    private static let appFilters: [Endpoint.Parameter] = [
        .optional("productType", .word(["App", "Book"]), "Only apps, or only books."),
        .optional("deviceAssignable", .boolean, "Only what devices can hold, or cannot."),
        .optional("revocable", .boolean, "Only what can be given back, or cannot."),
        .optional("worksWithSchoolwork", .boolean, "Only what publishes contexts, or does not."),
        .optional("bundleId", .text(1...255), "Only with this bundle id."),
        .optional("locationId", .reference, "Only what this location has a pool of."),
        .optional("updatedSince", .timestamp, "Only what changed at this moment or later."),
    ]

    func listApps(_ request: Request, _ caller: Caller) async throws -> Response {
        let page = try request.page()
        let rows = try await database.longQuery(
            .apps(for: caller, AppFilter(request), after: page.after(0), limit: page.limitPlusOne),
            as: caller)
        return try page.response(rows, key: { [try $0.text("id")] }, request: request)
    }

    func findApp(_ request: Request, _ caller: Caller) async throws -> Response {
        try .object(
            try await database.query(.app(request.path("adamId"), for: caller), as: caller))
    }

    func addApp(_ request: Request, _ caller: Caller) async throws -> Response {
        let body = try await request.body()
        let app = try NewApp(body, adamID: body.text("adamId")!)
        return try await database.transaction(as: caller) { session in
            try await session.query(.add(app, to: caller.organizationID))
            let rows = try await session.query(.app(app.adamID, for: caller))
            return try .object(rows, status: 201).located(at: "/v1/apps/\(app.adamID)")
        }
    }

    /// The id is the store's, so a `PUT` may also create the app.
    func putApp(_ request: Request, _ caller: Caller) async throws -> Response {
        let app = try NewApp(try await request.body(), adamID: request.path("adamId"))
        return try await database.transaction(as: caller) { session in
            var found = try await session.query(.lockApp(app.adamID, for: caller))
            if found.count == 0 {
                if request.http.headers["if-match"] != nil { throw Problem.preconditionFailed }
                let added = try await session.query(
                    .addUnlessThere(app, to: caller.organizationID))
                if added.count == 1 {
                    let rows = try await session.query(.app(app.adamID, for: caller))
                    return try .object(rows, status: 201)
                }
                // Another call has created it since.
                found = try await session.query(.lockApp(app.adamID, for: caller))
            }
            guard let row = found.first else { throw Problem.contended }
            try request.checkMatch(version: try row.int("version"))
            try await session.query(.replace(app, in: caller.organizationID))
            return try .object(try await session.query(.app(app.adamID, for: caller)))
        }
    }

    /// Changes the fields in the body and leaves the rest; null resets a field to its default (RFC 7396, at the top
    /// level).
    func changeApp(_ request: Request, _ caller: Caller) async throws -> Response {
        let change = try await request.body().object
        return try await database.transaction(as: caller) { session in
            let id = request.path("adamId")
            try await checkApp(request, session, caller)
            let now = try await session.query(.app(id, for: caller))
            let app = try NewApp(Self.merge(change, into: now), adamID: id)
            try await session.query(.replace(app, in: caller.organizationID))
            return try .object(try await session.query(.app(id, for: caller)))
        }
    }

    /// Removes the app with its pools; the database refuses that while someone holds a licence.
    func removeApp(_ request: Request, _ caller: Caller) async throws -> Response {
        try await database.transaction(as: caller) { session in
            let id = request.path("adamId")
            // Pools before their app: granting licences locks them in this order, too.
            try await session.query(.lockPools(of: id, in: caller.organizationID))
            try await checkApp(request, session, caller)
            let now = try await session.query(.app(id, for: caller))
            let assigned = try now[0].int("assignedCount")
            guard assigned == 0 else { throw Problem.licencesAssigned(assigned) }
            _ = try await session.query([
                .removeApp(id, of: caller.organizationID),
                .audit("poolChange", details: ["adamId": .text(id), "change": "appRemoved"]),
            ])
        }
        return .noContent
    }

    /// Locks the app of the path; it must exist and satisfy the preconditions.
    private func checkApp(
        _ request: Request, _ session: Session, _ caller: Caller
    ) async throws {
        let found = try await session.query(.lockApp(request.path("adamId"), for: caller))
        guard let row = found.first else { throw Problem.notFound }
        try request.checkMatch(version: try row.int("version"))
    }

    /// The body of a `PUT` that has the same effect as the changes.
    private static func merge(_ change: JSONObject, into now: Rows) throws -> Fields {
        var writer = JSONWriter()
        try now.writeJSON(row: 0, columns: now.shownColumns, into: &writer)
        let present = try JSONValue(parsing: writer.bytes)
        var merged = JSONObject()
        for field in LicenceShapes.appReplacement.fields {
            let value = change[field.name] ?? present[field.name]
            if let value, !value.isNull { merged[field.name] = value }
        }
        let errors = Shape.object(LicenceShapes.appReplacement).check(.object(merged))
        guard errors.isEmpty else { throw Problem.invalid(errors) }
        return Fields(merged)
    }
}
