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
                        + "RFC 3339 UTC; errors are application/problem+json (RFC 9457)."),
            ],
            "paths": .object(JSONObject(pathObjects)),
            "components": [
                "schemas": .object(JSONObject(schemas)),
                "securitySchemes": Self.securitySchemes,
            ],
        ]
    }

    private static let securitySchemes: JSONValue = [
        "accessToken": [
            "type": "http", "scheme": "bearer",
            "description": "An access token of POST /v1/sign-in or of `homeroom token create`.",
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

extension Endpoint {
    fileprivate func operation(
        tag: String, collecting components: inout [String: JSONValue]
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("summary", .text(summary)), ("tags", .array([.text(tag)])),
        ]
        switch callers {
        case .anyone: members.append(("security", []))
        case .developer: members.append(("security", [["developerToken": []]]))
        case .standings(let standings):
            members.append(("security", [["accessToken": []]]))
            members.append(("x-standings", .array(standings.map { .text($0.rawValue) })))
        }
        let parameters = parameterObjects(collecting: &components)
        if !parameters.isEmpty { members.append(("parameters", .array(parameters))) }
        if let body = requestBody(collecting: &components) { members.append(("requestBody", body)) }
        members.append(("responses", responses(collecting: &components)))
        return .object(JSONObject(members))
    }

    private func parameterObjects(
        collecting components: inout [String: JSONValue]
    ) -> [JSONValue] {
        var objects: [JSONValue] = path.split(separator: "/")
            .filter { $0.hasPrefix("{") }
            .map { segment in
                [
                    "name": .text(String(segment.dropFirst().dropLast())), "in": "path",
                    "required": true, "schema": ["type": "string"],
                ]
            }
        for parameter in parameters {
            objects.append([
                "name": .text(parameter.name), "in": "query",
                "required": .bool(parameter.isRequired), "description": .text(parameter.meaning),
                "schema": parameter.shape.schema(collecting: &components),
            ])
        }
        if keys == .honoured { objects.append(Self.keyParameter) }
        return objects
    }

    private static let keyParameter: JSONValue = [
        "name": "Idempotency-Key", "in": "header", "required": false,
        "description": .text(
            "Names the call, so that it can be repeated without being done twice: for 24 hours the same key "
                + "on the same call by the same caller gets the first answer again, with "
                + "`Idempotency-Replayed: true`. Only what took effect (2xx) is kept; what was refused "
                + "is judged afresh."),
        "schema": ["type": "string", "minLength": 1, "maxLength": 255],
    ]

    private func requestBody(collecting components: inout [String: JSONValue]) -> JSONValue? {
        switch body {
        case .none: return nil
        case .json(let shape):
            return [
                "required": true,
                "content": ["application/json": ["schema": shape.schema(collecting: &components)]],
            ]
        case .form(let fields):
            let schema = Shape.fields("\(summary.filter(\.isLetter))Form", fields)
                .schema(collecting: &components)
            return [
                "required": true,
                "content": ["application/x-www-form-urlencoded": ["schema": schema]],
            ]
        case .stream(let mediaTypes, _):
            let content = mediaTypes.map { ($0, JSONValue.object(JSONObject([]))) }
            return ["required": true, "content": .object(JSONObject(content))]
        }
    }

    private func responses(collecting components: inout [String: JSONValue]) -> JSONValue {
        var objects: [(String, JSONValue)] = []
        for answer in answers {
            var content: [(String, JSONValue)] = []
            for (mediaType, shape) in answer.content {
                let schema = shape?.schema(collecting: &components)
                content.append((mediaType, schema.map { ["schema": $0] } ?? [:]))
            }
            var object: [(String, JSONValue)] = [("description", .text(answer.meaning))]
            if !content.isEmpty { object.append(("content", .object(JSONObject(content)))) }
            objects.append((String(answer.status), .object(JSONObject(object))))
        }
        for problem in documentedProblems
        where !objects.contains(where: { $0.0 == String(problem.status) }) {
            objects.append((String(problem.status), Self.problemObject(problem.meaning)))
        }
        objects.append(("default", Self.problemObject("Any other problem.")))
        return .object(JSONObject(objects))
    }

    private static func problemObject(_ meaning: String) -> JSONValue {
        [
            "description": .text(meaning),
            "content": [
                "application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]
            ],
        ]
    }
}
