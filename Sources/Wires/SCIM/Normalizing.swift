import JSONBytes
import Values

extension ResourceType {
    /// What a client sent of a resource, with the names of the schemas and only what a client may write. What the
    /// directory has no word for is left out (RFC 7644 section 3.3).
    func normalized(_ sent: JSONObject) throws(Refusal) -> JSONObject {
        var object = JSONObject()
        for member in sent.members {
            switch find(member.key) {
            case .schema(let schema)?:
                guard let values = member.value.object else { continue }
                for value in values.members {
                    guard let attribute = schema.attributes.named(value.key) else { continue }
                    object.put(
                        try attribute.normalized(value.value), as: attribute, in: schema)
                }
            case .attribute(let name)? where name.part == nil:
                object.put(
                    try name.attribute.normalized(member.value), as: name.attribute,
                    in: name.schema)
            default: continue
            }
        }
        return object
    }
}

extension JSONObject {
    /// Sets an attribute, in the object of its extension; nothing sets it that is read-only or has no value.
    mutating func put(_ value: JSONValue?, as attribute: Attribute, in schema: Schema?) {
        guard attribute.mutability != .readOnly, let value else { return }
        guard let schema else {
            self[attribute.name] = value
            return
        }
        var members = self[schema.id]?.object ?? JSONObject()
        members[attribute.name] = value
        self[schema.id] = .object(members)
    }

    /// The value of an attribute, of the resource or of an extension.
    func value(of name: AttributeName) -> JSONValue? {
        guard let schema = name.schema else { return self[name.attribute.name] }
        return self[schema.id]?[name.attribute.name]
    }
}

extension Attribute {
    /// A value as it is kept; `nil` for none. An attribute of several values is a list, also where one value was sent.
    func normalized(_ value: JSONValue) throws(Refusal) -> JSONValue? {
        guard isMany else { return try normalizedOne(value) }
        var values: [JSONValue] = []
        for one in value.array ?? [value] {
            let kept = try normalizedOne(one)
            // Without a value, nothing says who is meant.
            guard parts.named("$ref") == nil || kept?["value"] != nil else {
                throw .value(name, "each needs a value.")
            }
            if let kept { values.append(kept) }
        }
        return .array(values)
    }

    func normalizedOne(_ value: JSONValue) throws(Refusal) -> JSONValue? {
        if value.isNull { return nil }
        switch kind {
        case .boolean:
            guard let flag = value.bool ?? Bool(anyCase: value.text) else {
                throw .value(name, "should be true or false.")
            }
            return .bool(flag)
        case .complex(let parts): return try normalized(value, with: parts)
        case .text, .moment, .reference:
            guard let text = value.text ?? value.number?.literal else {
                throw .value(name, "should be a text.")
            }
            guard !text.unicodeScalars.contains(where: \.isControl) else {
                throw .value(name, "has a control character.")
            }
            guard !text.isEmpty else { return nil }
            return .text(text)
        }
    }

    /// An object of parts; where the value alone was sent, it is the part called that.
    private func normalized(
        _ value: JSONValue, with parts: [Attribute]
    ) throws(Refusal) -> JSONValue? {
        var object = JSONObject()
        if let sent = value.object {
            for member in sent.members {
                guard let part = parts.named(member.key), part.mutability != .readOnly else {
                    continue
                }
                object[part.name] = try part.normalizedOne(member.value)
            }
            if object["value"] == nil, let reference = object["$ref"]?.text {
                object["value"] = reference.split(separator: "/").last.map { .text(String($0)) }
            }
        } else if let part = parts.named("value") {
            object["value"] = try part.normalizedOne(value)
        } else {
            throw .value(name, "should be an object.")
        }
        guard !object.isEmpty else { return nil }
        return .object(object)
    }
}
