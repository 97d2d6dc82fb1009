import CSV
import Postgres
import Values

/// Audit events as CSV, in the columns and the order of the list.
struct AuditTable {
    /// How many events are read at a time.
    static let batch = 1000

    private static let columns = [
        "id", "at", "kind", "standing", "personId", "serviceAccountId", "sessionId", "tokenId",
        "app", "address", "subjectKind", "subjectId", "details",
    ]

    // Escapes texts that a spreadsheet would run as formulas.
    private var writer = CSVWriter(style: .spreadsheet)

    init() { writer.record(Self.columns) }

    /// The lines of some events; those of the first ones follow the header.
    mutating func lines(of events: Rows) throws -> [UInt8] {
        for row in 0..<events.count {
            for column in Self.columns.indices {
                try append(try events.cell(row: row, column: column))
            }
            writer.endRecord()
        }
        return writer.take()
    }

    private mutating func append(_ cell: Cell) throws {
        switch cell {
        case .null: writer.field("")
        case .text(let text), .json(let text): writer.field(utf8: text)
        case .uuid(let id): writer.field(id.description)
        case .timestamp(let moment): writer.field(moment.description)
        case .bool, .integer, .double, .day:
            throw PostgresError.unexpected(column: "event", "is neither text nor a time")
        }
    }
}
