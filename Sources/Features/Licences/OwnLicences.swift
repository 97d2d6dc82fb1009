import API
import HTTPWire
import Postgres
import School
import Values

/// The licences of the caller for the school's apps and books.
extension Licences {
    var ownLicencesEndpoint: Endpoint {
        Endpoint(
            .get, "/v1/me/licences", "List the apps and books you have licences for",
            for: Standing.rolesOfPeople, query: Endpoint.Parameter.page,
            answers: [.page("In the order of their ids.", of: LicenceShapes.ownLicence)],
            handler: listOwnLicences)
    }

    func listOwnLicences(_ request: Request, _ caller: Caller) async throws -> Response {
        let page = try request.page()
        let after = try page.afterID()
        let rows = try await database.query(
            page.of(.ownLicences(of: caller, after: after, limit: page.limitPlusOne)), as: caller)
        return try page.response(
            rows, key: { [try $0.uuid("id").description] }, request: request)
    }
}

extension Statement {
    fileprivate static func ownLicences(
        of caller: Caller, after: UUID?, limit: Int
    ) -> Statement {
        let next: Statement? = after.map { "and l.licence_id > \($0)" }
        return """
            select l.licence_id as "id", l.adam_id, a.name, a.product_type,
                   a.bundle_id, l.location_id, l.created_at
              from school.licence as l
              join school.app as a on a.organization_id = l.organization_id and a.adam_id = l.adam_id
             where l.organization_id = \(caller.organizationID) and l.person_id = \(caller.personID)
               \(optional: next)
             order by l.licence_id limit \(limit)
            """
    }
}

extension LicenceShapes {
    static let ownLicence = ObjectShape(
        "OwnLicence",
        [
            .required("id", .uuid), .required("adamId", .text(1...20)),
            .required("name", .line()), .required("productType", .word(["App", "Book"])),
            .orNull("bundleId", .line(255), "Absent for a book without one."),
            .required("locationId", .uuid, "The location whose pool it comes from."),
            .required("createdAt", .timestamp, "When you got it."),
        ])
}
