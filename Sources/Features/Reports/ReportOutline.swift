import JSONBytes
import Postgres
import Values

/// How the rows of a report, which are sorted by what they are about, become nested objects.
struct ReportOutline: Sendable {
    /// Columns that become members of an object, or of a nested object in it.
    struct Part: Sendable {
        /// `nil` for members of the object itself.
        let name: String?
        let columns: [String]
        /// The positions in a result; `located(in:)` sets them.
        fileprivate(set) var range = 0..<0

        static func members(_ columns: [String]) -> Part { Part(name: nil, columns: columns) }

        static func object(_ name: String, _ columns: [String]) -> Part {
            Part(name: name, columns: columns)
        }

        /// The position of a column in the result.
        func position(of column: String) -> Int? {
            columns.firstIndex(of: column).map { range.lowerBound + $0 }
        }
    }

    /// A list of objects: consecutive rows with the same key make one object, rows without a key make none.
    struct List: Sendable {
        let name: String
        fileprivate(set) var parts: [Part]

        /// The column that distinguishes one object from the next: the first one.
        var key: Int { parts[0].range.lowerBound }
    }

    /// A part of the name of a table's file.
    enum Title: Sendable {
        case column(String)
        case fullName

        func text(in row: Row) throws -> String {
            switch self {
            case .column(let name): try row.optionalText(name) ?? ""
            case .fullName:
                FullName(
                    given: try row.text("given_name"), family: try row.text("family_name"),
                    isFamilyFirst: try row.text("name_order") == "familyFirst"
                ).text
            }
        }
    }

    /// The members at the top level, taken from the first row.
    private(set) var head: [Part]
    /// From the outermost list to the innermost, whose objects have a row each.
    private(set) var lists: [List]
    /// What gives a table's file its name, together with the day.
    let title: [Title]
    /// What is missing, and why, in the rows and in the objects of the outermost list.
    let notes: @Sendable (Rows, [Range<Int>]) throws -> [ReportNote]

    init(
        head: [Part], lists: [List],
        title: [Title] = [.column("class"), .column("handout"), .column("task")],
        notes: @escaping @Sendable (Rows, [Range<Int>]) throws -> [ReportNote]
    ) {
        self.head = head
        self.lists = lists
        self.title = title
        self.notes = notes
    }

    /// The outline with the positions of its columns in a result, which has them first and in this order. Names alone
    /// are not enough: a task and its item both have a title.
    func located(in rows: Rows) throws -> ReportOutline {
        var (located, end) = (self, 0)
        try Self.locate(&located.head, in: rows.members, from: &end)
        for index in located.lists.indices {
            try Self.locate(&located.lists[index].parts, in: rows.members, from: &end)
        }
        return located
    }

    /// The rows of the next object of the outermost list, from a row on; `nil` if there is none.
    func nextObject(in rows: Rows, from start: Int) -> Range<Int>? {
        next(0, in: rows, start..<rows.count)
    }

    /// Writes the object of the outermost list that these rows make.
    func write(_ rows: Rows, _ range: Range<Int>, into writer: inout JSONWriter) throws {
        try write(0, rows, range, into: &writer)
    }

    func write(
        _ parts: [Part], of rows: Rows, row: Int, into writer: inout JSONWriter
    ) throws {
        for part in parts {
            if let name = part.name {
                writer.key(name)
                writer.beginObject()
            }
            try rows.writeMembers(row: row, columns: part.range, into: &writer)
            if part.name != nil { writer.endObject() }
        }
    }

    private func write(
        _ level: Int, _ rows: Rows, _ range: Range<Int>, into writer: inout JSONWriter
    ) throws {
        writer.beginObject()
        try write(lists[level].parts, of: rows, row: range.lowerBound, into: &writer)
        if level + 1 < lists.count {
            writer.key(lists[level + 1].name)
            writer.beginArray()
            var rest = range
            while let object = next(level + 1, in: rows, rest) {
                try write(level + 1, rows, object, into: &writer)
                rest = object.upperBound..<range.upperBound
            }
            writer.endArray()
        }
        writer.endObject()
    }

    private func next(_ level: Int, in rows: Rows, _ range: Range<Int>) -> Range<Int>? {
        let key = lists[level].key
        if level + 1 < lists.count { return rows.run(of: key, in: range) }
        return rows.first(with: key, in: range).map { $0..<$0 + 1 }
    }

    private static func locate(
        _ parts: inout [Part], in names: [String], from end: inout Int
    ) throws(PostgresError) {
        for index in parts.indices {
            let columns = parts[index].columns
            guard names.dropFirst(end).starts(with: columns) else {
                throw .unexpected(
                    column: columns.joined(separator: ", "), "are not behind column \(end)")
            }
            parts[index].range = end..<end + columns.count
            end += columns.count
        }
    }
}
