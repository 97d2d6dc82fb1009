import API
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// The filters of a list of licences.
struct LicenceFilter: Sendable {
    let person: Reference<PersonEntity>?
    let location: Reference<LocationEntity>?
    /// In upper case.
    let serialNumber: String?
    let updatedSince: Timestamp?
}

extension Licences {
    var licenceEndpoints: [Endpoint] {
        let path = "/v1/apps/{adamId}/licences"
        let granted = Shape.object(LicenceShapes.granted)
        return [
            Endpoint(
                .get, path, "List the licences of an app", for: Self.standings,
                query: [
                    .optional("personId", .reference, "Only licences of this person."),
                    .optional("serialNumber", .text(1...64), "Only licences of this device."),
                    .optional("locationId", .reference, "Only licences from this location's pool."),
                    .optional(
                        "updatedSince", .timestamp, "Only licences granted at this moment or later."
                    ),
                ] + Endpoint.Parameter.page,
                answers: [.page("In the order of their ids.", of: LicenceShapes.licence)],
                reads: .replica, handler: listLicences),
            Endpoint(
                .post, path, "Assign licences to people, a class or devices, all or none",
                description:
                    "Those who have one already keep it and take no other seat, so that the call can be repeated.",
                for: Self.standings, body: .json(.object(LicenceShapes.newLicences)),
                answers: [
                    .json("Everyone has one now, and some had none before.", granted, status: 201),
                    .json("Everyone had one already.", granted),
                ],
                problems: [
                    (
                        409,
                        "Too few are left (`too_few_licences`, with how many are left and needed), "
                            + "or the class is archived."
                    ),
                    (
                        422,
                        "A person is not there, is deactivated, or has several locations with "
                            + "pools; or the app is not for devices."
                    ),
                ], handler: grant),
            Endpoint(
                .get, path + "/{licenceId}", "Find a licence", for: Self.standings,
                answers: [
                    .json("The licence.", .object(LicenceShapes.licence)).tagged, .unchanged,
                ], handler: findLicence),
            Endpoint(
                .delete, path + "/{licenceId}", "Return a licence", for: Self.standings,
                answers: [.empty(204, "Its seat is free.")],
                problems: [
                    (409, "It cannot be given back; licences of books never can."),
                    (412, "It changed since you read it."),
                ], handler: giveBack),
        ]
    }

    func listLicences(_ request: Request, _ caller: Caller) async throws -> Response {
        let page = try request.page()
        let after = try page.afterID()
        let filter = LicenceFilter(
            person: request.queryReference("personId"),
            location: request.queryReference("locationId"),
            serialNumber: request.query("serialNumber")?.uppercased(),
            updatedSince: request.queryTimestamp("updatedSince"))
        let app = request.path("adamId")
        return try await database.read(as: caller) { session in
            let results = try await session.query([
                .holdableApp(app, of: caller.organizationID),
                page.of(
                    .licences(
                        of: app, filter, in: caller.organizationID, after: after,
                        limit: page.limitPlusOne)),
            ])
            guard results[0].count > 0 else { throw Problem.notFound }
            return try page.response(
                results[1], key: { [try $0.uuid("id").description] }, request: request)
        }
    }

    func findLicence(_ request: Request, _ caller: Caller) async throws -> Response {
        guard let id = UUID(request.path("licenceId")) else { throw Problem.notFound }
        return try .object(
            try await database.query(
                .licence(id, of: request.path("adamId"), in: caller.organizationID), as: caller))
    }

    func giveBack(_ request: Request, _ caller: Caller) async throws -> Response {
        guard let id = UUID(request.path("licenceId")) else { throw Problem.notFound }
        let app = request.path("adamId")
        try await database.transaction(as: caller) { session in
            let found = try await session.query(
                .licenceToGiveBack(id, of: app, in: caller.organizationID))
            guard let licence = found.first else { throw Problem.notFound }
            try request.checkMatch(version: try licence.int("version"))
            guard try licence.bool("is_revocable") else { throw Problem.notRevocable }
            let gone = try await session.query(.giveBack(id, in: caller.organizationID))
            guard gone.count == 1 else { throw Problem.notFound }
            let person = try licence.optionalUUID("person_id")
            try await session.query(
                .audit(
                    "licenceChange", subjectKind: person == nil ? nil : "person", subject: person,
                    details: [
                        "adamId": .text(app), "returned": 1, "licenceId": .text(id.description),
                    ]))
        }
        return .noContent
    }
}
