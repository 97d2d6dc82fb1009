import API
import HTTPWire
import JSONBytes
import Postgres
import School

/// What clients read to learn what this server can (RFC 7644 section 4).
extension SCIM {
    var discoveryEndpoints: [Endpoint] {
        [
            read("ServiceProviderConfig", "Read which parts of SCIM this server supports") {
                _, asking in
                Self.configuration(root: asking.root)
            },
            read("ResourceTypes", "List the types of SCIM resources") { _, asking in
                Self.list(ResourceType.allCases.map { $0.description(root: asking.root) })
            },
            read("ResourceTypes/{id}", "Read a type of SCIM resources") { request, asking in
                guard let type = ResourceType(rawValue: request.path("id")) else {
                    throw Refusal.notFound
                }
                return type.description(root: asking.root)
            },
            read("Schemas", "List the schemas of SCIM resources") { _, asking in
                let locations = try await locations(asking)
                return Self.list(Schema.all.map { $0.description(locations, root: asking.root) })
            },
            read("Schemas/{id}", "Read a schema of SCIM resources") { request, asking in
                let id = request.path("id").lowercased()
                guard let schema = Schema.all.first(where: { $0.id.lowercased() == id }) else {
                    throw Refusal.notFound
                }
                return schema.description(try await locations(asking), root: asking.root)
            },
        ]
    }

    private func read(
        _ path: String, _ summary: String,
        _ document: @escaping @Sendable (Request, Asking) async throws -> JSONValue
    ) -> Endpoint {
        endpoint(
            .get, path, summary,
            answers: [.document("The document.", Self.mediaType, .map(.anything))]
                + Refusal.answers(path.contains("{") ? [(404, "Nothing has this id.")] : [])
        ) { request, asking in
            .scim(try await document(request, asking))
        }
    }

    /// The names of the organization's locations, for those who choose one.
    private func locations(_ asking: Asking) async throws -> [String] {
        let rows = try await database.query(
            .locationNames(of: asking.organization), as: asking.caller)
        return try rows.map { try $0.text("name") }
    }

    static func list(_ resources: [JSONValue]) -> JSONValue {
        list(resources, total: resources.count, startIndex: 1)
    }

    /// A list response (RFC 7644 section 3.4.2).
    static func list(_ resources: [JSONValue], total: Int, startIndex: Int) -> JSONValue {
        [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
            "totalResults": .number(JSONNumber(Int64(total))),
            "startIndex": .number(JSONNumber(Int64(startIndex))),
            "itemsPerPage": .number(JSONNumber(Int64(resources.count))),
            "Resources": .array(resources),
        ]
    }

    private static func configuration(root: String) -> JSONValue {
        [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
            "patch": ["supported": true],
            "bulk": [
                "supported": true,
                "maxOperations": .number(JSONNumber(Int64(mostOperations))),
                "maxPayloadSize": .number(JSONNumber(Int64(mostBulkBytes))),
            ],
            "filter": [
                "supported": true,
                "maxResults": .number(JSONNumber(Int64(Search.mostResults))),
            ],
            "changePassword": ["supported": false], "sort": ["supported": true],
            "etag": ["supported": true],
            "authenticationSchemes": [
                [
                    "type": "oauthbearertoken", "name": "Bearer token",
                    "description":
                        "An access token of a service account with the role directoryWriter.",
                    "specUri": "https://www.rfc-editor.org/info/rfc6750", "primary": true,
                ]
            ],
            "meta": [
                "resourceType": "ServiceProviderConfig",
                "location": .text("\(root)/ServiceProviderConfig"),
            ],
        ]
    }
}

extension Statement {
    fileprivate static func locationNames(of organization: OrganizationID) -> Statement {
        """
        select name from school.location where organization_id = \(organization)
         order by name collate "C", location_id
        """
    }
}
