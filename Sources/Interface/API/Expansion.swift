import JSONBytes
import Values

/// What `expand` can add to the objects of an answer: the records that one of their fields refers to.
package struct Expansion: Sendable {
    /// The parameter of the query.
    package static let parameter = "expand"
    /// The member of each object that has the records.
    package static let member = "expanded"
    /// How many items a page may have that is expanded.
    package static let mostItems = 200
    /// To how many records an answer may refer that is expanded, each counted as often as it is added.
    package static let mostRecords = 10_000

    /// As in `expand` and in `expanded`.
    package let name: String
    /// The field with the id, or with a list of ids.
    package let field: String
    package let isList: Bool
    /// The API document's name for the records.
    package let component: String

    package init(name: String, field: String, isList: Bool, component: String) {
        self.name = name
        self.field = field
        self.isList = isList
        self.component = component
    }

    /// The ids in an object that the field refers to; those of a list in its order.
    fileprivate func ids(in object: JSONObject) -> [UUID] {
        let values = isList ? object[field]?.array ?? [] : [object[field]].compactMap(\.self)
        return values.compactMap { $0.text.flatMap { UUID($0) } }
    }

    /// A record that is missing is null, or absent from a list.
    fileprivate func value(for object: JSONObject, from records: [UUID: JSONValue]) -> JSONValue {
        let found = ids(in: object).compactMap { records[$0] }
        return isList ? .array(found) : found.first ?? .null
    }
}

extension Request {
    /// What the query wants to be added. 400 for what this answer does not have, or for too long a page.
    package func expansions() throws -> [Expansion] {
        guard operation.presents(Expansion.parameter), let text = query(Expansion.parameter) else {
            return []
        }
        let known = operation.expansions
        var wanted: [Expansion] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let expansion = known.first(where: { $0.name == name }) else {
                throw Problem.invalidParameter(
                    Expansion.parameter,
                    "This answer has nothing to expand by “\(name)”. There are: "
                        + "\(known.map(\.name).joined(separator: ", ")).")
            }
            if !wanted.contains(where: { $0.name == expansion.name }) { wanted.append(expansion) }
        }
        if let limit = queryInteger("limit"), limit > Expansion.mostItems, operation.item != nil {
            throw Problem.invalidParameter(
                "limit", "With expand, a page has at most \(Expansion.mostItems) items.")
        }
        return wanted
    }
}

/// An answer while records are added to its objects.
package struct ExpandedAnswer: Sendable {
    private let document: JSONValue
    private let isPage: Bool
    private let wanted: [Expansion]

    package init(_ bytes: [UInt8], of operation: Operation, wanted: [Expansion]) throws {
        document = try JSONValue(parsing: bytes)
        isPage = operation.item != nil
        self.wanted = wanted
    }

    private var objects: [JSONObject] {
        isPage
            ? document["items"]?.array?.compactMap(\.object) ?? []
            : [document.object].compactMap(\.self)
    }

    /// The ids of all records by their kind. 400 if they are too many.
    package func ids() throws -> [String: Set<UUID>] {
        var ids: [String: Set<UUID>] = [:]
        var count = 0
        for object in objects {
            for expansion in wanted {
                let found = expansion.ids(in: object)
                count += found.count
                ids[expansion.component, default: []].formUnion(found)
            }
        }
        guard count <= Expansion.mostRecords else {
            throw Problem.invalidParameter(
                Expansion.parameter,
                "This answer refers to more than \(Expansion.mostRecords) records. Ask for fewer items."
            )
        }
        return ids
    }

    /// The answer with the records.
    ///
    /// - Parameter records: those that the caller may read, by kind and id.
    package func bytes(adding records: [String: [UUID: JSONValue]]) -> [UInt8] {
        guard case .object(var whole) = document else { return document.bytes }
        guard isPage else { return JSONValue.object(expanded(whole, records)).bytes }
        whole["items"] = .array(objects.map { .object(expanded($0, records)) })
        return JSONValue.object(whole).bytes
    }

    private func expanded(
        _ object: JSONObject, _ records: [String: [UUID: JSONValue]]
    ) -> JSONObject {
        var object = object
        object[Expansion.member] = .object(
            JSONObject(
                wanted.map { ($0.name, $0.value(for: object, from: records[$0.component] ?? [:])) }
            ))
        return object
    }
}

extension Operation {
    /// Adds what `expand` adds to the schema of the objects in the answer.
    func addExpansions(to components: inout [String: JSONValue]) {
        guard !expansions.isEmpty, let name = expandedObject,
            case .object(var schema)? = components[name],
            case .object(var properties)? = schema["properties"], !properties.has(Expansion.member)
        else { return }
        let component = name + "Expanded"
        properties[Expansion.member] = [
            "$ref": .text("#/components/schemas/\(component)"),
            "description": "What `expand` adds, and absent without it.",
        ]
        schema["properties"] = .object(properties)
        components[name] = .object(schema)
        components[component] = [
            "type": "object", "additionalProperties": false,
            "properties": .object(JSONObject(expansions.map { ($0.name, $0.schema) })),
        ]
    }

    private var expandedObject: String? {
        if let item { return item.name }
        guard case .object(let shape)? = answered else { return nil }
        return shape.name
    }
}

extension Expansion {
    fileprivate var schema: JSONValue {
        let record: JSONValue = ["$ref": .text("#/components/schemas/\(component)")]
        return isList
            ? ["type": "array", "items": record] : ["anyOf": .array([record, ["type": "null"]])]
    }
}
