import CSV
import JSONBytes
import Postgres
import Values

/// A report as CSV: one line for each object of the innermost list, repeating the values of the objects around it.
///
/// Made from the same rows as the document, by the same outline.
struct ReportTable: ReportPieces {
    /// A value in each line and its column's name.
    struct Column: Sendable {
        enum Level: Sendable {
            case head
            /// In the objects of the list of this level.
            case list(Int)
            /// In the names that only tables have (`ReportNames`).
            case names
        }

        let name: String
        let level: Level
        /// The object that contains it there, which may be one that the database made; `nil` if there is none.
        let holder: String?
        let member: String
    }

    /// A column of the rows or, if that holds an object, a member of it.
    fileprivate struct Source: Sendable {
        let column: Int
        var member: String?
    }

    private let columns: [Column]
    private let sources: [Source]
    /// The columns that distinguish the objects of each list.
    private let keys: [Int]
    private let rows: Rows
    private var writer: CSVWriter
    private var row = 0
    private var hasBegun = false
    private(set) var hasEnded = false

    /// - Parameter rows: of a report that was requested with its names (`ReportNames`).
    init(_ rows: Rows, _ outline: ReportOutline, columns: [Column]) throws {
        let outline = try outline.located(in: rows)
        self.rows = rows
        self.columns = columns
        sources = try columns.map { try outline.source(of: $0, in: rows) }
        keys = outline.lists.map(\.key)
        writer = CSVWriter(style: .spreadsheet)
    }

    mutating func next(atLeast count: Int) throws -> [UInt8] {
        if !hasBegun {
            hasBegun = true
            writer.record(columns.map(\.name))
        }
        while row < rows.count {
            if hasObjects(row) { try appendLine() }
            row += 1
            if writer.bytes.count >= count { return writer.take() }
        }
        hasEnded = true
        return writer.take()
    }

    /// Whether the row contains an object of every list.
    private func hasObjects(_ row: Int) -> Bool {
        keys.allSatisfy { rows.first(with: $0, in: row..<row + 1) != nil }
    }

    private mutating func appendLine() throws {
        // An object is read once for all its members, which are adjacent.
        var object: (column: Int, value: JSONValue)?
        for source in sources {
            let cell = try rows.cell(row: row, column: source.column)
            guard let member = source.member else {
                try writer.field(cell)
                continue
            }
            if object?.column != source.column { object = (source.column, try JSONValue(cell)) }
            writer.field(object?.value[member] ?? .null)
        }
        writer.endRecord()
    }
}

extension ReportOutline {
    /// The position in the rows of a table column's values.
    fileprivate func source(
        of column: ReportTable.Column, in rows: Rows
    ) throws -> ReportTable.Source {
        let parts =
            switch column.level {
            case .head: head
            case .list(let level): lists[level].parts
            case .names: [] as [Part]
            }
        if let position = position(of: column.member, in: column.holder, among: parts) {
            return .init(column: position)
        }
        if let holder = column.holder, let position = position(of: holder, in: nil, among: parts) {
            return .init(column: position, member: column.member)
        }
        guard case .names = column.level,
            let position = rows.members.lastIndex(of: column.member)
        else { throw PostgresError.unexpected(column: column.name, "is not in the report") }
        return .init(column: position)
    }

    private func position(of column: String, in holder: String?, among parts: [Part]) -> Int? {
        parts.lazy.filter { $0.name == holder }.compactMap { $0.position(of: column) }.first
    }
}

extension JSONValue {
    /// An object that the database made; null is not one.
    fileprivate init(_ cell: Cell) throws {
        guard case .json(let bytes) = cell else {
            self = .null
            return
        }
        try self.init(parsing: Array(bytes))
    }
}

extension CSVWriter {
    fileprivate mutating func field(_ cell: Cell) throws {
        switch cell {
        case .null, .json: field("")
        case .text(let text): field(utf8: text)
        case .bool(let value): field(value ? "true" : "false")
        case .integer(let value): field(Int(value))
        case .double(let value): field(value)
        case .uuid(let value): field(value.description)
        case .timestamp(let value): field(value.description)
        case .day(let value): field(value.description)
        }
    }

    /// Appends a value; an absent or null one becomes empty.
    fileprivate mutating func field(_ value: JSONValue) {
        switch value {
        case .text(let text): field(text)
        case .bool(let value): field(value ? "true" : "false")
        case .number(let number): field(number.double)
        default: field("")
        }
    }
}
