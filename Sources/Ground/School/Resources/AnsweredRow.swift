import API
import Postgres

/// What answers contain of a row, declared once: the fields of their shape and the `select` for them.
///
/// A `Resource` has one. A record whose calls are unlike those of a resource can use it by itself.
package struct AnsweredRow: Sendable {
    let table: Statement
    let columns: [any AnyColumn]
    let computed: [Computed]

    package init(of table: Statement, columns: [any AnyColumn], computed: [Computed] = []) {
        self.table = table
        self.columns = columns
        self.computed = computed
    }

    /// Ends with when the row was created and updated.
    package var fields: [Field] {
        columns.map(\.answer) + computed.map(\.field) + [
            .required("createdAt", .timestamp), .required("updatedAt", .timestamp),
        ]
    }

    /// `select … from school.pool`, to be followed by conditions. The last column is the row's version.
    package var selection: Statement {
        select(own(computed.filter { !$0.isListedOnly }) + ["\(fragment: table).version"])
    }

    /// The same for the rows of a list, which have no ETags.
    package var listedSelection: Statement { select(own(computed.filter { !$0.isAloneOnly })) }

    private func own(_ computed: [Computed]) -> [Statement] {
        columns.map { $0.shown(from: table) } + computed.map(\.expression) + stamps
    }

    var stamps: [Statement] {
        ["\(fragment: table).created_at", "\(fragment: table).updated_at"]
    }

    func select(_ parts: [Statement]) -> Statement {
        """
        \(fragment: head(parts))
          from school.\(fragment: table)
        """
    }

    /// The same up to `from`.
    func head(_ parts: [Statement]) -> Statement {
        "select \(fragment: parts.joined(by: ",\n       "))"
    }
}
