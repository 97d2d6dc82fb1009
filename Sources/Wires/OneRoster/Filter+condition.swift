import Postgres
import Values

extension Filter {
    /// The filter as a condition of SQL, in parentheses, so that nothing within it reaches what stands around it.
    /// Values are bound, and fields and operators chosen from what is written here.
    ///
    /// - Parameters:
    ///   - terms: what may be compared.
    ///   - object: what collections call it; of fields that it never has, nothing is equal to anything.
    func condition(
        on terms: [RosterField.Term], of object: String
    ) throws(StatusInfo) -> Statement {
        var alternatives: [Statement] = []
        for comparisons in self.alternatives {
            var all: [Statement] = []
            for comparison in comparisons {
                guard let term = terms.first(where: { $0.name == comparison.field }) else {
                    if RosterModel.has(comparison.field, object) {
                        all.append(comparison.comparator == .notEqual ? "(true)" : "(false)")
                        continue
                    }
                    throw .invalid(comparison, "is not a field that can be filtered")
                }
                all.append("(\(fragment: try comparison.condition(on: term)))")
            }
            alternatives.append("(\(fragment: all.joined(by: " and ")))")
        }
        return "(\(fragment: alternatives.joined(by: " or ")))"
    }
}

extension Filter.Comparison {
    fileprivate func condition(on term: RosterField.Term) throws(StatusInfo) -> Statement {
        switch term.kind {
        case .text: return textCondition(term.expression)
        case .texts: return try textsCondition(term.expression)
        case .timestamp:
            guard let moment = Timestamp(value) ?? Timestamp("\(value)T00:00:00Z") else {
                throw .invalid(self, "is compared with a time such as 2026-01-31T12:00:00.000Z")
            }
            if term.name == "dateLastModified", comparator == .greater || comparator == .atLeast {
                return "\(fragment: term.expression) >= (select school.oneroster_since(\(moment)))"
            }
            return try ordered(term.expression, "\(moment)")
        case .day:
            guard let day = Day(value) else {
                throw .invalid(self, "is compared with a day such as 2026-01-31")
            }
            return try ordered(term.expression, "\(day)")
        case .number:
            guard let number = Double(value), number.isFinite else {
                throw .invalid(self, "is compared with a number such as 12.5")
            }
            return try ordered(term.expression, "\(number)")
        }
    }

    private func textCondition(_ text: Statement) -> Statement {
        switch comparator {
        case .equal: "\(fragment: text) = \(value)"
        case .notEqual: "\(fragment: text) is distinct from \(value)"
        case .greater: #"\#(fragment: text) collate "C" > \#(value)"#
        case .atLeast: #"\#(fragment: text) collate "C" >= \#(value)"#
        case .less: #"\#(fragment: text) collate "C" < \#(value)"#
        case .atMost: #"\#(fragment: text) collate "C" <= \#(value)"#
        case .contains: "strpos(lower(\(fragment: text)), lower(\(value))) > 0"
        }
    }

    /// A list is compared by each of its texts.
    private func textsCondition(_ texts: Statement) throws(StatusInfo) -> Statement {
        switch comparator {
        case .equal: "\(value) = any (\(fragment: texts))"
        case .notEqual: "not \(value) = any (\(fragment: texts))"
        case .contains:
            """
            exists (select from unnest(\(fragment: texts)) as e (text) where strpos(lower(e.text), lower(\(value))) > 0)
            """
        default: throw .invalid(self, "is a list, which takes only = != and ~")
        }
    }

    private func ordered(
        _ left: Statement, _ right: Statement
    ) throws(StatusInfo) -> Statement {
        let comparator: Statement =
            switch self.comparator {
            case .equal: "="
            case .notEqual: "is distinct from"
            case .greater: ">"
            case .atLeast: ">="
            case .less: "<"
            case .atMost: "<="
            case .contains: throw .invalid(self, "takes no ~")
            }
        return "\(fragment: left) \(fragment: comparator) \(fragment: right)"
    }
}

extension StatusInfo {
    fileprivate static func invalid(_ comparison: Filter.Comparison, _ why: String) -> StatusInfo {
        StatusInfo(
            status: 400, minor: .invalidFilterField, "filter: \(comparison.field) \(why).")
    }
}
