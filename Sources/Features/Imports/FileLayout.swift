import CSV
import Postgres

/// One file of an archive: its name, the columns its header must have, the rules for their values, and where its rows
/// go.
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

    /// A column that may be repeated with a number appended, such as `location_id_2`.
    struct Series: Sendable {
        let name: String
        let numbers: ClosedRange<Int>
    }

    /// How closely a header must match the columns.
    enum HeaderRule: Sendable {
        /// Exactly all of them, in this order.
        case template
        /// All of them, in this order and in any case. Columns whose names begin with `metadata.` may follow, as in
        /// OneRoster.
        case standard
        /// The required ones, in any order and any case. Apple lists OneRoster's columns this way, with `sourcedID`,
        /// `orgSourcedIDs` and `parentSourceId`.
        case subset
    }

    let name: String
    let headerRule: HeaderRule
    let columns: [Column]
    /// Columns that the header may also have.
    var optionalColumns: [Column] = []
    var series: Series?
    var options = CSVOptions()
    /// The column that marks a row as deleted, which then needs nothing but its id; `nil` if there is none.
    var statusColumn: String?
    /// The columns whose values are kept, and the column of the staging table for each; the entry of a series covers
    /// all of its columns, as an array.
    let staged: KeyValuePairs<String, Statement>
    let stagingTable: Statement
    /// What a row is judged by where mistakes do not end the import.
    var use = Use()

    /// What of a row is used, and when.
    struct Use: Sendable {
        /// The columns without which a row cannot be used.
        var needed: Set<String> = []
        /// The columns without which a row is used in part.
        var wanted: Set<String> = []
        /// By column: the words with which a row brings nothing, so that nothing else in it matters.
        var unused: [String: Set<String>] = [:]
        /// The column with the last day of what the row says.
        var end: String?
        /// The columns that say whom a row is about; with one of them, that is known.
        var identity: [String] = []
    }

    /// Copies rows into the staging table: the line number, then the values that are kept.
    ///
    /// - Parameter hasFlaws: whether each row says at its end whether it is left out.
    func staging(hasFlaws: Bool) -> Statement {
        let columns = staged.reduce("line" as Statement) { columns, staged in
            "\(fragment: columns), \(fragment: staged.value)"
        }
        let flaw: Statement = hasFlaws ? ", flaw" : ""
        return
            "copy pg_temp.\(fragment: stagingTable) (\(fragment: columns)\(fragment: flaw)) from stdin"
    }

    /// The one name of a column, whatever its spelling, where columns are found by name.
    func plain(_ name: String) -> String {
        let lower = String(decoding: Array(name.utf8)[...].trimmedText, as: UTF8.self).lowercased()
        return lower == "parentsourceid" ? "parentsourcedid" : lower
    }

    /// The one name of a column, whatever its spelling in a header.
    func canonical(_ name: String) -> String {
        guard headerRule != .template else { return name }
        let lower = name.lowercased()
        return lower == "parentsourceid" ? "parentsourcedid" : lower
    }
}
