import JSONBytes

extension Shape {
    /// The JSON Schema (2020-12) of the shape; named objects go into `components` once and are referred to.
    func schema(collecting components: inout [String: JSONValue]) -> JSONValue {
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
        case .reference: ["type": "string", "description": "An id or source:ID."]
        case .word(let words):
            ["type": "string", "enum": .array(words.map(JSONValue.text))]
        case .array(let element, let count):
            [
                "type": "array", "items": element.schema(collecting: &components),
                "minItems": .int(count.lowerBound), "maxItems": .int(count.upperBound),
            ]
        case .object(let shape): shape.schema(collecting: &components)
        case .variant(let name, let discriminator, let variants):
            Self.variantSchema(name, discriminator, variants, &components)
        case .either(let first, let second):
            [
                "anyOf": .array([
                    first.schema(collecting: &components), second.schema(collecting: &components),
                ])
            ]
        case .orNull(let shape):
            ["anyOf": .array([shape.schema(collecting: &components), ["type": "null"]])]
        case .map(let element):
            ["type": "object", "additionalProperties": element.schema(collecting: &components)]
        case .anything: [:]
        }
    }

    private static func variantSchema(
        _ name: String, _ discriminator: String,
        _ variants: [(word: String, shape: ObjectShape)], _ components: inout [String: JSONValue]
    ) -> JSONValue {
        var choices: [JSONValue] = []
        for variant in variants { choices.append(variant.shape.schema(collecting: &components)) }
        components[name] = [
            "oneOf": .array(choices), "discriminator": ["propertyName": .text(discriminator)],
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
            var schema = field.shape.schema(collecting: &components)
            if !field.isRequired { schema = ["anyOf": .array([schema, ["type": "null"]])] }
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

extension JSONValue {
    static func int(_ value: Int) -> JSONValue { JSONValue(integerLiteral: Int64(value)) }
    static func double(_ value: Double) -> JSONValue { JSONValue(floatLiteral: value) }
}
