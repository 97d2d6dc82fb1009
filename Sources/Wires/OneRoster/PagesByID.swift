import Postgres

/// How the database finds a page of a whole collection by an index, instead of sorting the collection.
struct PagesByID: Sendable {
    /// What the names of the functions begin with.
    private let kind: Statement
    /// The collection's table, if the function returns keys alone and not whole rows.
    private let keyed: Statement?

    /// - Parameter source: where the rows are of which the function returns the ids; `nil` if it returns whole rows.
    init(_ kind: Statement, of source: Statement? = nil) {
        self.kind = kind
        keyed = source
    }

    /// For `from`: every so many of the sourcedIds, as `marks`, and the `total`.
    var marks: Statement {
        "school.oneroster_\(fragment: kind)_marks(\(RosterIndex.step)::integer)"
    }

    /// For `from`: a page of the collection's table, `x`, with the place of each row.
    ///
    /// - Parameters:
    ///   - after: after which sourcedId.
    ///   - offset: how many rows are skipped.
    ///   - limit: how many rows at most.
    func rows(after: String, offset: Int, limit: Statement) -> Statement {
        let page: Statement = """
            school.oneroster_\(fragment: kind)_page(
                \(after), \(offset)::integer, (\(fragment: limit))::integer)
            """
        guard let keyed else { return "\(fragment: page) as x" }
        // `offset 0` looks each key up by itself: the planner would read the whole collection and join it.
        return """
            \(fragment: page) as k
             cross join lateral (select k.place, x.* from \(fragment: keyed) as x
                                  where x.is_active and x.id = k.id offset 0) as x
            """
    }
}
