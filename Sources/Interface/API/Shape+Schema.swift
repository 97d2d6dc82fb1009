import JSONBytes

extension Shape {
    /// The JSON Schema (2020-12) of the shape. Named objects and enums go into `components` once and are referred to.
    ///
    /// - Parameter name: the name of an enum in `components`; without it, the enum is inline.
    func schema(
        as name: EnumName? = nil, collecting components: inout [String: JSONValue]
    ) -> JSONValue {
        switch self {
        case .text(let range, _):
            [
                "type": "string", "minLength": .int(range.lowerBound),
                "maxLength": .int(range.upperBound),
            ]
        case .integer(let range):
            [
                "type": "integer", "minimum": .int(range.lowerBound),
                "maximum": .int(range.upperBound),
            ]
        case .number(let range):
            range.upperBound.isFinite && range.upperBound < 1e300
                ? [
                    "type": "number", "minimum": .double(range.lowerBound),
                    "maximum": .double(range.upperBound),
                ] : ["type": "number"]
        case .boolean: ["type": "boolean"]
        case .uuid: ["type": "string", "format": "uuid"]
        case .timestamp: ["type": "string", "format": "date-time"]
        case .day: ["type": "string", "format": "date"]
        case .form(let form): form.schema
        case .word(let words): Self.schema(of: words, as: name, &components)
        case .array(let element, let count):
            [
                "type": "array", "items": element.schema(as: name, collecting: &components),
                "minItems": .int(count.lowerBound), "maxItems": .int(count.upperBound),
            ]
        case .object(let shape): shape.schema(collecting: &components)
        case .variant(let name, let discriminator, let variants):
            Self.variantSchema(name, discriminator, variants, &components)
        case .either(let first, let second):
            [
                "anyOf": .array([
                    first.schema(as: name, collecting: &components),
                    second.schema(as: name, collecting: &components),
                ])
            ]
        case .orNull(let shape):
            [
                "anyOf": .array([
                    shape.schema(as: name, collecting: &components), ["type": "null"],
                ])
            ]
        case .map(let element):
            ["type": "object", "additionalProperties": element.schema(collecting: &components)]
        case .anything: [:]
        }
    }

    /// Equal enums become one component, wherever they occur, named after the first field.
    private static func schema(
        of words: [String], as name: EnumName?, _ components: inout [String: JSONValue]
    ) -> JSONValue {
        let schema: JSONValue = ["type": "string", "enum": .array(words.map(JSONValue.text))]
        guard let name, words.count > 1 else { return schema }
        let known = components.filter { $0.value == schema }.map(\.key).min()
        let key = known ?? [name.short, name.long].first { components[$0] == nil }
        guard let key else { return schema }
        components[key] = schema
        return ["$ref": .text("#/components/schemas/\(key)")]
    }

    private static func variantSchema(
        _ name: String, _ discriminator: String,
        _ variants: [(word: String, shape: ObjectShape)], _ components: inout [String: JSONValue]
    ) -> JSONValue {
        var choices: [JSONValue] = []
        for variant in variants { choices.append(variant.shape.schema(collecting: &components)) }
        let mapping = zip(variants, choices).map { ($0.word, $1["$ref"] ?? .null) }
        components[name] = [
            "oneOf": .array(choices),
            "discriminator": [
                "propertyName": .text(discriminator), "mapping": .object(JSONObject(mapping)),
            ],
        ]
        return ["$ref": .text("#/components/schemas/\(name)")]
    }
}

extension ObjectShape {
    func schema(collecting components: inout [String: JSONValue]) -> JSONValue {
        let reference: JSONValue = ["$ref": .text("#/components/schemas/\(name)")]
        guard components[name] == nil else { return reference }
        components[name] = [:]
        var properties: [(String, JSONValue)] = []
        for field in fields {
            var schema = field.shape.schema(
                as: EnumName(field: field.name, of: name), collecting: &components)
            if field.isNullable { schema = ["anyOf": .array([schema, ["type": "null"]])] }
            if let meaning = field.meaning, case .object(var object) = schema {
                object["description"] = .text(meaning)
                schema = .object(object)
            }
            properties.append((field.name, schema))
        }
        var members: [(String, JSONValue)] = [
            ("type", "object"), ("additionalProperties", false),
            ("properties", .object(JSONObject(properties))),
        ]
        let required = fields.filter(\.isRequired).map { JSONValue.text($0.name) }
        if !required.isEmpty { members.append(("required", .array(required))) }
        components[name] = .object(JSONObject(members))
        return reference
    }
}

/// The possible names of an enum in the API document.
struct EnumName {
    /// After the field alone, if that says enough.
    let short: String
    let long: String

    /// Field names that say nothing without their object.
    private static let vague: Set<String> = [
        "change", "code", "error", "file", "kind", "mode", "name", "origin", "outcome", "role",
        "state",
        "status", "type",
    ]

    init(field: String, of owner: String) {
        let field = field.prefix(1).uppercased() + field.dropFirst()
        let owner = owner.prefix(1).uppercased() + owner.dropFirst()
        long = owner.hasSuffix(field) ? owner + "Name" : owner + field
        short = Self.vague.contains(field.lowercased()) ? long : field
    }
}

extension JSONValue {
    static func int(_ value: Int) -> JSONValue { JSONValue(integerLiteral: Int64(value)) }
    static func double(_ value: Double) -> JSONValue { JSONValue(floatLiteral: value) }
}
