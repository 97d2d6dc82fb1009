import JSONBytes

/// Which attributes of a resource an answer has (RFC 7644 section 3.9).
struct Projection: Sendable {
    /// Names as the schemas write them, in lower case; `nil` for all.
    private let wanted: Set<String>?
    private let unwanted: Set<String>

    static let all = Projection(wanted: nil, unwanted: [])

    private init(wanted: Set<String>?, unwanted: Set<String>) {
        self.wanted = wanted
        self.unwanted = unwanted
    }

    /// Names that the type does not have are ignored.
    ///
    /// - Throws: 400 if both are named.
    init(_ wanted: [String], without unwanted: [String], of type: ResourceType) throws(Refusal) {
        guard wanted.isEmpty || unwanted.isEmpty else {
            throw .value("attributes", "cannot be named together with excludedAttributes.")
        }
        func names(_ texts: [String]) -> Set<String> {
            Set(
                texts.compactMap { text in
                    switch type.find(text) {
                    case .attribute(let name)?: name.text.lowercased()
                    case .schema(let schema)?: schema.id.lowercased()
                    case nil: nil
                    }
                })
        }
        self.wanted = wanted.isEmpty ? nil : names(wanted)
        self.unwanted = names(unwanted)
    }

    private static let always: Set<String> = ["id", "schemas"]

    /// Whether an answer has an attribute or a part of it.
    func has(_ name: String) -> Bool {
        let name = name.lowercased()
        if Self.always.contains(name) { return true }
        guard let wanted else { return !unwanted.contains(name) }
        return wanted.contains(name) || wanted.contains { $0.hasPrefix("\(name).") }
            || wanted.contains { $0.hasPrefix("\(name):") }
    }

    /// The resource with what the answer has of it.
    func applied(to object: JSONObject) -> JSONObject {
        if wanted == nil, unwanted.isEmpty { return object }
        return selected(object, below: "", isWhole: wanted == nil)
    }

    /// - Parameters:
    ///   - prefix: what stands before the names of members.
    ///   - isWhole: whether a member is there that nobody named.
    private func selected(_ object: JSONObject, below prefix: String, isWhole: Bool) -> JSONObject {
        var selected = JSONObject()
        for member in object.members {
            let name = prefix + member.key.lowercased()
            if prefix.isEmpty, Self.always.contains(name) {
                selected[member.key] = member.value
                continue
            }
            guard !unwanted.contains(name) else { continue }
            let isNamed = isWhole || wanted?.contains(name) == true
            let value = self.selected(
                member.value, below: name + (name.hasPrefix("urn:") && prefix.isEmpty ? ":" : "."),
                isWhole: isNamed)
            if let value { selected[member.key] = value }
        }
        return selected
    }

    /// `nil` if nothing is left of a value.
    private func selected(_ value: JSONValue, below prefix: String, isWhole: Bool) -> JSONValue? {
        switch value {
        case .object(let object):
            let rest = selected(object, below: prefix, isWhole: isWhole)
            guard !rest.isEmpty else { return nil }
            return .object(rest)
        case .array(let values):
            let rest = values.compactMap { selected($0, below: prefix, isWhole: isWhole) }
            guard !rest.isEmpty else { return nil }
            return .array(rest)
        default:
            guard isWhole else { return nil }
            return value
        }
    }
}
