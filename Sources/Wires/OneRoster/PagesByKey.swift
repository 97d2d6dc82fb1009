import Postgres

/// How the database finds a page of a whole collection by functions that return keys, instead of computing all of it.
struct PagesByKey: Sendable {
    /// The function; its arguments are a sourcedId, and how many rows are skipped and wanted from there.
    private let page: Statement
    /// How many rows there are, as an expression.
    let count: Statement
    /// The collection's table, called `x`.
    private let source: Statement
    /// Which of its rows have the keys `k`: each condition finds those of one kind by an index.
    private let conditions: [Statement]

    init(
        _ page: Statement, count: Statement, of source: Statement, where conditions: [Statement]
    ) {
        self.page = page
        self.count = count
        self.source = source
        self.conditions = conditions
    }

    /// For `from`: a page of the table, `x`, with the place of each row.
    func rows(after: String, offset: Int, limit: Int) -> Statement {
        let found = conditions.map { condition -> Statement in
            "select x.* from \(fragment: source) as x where x.is_active and \(fragment: condition)"
        }
        // `offset 0` looks each key up by itself: the planner would compute the whole collection and join it.
        return """
            \(fragment: page)(\(after), \(offset)::integer, \(limit)::integer) as k
             cross join lateral (select k.place, x.* from (\(fragment: found.joined(by: " union all "))) as x
                                 offset 0) as x
            """
    }
}
