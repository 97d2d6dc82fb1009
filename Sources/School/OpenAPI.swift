import HTTPWire
import JSONBytes

/// The API document (OpenAPI 3.1), made from the endpoints' declarations.
package struct OpenAPI: Sendable {
    private let features: [any Feature]

    package init(features: [any Feature]) {
        self.features = features
    }

    /// The whole document.
    package var document: JSONValue {
        var components: [String: JSONValue] = [:]
        _ = Problem.shape.schema(collecting: &components)
        var paths: [(path: String, operations: [(String, JSONValue)])] = []
        for feature in features {
            let tag = "\(type(of: feature))"
            for endpoint in feature.endpoints {
                let operation = endpoint.operation(tag: tag, collecting: &components)
                let entry = (endpoint.method.name.lowercased(), operation)
                if let index = paths.firstIndex(where: { $0.path == endpoint.path }) {
                    paths[index].operations.append(entry)
                } else {
                    paths.append((endpoint.path, [entry]))
                }
            }
        }
        let pathObjects = paths.map {
            ($0.path, JSONValue.object(JSONObject($0.operations)))
        }
        let schemas = components.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Homeroom", "version": "1",
                "description": .text(
                    "School administration and student progress. JSON in camelCase, times in "
                        + "RFC 3339 UTC; errors are application/problem+json (RFC 9457). Every answer "
                        + "has X-Request-Id, the client's own where it sends one."),
            ],
            "paths": .object(JSONObject(pathObjects)),
            "components": [
                "schemas": .object(JSONObject(schemas)),
                "responses": CommonProblem.components,
                "securitySchemes": Self.securitySchemes,
            ],
        ]
    }

    private static let securitySchemes: JSONValue = [
        "accessToken": [
            "type": "http", "scheme": "bearer",
            "description": "An access token of POST /v1/sign-in or of `homeroom token create`.",
        ],
        "serviceAccount": [
            "type": "oauth2",
            "description": .text(
                "An access token that a service account gets for its client id and secret; the scope is "
                    + "its role."),
            "flows": [
                "clientCredentials": [
                    "tokenUrl": "/oauth/token",
                    "scopes": [
                        "provisioner": "Writes people, classes and rosters.",
                        "exporter": "Reads what the nightly export holds.",
                    ],
                ]
            ],
        ],
        "developerToken": [
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "An ES256 token signed with a developer team's key.",
        ],
    ]
}

extension Problem {
    /// The problem document itself.
    package static let shape = Shape.fields(
        "Problem",
        [
            .required("type", .text(1...200)), .required("title", .text(1...500)),
            .required("status", .integer(400...599)),
            .required("code", .text(1...100), "Stable, for programs."),
            .optional("detail", .text(0...4000, lines: true)),
            .required("instance", .text(1...200), "The id of the request."),
            .optional(
                "errors",
                .array(
                    .fields(
                        "InvalidField",
                        [
                            .required("pointer", .text(0...4000), "A JSON pointer (RFC 6901)."),
                            .required("code", .text(1...100)),
                            .required("detail", .text(1...4000)),
                        ]), count: 0...1000)),
        ])
}
