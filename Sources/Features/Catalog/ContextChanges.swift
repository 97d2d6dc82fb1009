import JSONBytes
import Postgres

/// A page of changes as it is answered: contexts that are there now, and paths at which nothing is left.
struct ContextChanges {
    /// The rows to show: the first of each path.
    private var shown: [Int] = []
    private var removed: [[String]] = []
    private let startsOver: Bool
    /// Where the page ends.
    var end: ContextCursor

    init(_ rows: Rows, limit: Int, after start: ContextCursor, startsOver: Bool) throws {
        self.startsOver = startsOver
        end = start
        var seen: Set<[String]> = []
        for index in 0..<min(rows.count, limit) {
            let row = rows[index]
            if try row.bool("is_own") {
                end.own = try row.int("change")
            } else {
                end.catalog = try row.int("change")
            }
            let path = try row.textArray("path")
            guard seen.insert(path).inserted else { continue }
            if try row.optionalText("origin") == nil {
                removed.append(path)
            } else {
                shown.append(index)
            }
        }
    }

    func document(_ rows: Rows, next: String?) throws -> [UInt8] {
        var writer = JSONWriter(reserving: 256 + shown.count * 600)
        writer.beginObject()
        writer.key("items")
        writer.beginArray()
        for row in shown {
            try rows.writeJSON(row: row, columns: rows.columns.count - 3, into: &writer)
        }
        writer.endArray()
        writer.key("removed")
        JSONValue.array(removed.map { .array($0.map(JSONValue.text)) }).write(into: &writer)
        writer.key("startsOver")
        JSONValue.bool(startsOver).write(into: &writer)
        writer.key("updatedSince")
        writer.text(end.text)
        if let next {
            writer.key("nextPageToken")
            writer.text(next)
        }
        writer.endObject()
        return writer.take()
    }
}
