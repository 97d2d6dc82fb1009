import JSONBytes

extension Filter {
    /// Whether one value of an attribute satisfies the filter; for the paths of changes.
    func matches(_ value: JSONValue) throws(Refusal) -> Bool {
        switch self {
        case .all(let filters):
            for filter in filters {
                guard try filter.matches(value) else { return false }
            }
            return true
        case .any(let filters):
            for filter in filters {
                if try filter.matches(value) { return true }
            }
            return false
        case .not(let filter): return try !filter.matches(value)
        case .present(let path): return value.part(path.text) != nil
        case .comparison(let path, let comparator, let wanted):
            return Self.compare(value.part(path.text), comparator, wanted)
        case .values(let path, _):
            throw Refusal(400, .invalidPath, "path: \(path.text.prefix(200)) is nested.")
        }
    }

    /// Texts without regard to case: the values of the attributes that have filters are ids, addresses and words.
    private static func compare(
        _ found: JSONValue?, _ comparator: Comparator, _ wanted: JSONValue
    ) -> Bool {
        guard let left = found?.spelled, let right = wanted.spelled else {
            return comparator == .notEqual ? found?.spelled != wanted.spelled : wanted.isNull
        }
        return switch comparator {
        case .equal: left == right
        case .notEqual: left != right
        case .contains: left.contains(right)
        case .startsWith: left.hasPrefix(right)
        case .endsWith: left.hasSuffix(right)
        case .greater: left > right
        case .atLeast: left >= right
        case .less: left < right
        case .atMost: left <= right
        }
    }

    /// What every value that satisfies the filter has: where it demands equality, and nothing else.
    var equalities: [(part: String, value: JSONValue)]? {
        switch self {
        case .comparison(let path, .equal, let value): return [(path.text, value)]
        case .all(let filters):
            let each = filters.map(\.equalities)
            return each.contains { $0 == nil } ? nil : each.compactMap(\.self).flatMap(\.self)
        default: return nil
        }
    }
}

extension JSONValue {
    /// A member whose name may be written in any case.
    fileprivate func part(_ name: String) -> JSONValue? {
        let wanted = name.lowercased()
        return object?.members.first { $0.key.lowercased() == wanted }?.value
    }

    /// As texts are compared; `nil` for null, lists and objects.
    fileprivate var spelled: String? {
        switch self {
        case .text(let text): text.lowercased()
        case .bool(let value): value ? "true" : "false"
        case .number(let number): number.literal
        default: nil
        }
    }
}
