import API
import HTTPServer
import HTTPWire
import JSONBytes
import Metrics
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
    let viewings: Viewings
    let memory = RosterMemory()
    let indexes = RosterIndexes()
    private let documents = DiscoveryDocuments()
    let places: ReadPlaces
    let figures = RosterFigures()

    package init(database: Database, viewings: Viewings, issuer: Issuer = Issuer()) {
        self.database = database
        self.viewings = viewings
        self.issuer = issuer
        places = ReadPlaces(database: database)
    }

    package func export(to metrics: inout Exposition) {
        figures.export(to: &metrics, made: indexes.made)
    }

    package var endpoints: [Endpoint] {
        Edition.allCases.flatMap { edition in
            Part.allCases.flatMap { endpoints(of: $0, in: edition) }
        } + Part.allCases.map(discovery)
    }

    private func endpoints(of part: Part, in edition: Edition) -> [Endpoint] {
        switch part {
        case .rostering:
            readingEndpoints(RosterCollection.all(in: edition), NestedCollection.all, edition)
        case .gradebook: gradebookEndpoints(edition)
        case .resources:
            readingEndpoints(
                [RosterCollection.resources], NestedCollection.resources(in: edition), edition)
        }
    }

    package var constraints: [String: Problem] {
        Dictionary(
            uniqueKeysWithValues: ["category", "scale", "item"].map {
                ("gradebook_\($0)_more_length", Problem.tooMuchMetadata)
            } + [
                ("grade_more_length", .tooMuchMetadata),
                ("gradebook_scale_entries_are_a_list", .tooMuchMetadata),
            ])
    }

    package var refusals: [(below: String, refusal: Endpoint.Refusal)] {
        [("/ims/oneroster/", { StatusInfo($0).response })]
    }

    /// The calls that read collections and what belongs to other objects.
    func readingEndpoints(
        _ collections: [RosterCollection], _ nested: [NestedCollection], _ edition: Edition
    ) -> [Endpoint] {
        collections.flatMap { [list($0, edition), single($0, edition)] }
            + nested.compactMap { nested in
                collections.first { $0.name == nested.collection }.map {
                    list($0, edition, nested)
                }
            }
    }

    private func list(
        _ collection: RosterCollection, _ edition: Edition, _ nested: NestedCollection? = nil
    ) -> Endpoint {
        Endpoint(
            .get, "\(edition.path(of: collection.part))/\(nested?.path ?? collection.name)",
            "List \(nested?.meaning ?? collection.name) (\(edition.name))", for: [.rosterReader],
            query: RosterQuery.parameters,
            answers: [collection.answer(in: edition, isSingle: false), .unchanged]
                + StatusInfo.answers(isSingle: nested?.parents != nil),
            cost: 5, reads: .replica,
            scopes: collection.scopes(in: edition, isNested: nested != nil)
        ) { request, caller in
            try await StatusInfo.answering {
                if let parents = nested?.parents, let nested {
                    let found: Statement = parents(nested.parameters.map(request.path))
                    guard try await exists(found, caller) else { throw StatusInfo.unknownObject }
                }
                return try await self.answer(
                    PageRequest(collection, nested, edition, request, caller))
            }
        }
    }

    private func single(_ collection: RosterCollection, _ edition: Edition) -> Endpoint {
        Endpoint(
            .get, "\(edition.path(of: collection.part))/\(collection.name)/{sourcedId}",
            "Read one of \(collection.name) (\(edition.name))", for: [.rosterReader],
            query: RosterQuery.fieldsParameter,
            answers: [collection.answer(in: edition, isSingle: true), .unchanged]
                + StatusInfo.answers(isSingle: true),
            reads: .replica, scopes: collection.scopes(in: edition, isNested: false)
        ) { request, caller in
            try await StatusInfo.answering {
                let query = try RosterQuery(
                    request, single: request.path("sourcedId"), of: collection)
                return try await remembered(collection, request, caller) {
                    try await self.page(
                        PageRequest(collection, nil, edition, request, caller), query
                    ).single()
                }.response
            }
        }
    }

    /// Whether a condition holds for the caller.
    func exists(_ condition: Statement, _ caller: Caller) async throws -> Bool {
        let rows = try await database.query("select \(fragment: condition) as found", as: caller)
        return try rows[0].bool("found")
    }

    /// The document that version 1.2 wants beside the calls of each part, under the name that it wants.
    private func discovery(of part: Part) -> Endpoint {
        let file = "onerosterv1p2\(part.discoveryName)service_openapi3_v1p0.json"
        return Endpoint(
            open: .get, "\(Edition.v1p2.path(of: part))/discovery/\(file)",
            "Get the API document of the \(part.rawValue) calls of OneRoster 1.2",
            answers: [.json("OpenAPI 3.1.", .map(.anything))]
        ) { _ in
            .json(documents.document(of: part) { document(of: part) })
        }
    }

    private func document(of part: Part) -> JSONValue {
        let description = APIDescription(
            title: "OneRoster 1.2 \(part.rawValue)", summary: part.meaning,
            version: "1.2", overview: meaning, codes: [],
            securitySchemes: APIDescription.schemesOfCallers, pathShapes: [:], examples: [:])
        let group = OpenAPI.Group(
            name: "OneRoster", meaning: meaning,
            operations: endpoints(of: part, in: .v1p2).map(\.operation))
        return OpenAPI(groups: [group], description: description).document
    }
}

extension Part {
    /// In the names of discovery documents.
    fileprivate var discoveryName: String { self == .rostering ? "rosters" : rawValue }

    fileprivate var meaning: String {
        switch self {
        case .rostering: "The roster of a school, to be read."
        case .gradebook: "The grades of a school, to be read and written."
        case .resources: "The resources of a school, to be read."
        }
    }
}

extension Problem {
    fileprivate static let tooMuchMetadata = Problem(
        422, "gradebook_object_too_large",
        "The lists and the metadata of an object have at most 16 KiB, a score scale 64 KiB.")
}
