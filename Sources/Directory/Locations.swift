import Crypto
import HTTPWire
import Postgres
import School

extension Directory {
    var locationEndpoints: [Endpoint] {
        let location = Shape.object(DirectoryShapes.location)
        let body = Endpoint.Body.json(.object(DirectoryShapes.newLocation))
        return [
            Endpoint(
                .get, "/v1/locations", "List the locations", for: Self.readersAndTeachers,
                query: [DirectoryShapes.sourceParameter, DirectoryShapes.updatedParameter]
                    + Endpoint.Parameter.page,
                answers: [
                    .page("Locations in the order of their ids.", of: DirectoryShapes.location)
                ],
                handler: listLocations),
            Endpoint(
                .post, "/v1/locations", "Add a location", for: Self.writers, body: body,
                answers: [.json("The new location.", location, status: 201)],
                problems: [(409, "Another one has the sourceId.")], handler: addLocation),
            Endpoint(
                .get, "/v1/locations/{id}", "Read a location", for: Self.readersAndTeachers,
                answers: [.json("The location.", location), Self.unchanged], handler: findLocation),
            Endpoint(
                .put, "/v1/locations/{id}", "Replace a location; by source:ID also create it",
                for: Self.writers, body: body,
                answers: [.json("Replaced.", location), .json("Created.", location, status: 201)],
                problems: [(412, "It was changed in the meantime.")], handler: putLocation),
        ]
    }

    func listLocations(_ request: Request, _ caller: Caller) async throws -> Response {
        try await page(request, caller) { after, limit in
            .locations(
                of: caller.organizationID, sourceID: request.query("sourceId"),
                updatedSince: request.queryTimestamp("updatedSince"), after: after, limit: limit)
        }
    }

    func findLocation(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<LocationEntity> = try request.reference("id")
        return try .object(
            try await database.query(.location(reference, of: caller.organizationID), as: caller))
    }

    func addLocation(_ request: Request, _ caller: Caller) async throws -> Response {
        let location = try NewLocation(try await request.body(), at: nil)
        let id = LocationID(.v7())
        return try await database.transaction(as: caller) { session in
            try await checkTimeZone(location.timeZone, at: "/timeZone", session)
            try await session.query(.add(location, id, to: caller.organizationID))
            let rows = try await session.query(.location(.id(id), of: caller.organizationID))
            return try .object(rows, status: 201).located(at: "/v1/locations/\(id.uuid)")
        }
    }

    func putLocation(_ request: Request, _ caller: Caller) async throws -> Response {
        let location = try NewLocation(try await request.body(), at: request.path("id"))
        return try await put(
            request, caller,
            PutSteps<LocationEntity>(
                find: { .lockLocation($0, of: caller.organizationID) },
                create: { session, id in
                    try await checkTimeZone(location.timeZone, at: "/timeZone", session)
                    try await session.query(.add(location, id, to: caller.organizationID))
                },
                replace: { session, id, _ in
                    try await checkTimeZone(location.timeZone, at: "/timeZone", session)
                    try await session.query(.replace(id, by: location, of: caller.organizationID))
                },
                read: { .location(.id($0), of: caller.organizationID) },
                sourceConstraint: "location_source_id_is_unique"))
    }
}

/// A location as it is sent.
struct NewLocation {
    let name: String
    let sourceID: String?
    let timeZone: String?

    /// - Parameter path: how the path names it, if it does.
    init(_ body: Fields, at path: String?) throws {
        name = body.text("name")!
        sourceID = try body.sourceID(at: path)
        timeZone = body.text("timeZone")
    }
}

extension Fields {
    /// The school's own id of what is sent: the path's, which the body may repeat, else the body's.
    func sourceID(at path: String?) throws -> String? {
        guard let path, let named = Reference<Never>(path)?.source else { return text("sourceId") }
        if let sent = text("sourceId"), sent != named { throw Problem.sourceIDContradictsPath }
        return named
    }
}
