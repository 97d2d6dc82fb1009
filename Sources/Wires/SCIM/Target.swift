import JSONBytes

/// What the path of a change leads to (RFC 7644 section 3.5.2).
struct Target: Sendable {
    enum Found: Sendable {
        case target(Target)
        case schema(Schema)
        /// An attribute that the directory has no word for.
        case unknown
    }

    let name: AttributeName
    let filter: Filter?
    let part: Attribute?

    /// - Throws: 400 if the text is not a path.
    static func find(_ text: String, in type: ResourceType) throws(Refusal) -> Found {
        var parser = FilterParser(text)
        let parsed: (path: Filter.Path, filter: Filter?, part: String?)
        do throws(FilterMistake) {
            parsed = try parser.change()
        } catch {
            throw Refusal(
                400, .invalidPath,
                "path: at position \(error.position) there should be \(error.expected).")
        }
        switch type.find(parsed.path.text) {
        case nil: return .unknown
        case .schema(let schema)?: return parsed.filter == nil ? .schema(schema) : .unknown
        case .attribute(let name)?:
            guard parsed.filter != nil else {
                return .target(Target(name: name, filter: nil, part: name.part))
            }
            guard name.attribute.isMany, name.part == nil else {
                throw Refusal(
                    400, .invalidPath, "path: \(name.text) does not have several values.")
            }
            let part = parsed.part.flatMap { name.attribute.parts.named($0) }
            if parsed.part != nil, part == nil { return .unknown }
            return .target(Target(name: name, filter: parsed.filter, part: part))
        }
    }

    private var attribute: Attribute { name.attribute }

    // MARK: Removing

    /// What is left of an attribute without all that the path names.
    func removed(from present: JSONValue?) throws(Refusal) -> JSONValue? {
        guard attribute.isMany else {
            guard let part, var object = present?.object else { return nil }
            object[part.name] = nil
            guard !object.isEmpty else { return nil }
            return .object(object)
        }
        let values = present?.array ?? []
        if let filter {
            var left: [JSONValue] = []
            for one in values {
                guard try filter.matches(one) else {
                    left.append(one)
                    continue
                }
                guard let part, var object = one.object else { continue }
                object[part.name] = nil
                if !object.isEmpty { left.append(.object(object)) }
            }
            return .array(left)
        }
        // Read literally, some clients would empty a group when they mean one member.
        guard attribute.name != "members" else {
            throw Refusal(
                400, .noTarget,
                "members: say who is to be removed. To empty a group, replace its members by an empty list."
            )
        }
        return nil
    }

    /// Which values of an attribute go, where a list or a filter such as `members[value eq "…"]` names them; `nil` if
    /// the change says it in another way.
    ///
    /// - Parameter value: which values go, as Entra says it.
    func removedByName(_ value: JSONValue?) throws(Refusal) -> [JSONValue]? {
        guard attribute.isMany else { return nil }
        if let filter {
            guard part == nil, case .comparison(let path, .equal, .text(let text)) = filter,
                path.text.lowercased() == "value", !text.isEmpty
            else { return nil }
            return [["value": .text(text)]]
        }
        guard let value, !value.isNull else { return nil }
        return try attribute.normalized(value)?.array ?? []
    }

    /// What is left without the values of the same names.
    static func removing(_ gone: [JSONValue], from values: [JSONValue]) -> [JSONValue] {
        let gone = keys(gone)
        return values.filter { !gone.contains(key(of: $0)) }
    }

    // MARK: Setting

    /// Which values come to those of an attribute; `nil` if the change does something else.
    func added(_ value: JSONValue?) throws(Refusal) -> [JSONValue]? {
        guard attribute.isMany, filter == nil, part == nil, let value, !value.isNull else {
            return nil
        }
        return try attribute.normalized(value)?.array ?? []
    }

    /// The values with those of the others that are not among them yet.
    static func adding(_ sent: [JSONValue], to values: [JSONValue]) -> [JSONValue] {
        var known = keys(values)
        return values + sent.filter { known.insert(key(of: $0)).inserted }
    }

    /// An attribute after a value was added, or took the place of others.
    func set(
        in present: JSONValue?, to value: JSONValue, isReplacing: Bool
    ) throws(Refusal) -> JSONValue? {
        guard attribute.isMany else { return try setOne(in: present, to: value) }
        guard !value.isNull || attribute.name != "members" else {
            throw .value("members", "should be a list; an empty one empties the group.")
        }
        let values = present?.array ?? []
        if let filter { return .array(try set(those: filter, of: values, to: value)) }
        if let part {
            let kept = try part.normalizedOne(value)
            let all = values.isEmpty ? [.object(JSONObject())] : values
            return .array(all.compactMap { Self.merged($0, [(part.name, kept)]) })
        }
        let sent = try attribute.normalized(value)?.array ?? []
        return .array(isReplacing ? sent : Self.adding(sent, to: values))
    }

    private func setOne(in present: JSONValue?, to value: JSONValue) throws(Refusal) -> JSONValue? {
        if let part {
            return Self.merged(
                present ?? .object(JSONObject()),
                [(part.name, try part.normalizedOne(value))])
        }
        guard let kept = try attribute.normalizedOne(value) else { return nil }
        guard let object = kept.object else { return kept }
        return Self.merged(
            present ?? .object(JSONObject()), object.members.map { ($0.key, $0.value) })
    }

    /// Sets the values that satisfy the filter; where there are none, one that does is made of what the filter demands.
    private func set(
        those filter: Filter, of values: [JSONValue], to value: JSONValue
    ) throws(Refusal) -> [JSONValue] {
        let changes: [(String, JSONValue?)]
        if let part {
            changes = [(part.name, try part.normalizedOne(value))]
        } else {
            guard let kept = try attribute.normalizedOne(value.array?.first ?? value) else {
                return values
            }
            changes = kept.object?.members.map { ($0.key, $0.value) } ?? []
        }
        var set: [JSONValue] = []
        var isFound = false
        for one in values {
            guard try filter.matches(one) else {
                set.append(one)
                continue
            }
            isFound = true
            if let merged = Self.merged(one, changes) { set.append(merged) }
        }
        if isFound { return set }
        guard let demands = filter.equalities else {
            throw Refusal(400, .noTarget, "path: no value of \(name.text) satisfies the filter.")
        }
        var made = JSONObject()
        for demand in demands { made[demand.part] = demand.value }
        let kept = try attribute.normalizedOne(.object(made)) ?? .object(JSONObject())
        return set + [Self.merged(kept, changes)].compactMap(\.self)
    }

    private static func merged(
        _ value: JSONValue, _ changes: [(String, JSONValue?)]
    ) -> JSONValue? {
        var object = value.object ?? JSONObject()
        for (name, value) in changes { object[name] = value }
        guard !object.isEmpty else { return nil }
        return .object(object)
    }

    /// What makes two values of an attribute the same one.
    private static func key(of value: JSONValue) -> String {
        (value["value"] ?? value).description.lowercased()
    }

    private static func keys(_ values: [JSONValue]) -> Set<String> { Set(values.map(key)) }
}
