import Postgres

/// Where the lists of callers begin who read little of a table: at what they may reach, by an index.
///
/// The policies decide what is shown, as ever. But PostgreSQL has one plan for all organizations, and takes a large one
/// for small: in the order of the keys it would go through the rows of a whole district to find those of one teacher.
package struct Reach: Sendable {
    let standings: [Standing]
    /// `nil` for the key of the table.
    let column: Statement?
    let values: Statement

    /// - Parameters:
    ///   - standings: whose lists begin here.
    ///   - column: a column whose index has the key behind it; `nil` for the key itself.
    ///   - values: an array of what the column has in every row that they may read, in SQL.
    package init(
        of standings: [Standing], by column: Statement? = nil, among values: Statement
    ) {
        self.standings = standings
        self.column = column
        self.values = values
    }
}

/// In which order the rows of a list are, and after which it begins.
package struct ListOrder {
    let columns: Statement
    let next: Statement?
    let isByKey: Bool

    /// - Parameters:
    ///   - columns: as `order by` has them, with the table before each.
    ///   - next: the condition of the rows after the last page, which begins with `and`.
    ///   - isByKey: whether the key alone is the order.
    package init(columns: Statement, next: Statement?, isByKey: Bool = false) {
        self.columns = columns
        self.next = next
        self.isByKey = isByKey
    }
}

extension Resource {
    /// Where lists of a standing begin; `nil` if it may read most of the table.
    package func reach(of standing: Standing) -> Reach? {
        reaches.first { $0.standings.contains(standing) }
    }

    /// A page of what is reached. Of each value there are no more rows than the page has, so that a few classes with a
    /// thousand rows each cost no more than others.
    ///
    /// - Parameter conditions: each begins with `and`, and names no joined table.
    package func list(
        of organization: OrganizationID, reaching reach: Reach, _ conditions: [Statement],
        _ order: ListOrder, limit: Int
    ) -> Statement {
        let table = Entity.table
        // Each value is then one row, and PostgreSQL stops after the last one of the page.
        let isInOrder = order.isByKey && reach.column == nil
        return """
            \(fragment: selections.head)
              from (select distinct value from unnest(\(fragment: reach.values)) as value order by value) as reached
             cross join lateral (
                   select * from school.\(fragment: table)
                    where \(fragment: table).organization_id = \(organization)
                      and \(fragment: table).\(fragment: reach.column ?? Entity.key) = reached.value
                          \(fragment: conditions.joined(by: " ")) \(optional: order.next)
                    order by \(fragment: order.columns) limit \(limit)) as \(fragment: table)
             \(optional: selections.joins)
             order by \(fragment: isInOrder ? "reached.value" : order.columns) limit \(limit)
            """
    }
}
