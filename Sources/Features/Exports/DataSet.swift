import Postgres

/// A table of the export: what its columns mean and which statement gives its rows.
package struct DataSet: Sendable {
    /// The name of the files, the table in `load.sql` and the entry in `schema.json`.
    package let name: String
    package let meaning: String
    package let columns: [DataColumn]
    /// The deletions that remove rows of it, and the columns that select them.
    let removals: [Removal]
    /// The rows in a fixed order, with the column names.
    let rows: @Sendable (Changes) -> Statement

    /// The columns that identify a row; a row replaces the one with the same key.
    package var key: [String] { columns.filter(\.isKey).map(\.name) }

    /// Every data set in the order in which the files are written: referenced ones first.
    package static let all: [DataSet] = [
        .handouts, .assignments, .marks, .activityReports, .classSummaries, .deletions,
    ]

    /// A deletion of this kind removes the rows whose columns hold its subject and its person.
    struct Removal: Sendable {
        let kind: String
        let subject: String?
        let person: String?

        init(_ kind: String, subject: String? = nil, person: String? = nil) {
            self.kind = kind
            self.subject = subject
            self.person = person
        }
    }
}

/// A column of a data set.
package struct DataColumn: Sendable {
    /// The format of the values in both files.
    package enum Kind: String, Sendable {
        case uuid, text, json, timestamp, integer, number, boolean

        /// The PostgreSQL type that `load.sql` gives it.
        var sqlType: String {
            switch self {
            case .uuid, .text, .boolean: rawValue
            case .json: "jsonb"
            case .timestamp: "timestamptz(3)"
            case .integer: "bigint"
            case .number: "double precision"
            }
        }
    }

    package let name: String
    package let kind: Kind
    /// Its value in a row `line` for the CSV file: texts that a spreadsheet would run are made harmless.
    let csvValue: Statement
    let unit: String?
    package let isKey: Bool
    let isRequired: Bool
    let meaning: String

    private init(
        _ name: StaticString, _ kind: Kind, unit: String?, isKey: Bool, isRequired: Bool,
        meaning: String
    ) {
        let column = Statement(stringLiteral: name)
        self.name = name.description
        self.kind = kind
        csvValue =
            kind == .text
            ? "school.spreadsheet_safe(line.\(fragment: column)) as \(fragment: column)"
            : "line.\(fragment: column)"
        self.unit = unit
        self.isKey = isKey
        self.isRequired = isRequired
        self.meaning = meaning
    }

    /// A part of the key, never null.
    static func key(_ name: StaticString, _ kind: Kind, _ meaning: String) -> DataColumn {
        DataColumn(
            name, kind, unit: nil, isKey: true, isRequired: true, meaning: meaning)
    }

    /// A column that is never null.
    static func required(
        _ name: StaticString, _ kind: Kind, _ meaning: String, unit: String? = nil
    ) -> DataColumn {
        DataColumn(
            name, kind, unit: unit, isKey: false, isRequired: true, meaning: meaning)
    }

    /// A column that may be null.
    static func optional(
        _ name: StaticString, _ kind: Kind, _ meaning: String, unit: String? = nil
    ) -> DataColumn {
        DataColumn(
            name, kind, unit: unit, isKey: false, isRequired: false, meaning: meaning)
    }
}
