import API
import Postgres

/// The order of a collection's objects: by a field, and by their sourcedIds where that is the same.
struct RosterOrder: Sendable {
    /// `nil` for the order of sourcedIds alone.
    private let term: RosterField.Term?
    let isDescending: Bool

    init(_ request: Request, among terms: [RosterField.Term]) {
        let term = terms.first { $0.name == request.query("sort") }
        self.term = term?.name == "sourcedId" ? nil : term
        isDescending = request.query("orderBy") == "desc"
    }

    var isByID: Bool { term == nil }

    private static let id: Statement = #"x.sourced_id collate "C""#

    /// What objects are sorted by.
    private static func key(_ term: RosterField.Term) -> Statement {
        term.kind == .text
            ? #"\#(fragment: term.expression) collate "C""# : term.expression
    }

    private var direction: Statement { isDescending ? "desc" : "asc" }

    /// For `order by`.
    var columns: Statement {
        let last: Statement = "\(fragment: Self.id) \(fragment: direction)"
        guard let term else { return last }
        return "\(fragment: Self.key(term)) \(fragment: direction) nulls last, \(fragment: last)"
    }

    /// What an object is sorted by, as text.
    var value: Statement { term.map { "(\(fragment: $0.expression))::text" } ?? "null::text" }

    /// Which objects come behind a place.
    func condition(behind place: RosterPlace) -> Statement {
        let comparison: Statement = isDescending ? "<" : ">"
        let later: Statement = "\(fragment: Self.id) \(fragment: comparison) \(place.sourcedID)"
        guard let term else { return later }
        let key = Self.key(term)
        guard let sortedBy = place.sortedBy else {
            return "\(fragment: term.expression) is null and \(fragment: later)"
        }
        let value: Statement = "(\(sortedBy)::text)::\(fragment: term.kind.type)"
        return """
            (\(fragment: key) \(fragment: comparison) \(fragment: value)
             or \(fragment: key) = \(fragment: value) and \(fragment: later)
             or \(fragment: term.expression) is null)
            """
    }
}

extension RosterField.Term.Kind {
    /// Of a value that was written as text.
    fileprivate var type: Statement {
        switch self {
        case .text: "text"
        case .texts: "text[]"
        case .timestamp: "timestamptz"
        case .day: "date"
        case .number: "double precision"
        }
    }
}
