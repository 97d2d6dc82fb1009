import JSONBytes
import Postgres

/// How the rows of a report, which come sorted by what they are about, become objects inside each other.
struct ReportOutline: Sendable {
    /// Columns that become members of an object, or of an object of their own in it.
    struct Part: Sendable {
        /// `nil`: in the object itself.
        var name: String?
        let columns: Range<Int>
    }

    /// A list of objects: rows that follow each other with the same key make one, rows without a key none.
    struct List: Sendable {
        let name: String
        let parts: [Part]

        /// The column that tells one object from the next: the first one.
        var key: Int { parts[0].columns.lowerBound }
    }

    /// What stands on top, taken from the first row.
    let head: [Part]
    /// From the outermost to the innermost, whose objects have a row each.
    let lists: [List]
    /// What stands on top and each line of a table repeats.
    var repeated: [Part] = []
    /// After which columns the file of a table is called, beside the day: those of a group make one part.
    var title: [[String]] = [["class"], ["handout"], ["task"]]
    /// What is missing, and why, of the rows and the objects of the outermost list that they make.
    let notes: @Sendable (Rows, [Range<Int>]) throws -> [ReportNote]

    /// The same with these parts in the innermost objects, too.
    func with(_ parts: [Part]) -> ReportOutline {
        var lists = lists
        if let innermost = lists.popLast() {
            lists.append(List(name: innermost.name, parts: innermost.parts + parts))
        }
        return ReportOutline(head: head, lists: lists, notes: notes)
    }

    /// The rows of the next object of the outermost list from a row on; `nil`: there is none.
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
            try rows.writeMembers(row: row, columns: part.columns, into: &writer)
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
}
