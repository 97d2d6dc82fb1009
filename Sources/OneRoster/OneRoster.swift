import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

/// The roster over REST as the standard OneRoster has it, versions 1.1 and 1.2, for other systems of the school.
///
/// Who is in the roster, and since when, is decided by functions and policies of the database
/// (`SQL/functions/oneroster`, `SQL/policies/oneroster.sql`).
package struct OneRoster: Feature {
    package let meaning =
        """
        The roster for other systems of the school, as the standard OneRoster describes it (versions 1.1 and 1.2). Paths, \
        parameters, answers and errors are the standard’s.
        """
    let database: Database
    /// By which URL clients know this server.
    let issuer: Issuer

    package init(database: Database, issuer: Issuer = Issuer()) {
        self.database = database
        self.issuer = issuer
    }

    package var endpoints: [Endpoint] {
        Edition.allCases.flatMap(rosterEndpoints) + [
            Endpoint(
                open: .get, Self.discoveryPath, "Get the API document of the OneRoster 1.2 calls",
                answers: [.json("OpenAPI 3.1.", .map(.anything))], handler: discover)
        ]
    }

    package var refusals: [(below: String, refusal: Endpoint.Refusal)] {
        [("/ims/oneroster/", { StatusInfo($0).response })]
    }

    private static let discoveryPath =
        "\(Edition.v1p2.path)/discovery/onerosterv1p2rostersservice_openapi3_v1p0.json"

    private func rosterEndpoints(_ edition: Edition) -> [Endpoint] {
        let collections = RosterCollection.all(in: edition)
        return collections.flatMap { [list($0, edition), single($0, edition)] }
            + NestedCollection.all.compactMap { nested in
                collections.first { $0.name == nested.collection }.map {
                    list($0, edition, nested)
                }
            }
    }

    private func list(
        _ collection: RosterCollection, _ edition: Edition, _ nested: NestedCollection? = nil
    ) -> Endpoint {
        let reach = nested == nil ? collection.reach : .nested
        return Endpoint(
            .get, "\(edition.path)/\(nested?.path ?? collection.name)",
            "List \(nested?.meaning ?? collection.name) (\(edition.name))", for: [.rosterReader],
            query: RosterQuery.parameters,
            answers: [collection.answer(in: edition, isSingle: false), .unchanged]
                + StatusInfo.answers(isSingle: false),
            cost: 5, reads: .replica, scopes: reach.scopes.map(edition.scope)
        ) { request, caller in
            try await StatusInfo.answering {
                let query = try RosterQuery(
                    request, of: collection,
                    parent: nested.map { $0.condition($0.parameters.map(request.path)) })
                return try await page(collection, query, edition, request, caller)
                    .response(to: request)
            }
        }
    }

    private func single(_ collection: RosterCollection, _ edition: Edition) -> Endpoint {
        Endpoint(
            .get, "\(edition.path)/\(collection.name)/{sourcedId}",
            "Read one of \(collection.name) (\(edition.name))", for: [.rosterReader],
            query: RosterQuery.fieldsParameter,
            answers: [collection.answer(in: edition, isSingle: true), .unchanged]
                + StatusInfo.answers(isSingle: true),
            reads: .replica, scopes: collection.reach.scopes.map(edition.scope)
        ) { request, caller in
            try await StatusInfo.answering {
                let query = try RosterQuery(
                    request, single: request.path("sourcedId"), of: collection)
                return try await page(collection, query, edition, request, caller).single()
            }
        }
    }

    private func page(
        _ collection: RosterCollection, _ query: RosterQuery, _ edition: Edition,
        _ request: Request,
        _ caller: Caller
    ) async throws -> RosterPage {
        let rows = try await database.longQuery(query.statement(of: collection), as: caller)
        return RosterPage(
            collection: collection, query: query, rows: rows, edition: edition,
            server: issuer.text(for: request))
    }

    /// The document that version 1.2 wants beside its calls.
    func discover(_ request: Request) async throws -> Response {
        let description = APIDescription(
            title: "OneRoster 1.2 rostering", summary: "The roster of a school, to be read.",
            version: "1.2", overview: meaning, codes: [],
            securitySchemes: APIDescription.schemesOfCallers, pathShapes: [:], examples: [:])
        let group = OpenAPI.Group(
            name: "OneRoster", meaning: meaning,
            operations: rosterEndpoints(.v1p2).map(\.operation))
        return .json(OpenAPI(groups: [group], description: description).document)
    }
}
