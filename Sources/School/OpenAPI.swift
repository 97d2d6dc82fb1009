import HTTPWire
import JSONBytes

/// The API document (OpenAPI 3.1), generated from the declarations of the endpoints.
package struct OpenAPI: Sendable {
    private let features: [any Feature]
    private let description: APIDescription

    package init(features: [any Feature], description: APIDescription) {
        self.features = features
        self.description = description
    }

    /// The whole document.
    package var document: JSONValue {
        var components: [String: JSONValue] = [:]
        components[Problem.codeComponent] = codes
        _ = Problem.shape.schema(collecting: &components)
        components["Problem"] = components["Problem"].map(withCodes)
        collectObjects(into: &components)
        var paths: [(path: String, operations: [(String, JSONValue)])] = []
        for feature in features {
            let tag = "\(type(of: feature))"
            for endpoint in feature.endpoints {
                let operation = endpoint.operation(
                    tag: tag, examples: description.examples, collecting: &components)
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
                "title": "Homeroom", "version": .text(description.version),
                "summary": "School administration and student progress.",
                "description": .text(description.overview),
            ],
            "servers": [["url": "/", "description": "The server that this document comes from."]],
            "tags": .array(tags),
            "paths": .object(JSONObject(pathObjects)),
            "components": [
                "schemas": .object(JSONObject(schemas)),
                "responses": CommonProblem.components,
                "securitySchemes": Self.securitySchemes,
            ],
        ]
    }

    /// Those with the shortest names first: an enum that several objects share is named after the first.
    private func collectObjects(into components: inout [String: JSONValue]) {
        let objects = features.flatMap(\.endpoints).flatMap(\.objects)
        for object in objects.sorted(by: { ($0.name.count, $0.name) < ($1.name.count, $1.name) }) {
            _ = object.schema(collecting: &components)
        }
    }

    private var tags: [JSONValue] {
        features.map { feature in
            let name = "\(type(of: feature))"
            return ["name": .text(name), "description": .text(feature.meaning)]
        }
    }

    /// Every code, with their meanings as a list for people.
    private var codes: JSONValue {
        let list = description.codes.map { "- `\($0.code)`: \($0.meaning)" }
        return [
            "type": "string", "enum": .array(description.codes.map { .text($0.code) }),
            "description": .text(
                "Stable, for programs.\n\n" + list.joined(separator: "\n")),
        ]
    }

    /// The schema of problems, with the existing codes instead of any text.
    private func withCodes(_ schema: JSONValue) -> JSONValue {
        guard case .object(var problem) = schema,
            case .object(var properties)? = problem["properties"]
        else { return schema }
        properties["code"] = ["$ref": .text("#/components/schemas/\(Problem.codeComponent)")]
        problem["properties"] = .object(properties)
        return .object(problem)
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
    /// The API document's name for the list of all codes.
    static let codeComponent = "ProblemCode"

    /// The problem document itself.
    package static let shape = Shape.fields(
        "Problem",
        [
            .required(
                "type", .text(1...200), "Where the documentation explains the code (RFC 9457)."),
            .required("title", .text(1...500)),
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
