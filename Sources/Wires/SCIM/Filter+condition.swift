import JSONBytes
import Postgres
import Values

/// Translates one filter into a condition of SQL.
private protocol Translation {
    func condition(_ filter: Filter) throws(Refusal) -> Statement
}

extension Translation {
    func joined(_ filters: [Filter], by separator: Statement) throws(Refusal) -> Statement {
        var parts: [Statement] = []
        for filter in filters { parts.append(try condition(filter)) }
        return "(\(fragment: parts.joined(by: separator)))"
    }
}

/// Translates filters into conditions of SQL. Values are bound, and everything else is chosen from what is written in
/// `Term.swift`.
struct FilterTranslation: Translation {
    let type: ResourceType
    /// Whether an attribute that only another type has is absent, not a mistake: for a search of all types.
    var knowsOtherTypes = false

    /// The filter as a condition in parentheses, so that nothing within it reaches what stands around it.
    func condition(_ filter: Filter) throws(Refusal) -> Statement {
        switch filter {
        case .all(let filters): return try joined(filters, by: " and ")
        case .any(let filters): return try joined(filters, by: " or ")
        case .not(let filter):
            return "(not coalesce(\(fragment: try condition(filter)), false))"
        case .present(let path): return try present(path)
        case .values(let path, let inner):
            guard let term = try term(path) else { return "(false)" }
            guard case .values(let values) = term else {
                throw .filter(path, "does not have several values")
            }
            return values.hold(
                try ValueTranslation(path: path, parts: values.parts).condition(inner))
        case .comparison(let path, let comparator, let value):
            return try comparison(path, comparator, value)
        }
    }

    private func comparison(
        _ path: Filter.Path, _ comparator: Filter.Comparator, _ value: JSONValue
    ) throws(Refusal) -> Statement {
        guard let term = try term(path) else { return "(false)" }
        guard case .values(let values) = term else {
            return try Comparison(path, comparator, value).condition(on: term)
        }
        // The value of a multi-valued attribute is compared where no part is named (RFC 7644 section 3.4.2.2).
        let comparison = Comparison(path, comparator == .notEqual ? .equal : comparator, value)
        guard let part = values.parts[try partName(path) ?? "value"] else {
            throw .filter(path, "has no such part")
        }
        let found = values.hold(try comparison.condition(on: part))
        return comparator == .notEqual ? "(not \(fragment: found))" : found
    }

    private func present(_ path: Filter.Path) throws(Refusal) -> Statement {
        switch try term(path) {
        case nil: "(false)"
        case .values(let values)?: values.hold("true")
        case .text(let value)?, .folded(let value)?, .id(let value)?, .boolean(let value)?,
            .moment(let value)?:
            "(\(fragment: value) is not null)"
        }
    }

    /// The part that a path names beside an attribute with several values, in lower case.
    private func partName(_ path: Filter.Path) throws(Refusal) -> String? {
        try name(path)?.part?.name.lowercased()
    }

    /// What a path compares; `nil` if only another type has it.
    private func term(_ path: Filter.Path) throws(Refusal) -> Term? {
        guard let name = try name(path) else { return nil }
        let whole = AttributeName(schema: name.schema, attribute: name.attribute, part: nil)
        if let term = type.terms[name.text.lowercased()] { return term }
        if name.attribute.isMany, let term = type.terms[whole.text.lowercased()] { return term }
        // Every resource has these, or the name of a person all of which is there.
        if name.part == nil, ["name", "meta", "schemas"].contains(name.attribute.name) {
            return .text("''")
        }
        throw .filter(path, "cannot be compared")
    }

    private func name(_ path: Filter.Path) throws(Refusal) -> AttributeName? {
        if case .attribute(let name)? = type.find(path.text) { return name }
        if knowsOtherTypes, ResourceType.allCases.contains(where: { $0.find(path.text) != nil }) {
            return nil
        }
        throw .filter(path, "is not an attribute of \(type.segment)")
    }
}

/// The same for a filter of the values of one attribute.
private struct ValueTranslation: Translation {
    let path: Filter.Path
    let parts: [String: Term]

    func condition(_ filter: Filter) throws(Refusal) -> Statement {
        switch filter {
        case .all(let filters): return try joined(filters, by: " and ")
        case .any(let filters): return try joined(filters, by: " or ")
        case .not(let filter):
            return "(not coalesce(\(fragment: try condition(filter)), false))"
        case .present(let part):
            guard let key = try term(part).sortKey else { throw .filter(part, "is nested") }
            return "(\(fragment: key) is not null)"
        case .comparison(let part, let comparator, let value):
            return try Comparison(part, comparator, value).condition(on: try term(part))
        case .values(let part, _): throw .filter(part, "is nested")
        }
    }

    private func term(_ part: Filter.Path) throws(Refusal) -> Term {
        guard let term = parts[part.text.lowercased()] else {
            throw .filter(part, "is not a part of \(path.text.prefix(200))")
        }
        return term
    }
}

/// One comparison with a value.
private struct Comparison {
    let path: Filter.Path
    let comparator: Filter.Comparator
    let value: JSONValue

    init(_ path: Filter.Path, _ comparator: Filter.Comparator, _ value: JSONValue) {
        self.path = path
        self.comparator = comparator
        self.value = value
    }

    func condition(on term: Term) throws(Refusal) -> Statement {
        if value.isNull { return try nullCondition(term) }
        switch term {
        case .text(let text): return "(\(fragment: textCondition(text, "\(try word())")))"
        case .folded(let text): return "(\(fragment: textCondition(text, "lower(\(try word()))")))"
        case .id(let id): return try idCondition(id)
        case .boolean(let flag):
            guard comparator == .equal || comparator == .notEqual else {
                throw .filter(path, "takes only eq, ne and pr")
            }
            guard let wanted = value.bool ?? Bool(anyCase: value.text) else {
                throw .filter(path, "is compared with true or false")
            }
            let isEqual: Statement = "\(fragment: flag) = \(wanted)"
            return comparator == .equal
                ? "(\(fragment: isEqual))" : "((\(fragment: isEqual)) is not true)"
        case .moment(let moment):
            guard let wanted = value.text.flatMap({ Timestamp($0) }) else {
                throw .filter(path, "is compared with a time such as \"2026-01-31T12:00:00Z\"")
            }
            return try ordered(moment, "\(wanted)")
        case .values: throw .filter(path, "has several values")
        }
    }

    /// Nothing is equal to null but what is absent.
    private func nullCondition(_ term: Term) throws(Refusal) -> Statement {
        guard comparator == .equal || comparator == .notEqual, let key = term.sortKey else {
            throw .filter(path, "is compared with null by eq and ne only")
        }
        return comparator == .equal
            ? "(\(fragment: key) is null)" : "(\(fragment: key) is not null)"
    }

    /// The text to compare with; a number without quotation marks is one.
    private func word() throws(Refusal) -> String {
        switch value {
        case .text(let text): return text
        case .number(let number): return number.literal
        default: throw .filter(path, "is compared with a text")
        }
    }

    private func textCondition(_ text: Statement, _ wanted: Statement) -> Statement {
        switch comparator {
        case .equal: "\(fragment: text) = \(fragment: wanted)"
        case .notEqual: "\(fragment: text) is distinct from \(fragment: wanted)"
        case .contains: "strpos(\(fragment: text), \(fragment: wanted)) > 0"
        case .startsWith: "starts_with(\(fragment: text), \(fragment: wanted))"
        case .endsWith:
            "right(\(fragment: text), char_length(\(fragment: wanted))) = \(fragment: wanted)"
        case .greater: #"\#(fragment: text) collate "C" > \#(fragment: wanted)"#
        case .atLeast: #"\#(fragment: text) collate "C" >= \#(fragment: wanted)"#
        case .less: #"\#(fragment: text) collate "C" < \#(fragment: wanted)"#
        case .atMost: #"\#(fragment: text) collate "C" <= \#(fragment: wanted)"#
        }
    }

    /// An id that is equal is found by the key of its table.
    private func idCondition(_ id: Statement) throws(Refusal) -> Statement {
        let text = try word()
        switch (comparator, UUID(text)) {
        case (.equal, let wanted?): return "(\(fragment: id) = \(wanted))"
        case (.equal, nil): return "(false)"
        case (.notEqual, let wanted?): return "(\(fragment: id) is distinct from \(wanted))"
        case (.notEqual, nil): return "(true)"
        default: return "(\(fragment: textCondition("\(fragment: id)::text", "lower(\(text))")))"
        }
    }

    private func ordered(_ left: Statement, _ right: Statement) throws(Refusal) -> Statement {
        let comparator: Statement =
            switch self.comparator {
            case .equal: "="
            case .notEqual: "is distinct from"
            case .greater: ">"
            case .atLeast: ">="
            case .less: "<"
            case .atMost: "<="
            case .contains, .startsWith, .endsWith: throw .filter(path, "is a time, not a text")
            }
        return "(\(fragment: left) \(fragment: comparator) \(fragment: right))"
    }
}

extension Bool {
    /// Entra sends Booleans as texts with a capital letter.
    init?(anyCase text: String?) {
        switch text?.lowercased() {
        case "true": self = true
        case "false": self = false
        default: return nil
        }
    }
}
