import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// People and classes for identity providers, as the standard SCIM 2.0 describes it (RFC 7643, RFC 7644).
///
/// What a directory writer may do is decided by functions and policies of the database (`SQL/policies/scim.sql`).
package struct SCIM: Feature {
    package let meaning =
        """
        People, classes and locations for your identity provider, as the standard SCIM 2.0 describes it (RFC 7643 and \
        RFC 7644). Paths, parameters, answers and errors are the standard’s.
        """
    static let mediaType = "application/scim+json"
    private static let path = "/scim/v2"

    let database: Database
    /// By which URL clients know this server.
    let issuer: Issuer

    package init(database: Database, issuer: Issuer = Issuer()) {
        self.database = database
        self.issuer = issuer
    }

    package var endpoints: [Endpoint] {
        discoveryEndpoints + ResourceType.allCases.flatMap(resourceEndpoints) + [
            searchEndpoint, bulkEndpoint,
        ]
    }

    package var refusals: [(below: String, refusal: Endpoint.Refusal)] {
        [("\(Self.path)/", { Refusal($0).response })]
    }

    package var foldsSlashesBelow: [String]? { ["scim", "v2"] }

    /// A call of the standard, for directory writers alone.
    func endpoint(
        _ method: HTTPMethod, _ path: String, _ summary: String, description: String? = nil,
        query: [Endpoint.Parameter] = [], body: Endpoint.Body = .none,
        answers: [Endpoint.Answer], cost: Int = 1,
        handler: @escaping @Sendable (Request, Asking) async throws -> Response
    ) -> Endpoint {
        let issuer = issuer
        return Endpoint(
            method, "\(Self.path)/\(path)", summary, description: description,
            for: [.directoryWriter], query: query, body: body, answers: answers, keys: .ignored,
            cost: cost
        ) { request, caller in
            try await Refusal.answering {
                let root = issuer.text(for: request) + Self.path
                return try await handler(request, Asking(caller: caller, root: root))
            }
        }
    }

    /// A JSON document, also under the media type that most clients know.
    static let document = Endpoint.Body.document(
        [mediaType, "application/json"], .map(.anything))

    // MARK: Searching

    private var searchEndpoint: Endpoint {
        endpoint(
            .post, ".search", "Search users and groups", body: Self.document,
            answers: [Self.listed] + Refusal.answers(), cost: 5
        ) { request, asking in
            let search = try Search(try await request.json(maximumBytes: 1 << 20))
            return try await find(search, among: ResourceType.allCases, asking)
        }
    }

    static let listed = Endpoint.Answer.document(
        "A list response: startIndex is that of its first resource.", mediaType,
        .fields(
            "ScimListResponse",
            [
                .required("schemas", .array(.text(1...200), count: 1...1)),
                .required("totalResults", .integer(0...1_000_000_000)),
                .required("startIndex", .integer(1...1_000_000_001)),
                .required("itemsPerPage", .integer(0...1000)),
                .required("Resources", .array(.map(.anything), count: 0...1000)),
            ]))

    /// Resources of the types, one type after the other.
    func find(
        _ search: Search, among types: [ResourceType], _ asking: Asking
    ) async throws -> Response {
        var resources: [JSONValue] = []
        var total = 0
        for type in types {
            let rows = try await database.longQuery(
                search.statement(
                    of: type, from: max(0, search.offset - total),
                    upTo: search.count - resources.count, isAmongAll: types.count > 1),
                as: asking.caller)
            total += try rows[0].int("total")
            let projection = try search.projection(of: type)
            for row in rows {
                guard try !row.isNull("id") else { continue }
                let resource = try ScimResource(row, of: type, root: asking.root)
                resources.append(.object(projection.applied(to: resource.object)))
            }
        }
        return .scim(Self.list(resources, total: total, startIndex: search.offset + 1))
    }
}
