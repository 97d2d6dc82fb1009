import HTTPWire
import JSONBytes

/// The API document (OpenAPI 3.1), generated from the declarations of the operations.
package struct OpenAPI: Sendable {
    /// Operations that the document shows together.
    package struct Group: Sendable {
        /// The tag of its operations.
        package let name: String
        package let meaning: String
        package let operations: [Operation]

        package init(name: String, meaning: String, operations: [Operation]) {
            self.name = name
            self.meaning = meaning
            self.operations = operations
        }
    }

    private let groups: [Group]
    let description: APIDescription

    package init(groups: [Group], description: APIDescription) {
        self.groups = groups
        self.description = description
    }

    /// The shape of a path parameter in a collection: `orders` in `/orders/{id}`. What nothing else is said of is an id
    /// where the API is our own, and any text where it is a standard's.
    func shape(ofPath name: String, in collection: String, isOwn: Bool) -> Shape {
        description.pathShapes[name] ?? description.pathShapes[collection]
            ?? (isOwn ? .uuid : .text(1...255))
    }

    /// The whole document.
    package var document: JSONValue {
        var components: [String: JSONValue] = [:]
        components[Problem.codeComponent] = codes
        _ = Problem.shape.schema(collecting: &components)
        components["Problem"] = components["Problem"].map(withCodes)
        collectObjects(into: &components)
        var paths: [(path: String, operations: [(String, JSONValue)])] = []
        for group in groups {
            for operation in group.operations {
                let object = operation.object(
                    tag: group.name, in: self, collecting: &components)
                let entry = (operation.method.name.lowercased(), object)
                if let index = paths.firstIndex(where: { $0.path == operation.path }) {
                    paths[index].operations.append(entry)
                } else {
                    paths.append((operation.path, [entry]))
                }
            }
        }
        for operation in groups.flatMap(\.operations) {
            operation.addExpansions(to: &components)
        }
        let pathObjects = paths.map {
            ($0.path, JSONValue.object(JSONObject($0.operations)))
        }
        let schemas = components.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": .text(description.title), "version": .text(description.version),
                "summary": .text(description.summary),
                "description": .text(description.overview),
            ],
            "servers": [["url": "/", "description": "The server that this document comes from."]],
            "tags": .array(tags),
            "paths": .object(JSONObject(pathObjects)),
            "components": [
                "schemas": .object(JSONObject(schemas)),
                "responses": CommonProblem.components,
                "securitySchemes": description.securitySchemes,
            ],
        ]
    }

    /// Those with the shortest names first: an enum that several objects share is named after the first.
    private func collectObjects(into components: inout [String: JSONValue]) {
        let objects = groups.flatMap(\.operations).flatMap(\.objects)
        for object in objects.sorted(by: { ($0.name.count, $0.name) < ($1.name.count, $1.name) }) {
            _ = object.schema(collecting: &components)
        }
    }

    private var tags: [JSONValue] {
        groups.map { ["name": .text($0.name), "description": .text($0.meaning)] }
    }

    /// Every code, with their meanings as a list for people; any text where the description has none.
    private var codes: JSONValue {
        guard !description.codes.isEmpty else {
            return ["type": "string", "description": "Stable, for programs."]
        }
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
            .optional(
                "redirectTo", .text(1...8000),
                "Only for a client that asks to be authorized: where to send the browser, so that the client learns of the problem."
            ),
        ])
}
