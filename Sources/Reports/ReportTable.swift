import CSV
import JSONBytes
import Postgres

/// A report as CSV: one line for each object of the innermost list, with what stands around it repeated.
///
/// Made from the same objects as the document, so that the two cannot differ.
struct ReportTable: ReportPieces {
    /// A value in each line: under its name, out of the object of this level and down these members.
    struct Column: Sendable {
        let name: String
        let level: Int
        let path: [String]
    }

    private let outline: ReportOutline
    private let columns: [Column]
    private let rows: Rows
    private var writer: CSVWriter
    private var row = 0
    private var hasBegun = false
    private(set) var hasEnded = false

    /// - Parameter rows: of a report that was asked for with its names (`ReportNames`).
    init(_ rows: Rows, _ outline: ReportOutline, columns: [Column]) {
        self.rows = rows
        self.outline = outline.with(outline.repeated + [ReportNames.part(of: rows)])
        self.columns = columns
        writer = CSVWriter(style: .spreadsheet)
    }

    mutating func next(atLeast count: Int) throws -> [UInt8] {
        if !hasBegun {
            hasBegun = true
            writer.record(columns.map(\.name))
        }
        while let range = outline.nextObject(in: rows, from: row) {
            var json = JSONWriter()
            try outline.write(rows, range, into: &json)
            append([try JSONValue(parsing: json.bytes)])
            row = range.upperBound
            if writer.bytes.count >= count { return writer.take() }
        }
        hasEnded = true
        return writer.take()
    }

    /// Appends the lines of an object that stands in these, itself the last.
    private mutating func append(_ objects: [JSONValue]) {
        guard objects.count < outline.lists.count, let object = objects.last else {
            for column in columns { writer.field(column.value(in: objects)) }
            return writer.endRecord()
        }
        for inner in object[outline.lists[objects.count].name]?.array ?? [] {
            append(objects + [inner])
        }
    }
}

extension ReportTable.Column {
    fileprivate func value(in objects: [JSONValue]) -> JSONValue {
        path.reduce(objects[level]) { $0[$1] ?? nil }
    }
}

extension CSVWriter {
    /// Appends a value; what is absent or null becomes an empty one.
    fileprivate mutating func field(_ value: JSONValue) {
        switch value {
        case .text(let text): field(text)
        case .bool(let value): field(value ? "true" : "false")
        case .number(let number): field(number.double)
        default: field("")
        }
    }
}
