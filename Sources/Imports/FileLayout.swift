import CSV
import Postgres

/// One file of an archive: its name, the columns that its header must have, what their values must be, and where
/// its rows go.
struct FileLayout: Sendable {
    struct Column: Sendable {
        let name: String
        let rule: ValueRule
        let isRequired: Bool

        static func required(_ name: String, _ rule: ValueRule) -> Column {
            Column(name: name, rule: rule, isRequired: true)
        }

        static func optional(_ name: String, _ rule: ValueRule = .label) -> Column {
            Column(name: name, rule: rule, isRequired: false)
        }
    }

    /// A column that may be repeated with a number behind it, such as `location_id_2`.
    struct Series: Sendable {
        let name: String
        let numbers: ClosedRange<Int>
    }

    /// How close a header must keep to the columns.
    enum HeaderRule: Sendable {
        /// Letter by letter, all of them, in this order.
        case template
        /// All of them, in this order; capitals do not count, and columns whose names begin with `metadata.`
        /// may follow, as OneRoster has it.
        case standard
        /// What is required, in any order; capitals do not count. That is how Apple lists the columns of
        /// OneRoster, with `sourcedID`, `orgSourcedIDs` and `parentSourceId`.
        case subset
    }

    let name: String
    let headerRule: HeaderRule
    let columns: [Column]
    /// Columns that may stand in the header besides.
    var optionalColumns: [Column] = []
    var series: Series?
    var options = CSVOptions()
    /// The column that says that a row is to be deleted, so that nothing but its id is needed; `nil`: none does.
    var statusColumn: String?
    /// The columns whose values are kept, and the column of the staging table that each goes to; that of a series
    /// stands for all of its columns, as an array.
    let staged: KeyValuePairs<String, Statement>
    let stagingTable: Statement

    /// Copies rows into the staging table: the line number, then the values that are kept.
    var staging: Statement {
        let columns = staged.reduce("line" as Statement) { columns, staged in
            "\(fragment: columns), \(fragment: staged.value)"
        }
        return "copy pg_temp.\(fragment: stagingTable) (\(fragment: columns)) from stdin"
    }

    /// The one name of a column, however a header writes it.
    func canonical(_ name: String) -> String {
        guard headerRule != .template else { return name }
        let lower = name.lowercased()
        return lower == "parentsourceid" ? "parentsourcedid" : lower
    }
}
