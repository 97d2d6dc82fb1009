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
                query: [
                    DirectoryShapes.nameParameter, DirectoryShapes.sourceParameter,
                    DirectoryShapes.updatedParameter,
                ]
                    + Endpoint.Parameter.page,
                answers: [
                    .page("Locations in the order of their ids.", of: DirectoryShapes.location)
                ],
                handler: listLocations),
            Endpoint(
                .post, "/v1/locations", "Add a location", for: Self.writers, body: body,
                answers: [.json("The new location.", location, status: 201).tagged.located],
                problems: [(409, "Another record has this sourceId.")], handler: addLocation),
            Endpoint(
                .get, "/v1/locations/{id}", "Read a location", for: Self.readersAndTeachers,
                answers: [.json("The location.", location).tagged, .unchanged],
                handler: findLocation),
            Endpoint(
                .put, "/v1/locations/{id}", "Replace a location, or create it by source:ID",
                for: Self.writers, body: body,
                answers: [
                    .json("Replaced.", location).tagged,
                    .json("Created.", location, status: 201).tagged,
                ],
                problems: [(412, "It changed since you read it.")], handler: putLocation),
            Endpoint(
                .patch, "/v1/locations/{id}", "Change fields of a location", for: Self.writers,
                body: .json(DirectoryShapes.newLocation.change("LocationChange")),
                answers: [.json("As it is now.", location).tagged],
                problems: [(412, "It changed since you read it.")], handler: changeLocation),
            Self.removalEndpoint(
                "/v1/locations/{id}", "Delete a location that is not in use",
                for: Self.writers, handler: removeLocation),
        ]
    }

    func listLocations(_ request: Request, _ caller: Caller) async throws -> Response {
        try await page(request, caller) { after, limit in
            .locations(
                of: caller.organizationID, name: request.query("q"),
                sourceID: request.query("sourceId"),
                updatedSince: request.queryTimestamp("updatedSince"), after: after, limit: limit)
        }
    }

    func findLocation(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<LocationEntity> = try request.reference("id")
        return try .object(
            try await database.query(.location(reference, of: caller.organizationID), as: caller))
    }

    func addLocation(_ request: Request, _ caller: Caller) async throws -> Response {
        try await post(request, caller, locationKind(caller))
    }

    func putLocation(_ request: Request, _ caller: Caller) async throws -> Response {
        try await put(request, caller, locationKind(caller))
    }

    func changeLocation(_ request: Request, _ caller: Caller) async throws -> Response {
        try await patch(request, caller, locationKind(caller))
    }

    func removeLocation(_ request: Request, _ caller: Caller) async throws -> Response {
        let organization = caller.organizationID
        return try await remove(
            request, caller,
            Removal<LocationEntity>(
                subject: "location", find: { .lockLocation($0, of: organization) },
                hanging: { .hanging(on: $0, of: organization) },
                remove: { .remove($0, of: organization) }))
    }

    private func locationKind(_ caller: Caller) -> Kind<LocationEntity> {
        Kind(
            shape: DirectoryShapes.newLocation,
            find: { .lockLocation($0, of: caller.organizationID) },
            create: { session, id, sent in
                let location = try NewLocation(sent)
                try await checkTimeZone(location.timeZone, at: "/timeZone", session)
                try await session.query(.add(location, id, to: caller.organizationID))
            },
            replace: { session, id, sent, _ in
                let location = try NewLocation(sent)
                try await checkTimeZone(location.timeZone, at: "/timeZone", session)
                try await session.query(.replace(id, by: location, of: caller.organizationID))
            },
            read: { .location(.id($0), of: caller.organizationID) },
            sourceConstraint: "location_source_id_is_unique")
    }
}

/// A location as it is sent.
struct NewLocation {
    let name: String
    let sourceID: String?
    let timeZone: String?
    /// Of students who have none of their own; `nil` for the standard one.
    let passwordPolicy: String?

    init(_ sent: Sent) throws {
        let body = sent.body
        name = body.text("name")!
        sourceID = try sent.sourceID()
        timeZone = body.text("timeZone")
        passwordPolicy = body.text("passwordPolicy")
    }
}
