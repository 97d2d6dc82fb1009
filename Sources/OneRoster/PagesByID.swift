import Postgres

/// How the database finds a page of a whole collection by an index, instead of sorting the collection.
struct PagesByID: Sendable {
    /// What the names of the functions begin with.
    private let kind: Statement
    /// The collection's table, if the function returns keys alone and not whole rows.
    private let keyed: (@Sendable (RosterMoment) -> Statement)?
    /// Whether the functions take the moment, because time changes which records there are.
    private let isTimed: Bool

    /// Of a function that returns whole rows at a moment.
    init(_ kind: Statement) {
        self.kind = kind
        keyed = nil
        isTimed = true
    }

    /// Of a function that returns the ids of rows.
    init(_ kind: Statement, of source: @escaping @Sendable (RosterMoment) -> Statement) {
        self.kind = kind
        keyed = source
        isTimed = false
    }

    /// For `from`: every so many of the sourcedIds, as `marks`, and the `total`.
    func marks(at moment: RosterMoment) -> Statement {
        "school.oneroster_\(fragment: kind)_marks(\(RosterIndex.step)::integer\(fragment: argument(moment)))"
    }

    /// For `from`: a page of the collection's table, `x`, with the place of each row.
    ///
    /// - Parameters:
    ///   - after: after which sourcedId.
    ///   - offset: how many rows are skipped.
    ///   - limit: how many rows at most.
    func rows(
        after: String, offset: Int, limit: Statement, at moment: RosterMoment
    ) -> Statement {
        let page: Statement = """
            school.oneroster_\(fragment: kind)_page(
                \(after), \(offset)::integer, (\(fragment: limit))::integer\(fragment: argument(moment)))
            """
        guard let keyed else { return "\(fragment: page) as x" }
        // `offset 0` looks each key up by itself: the planner would read the whole collection and join it.
        return """
            \(fragment: page) as k
             cross join lateral (select k.place, x.* from \(fragment: keyed(moment)) as x
                                  where x.is_active and x.id = k.id offset 0) as x
            """
    }

    private func argument(_ moment: RosterMoment) -> Statement {
        isTimed ? moment.lastArgument : ""
    }
}
