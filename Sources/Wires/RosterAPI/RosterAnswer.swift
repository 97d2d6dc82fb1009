import API
import HTTPServer
import JSONBytes
import Postgres
import Values

/// Rows as Apple writes them: fields without a value are left out.
enum RosterAnswer {
    static func single(_ rows: Rows) throws -> Response {
        guard rows.count > 0 else { throw Problem.notFound }
        var writer = JSONWriter(reserving: 512)
        try write(rows, row: 0, into: &writer)
        return .json(writer.bytes)
    }

    /// A page: the objects, whether more follow, and the token that continues.
    static func list(
        _ rows: Rows, key: String, _ page: Page, _ request: Request
    ) throws -> Response {
        let count = min(rows.count, page.limit)
        var writer = JSONWriter(reserving: 128 + count * 400)
        writer.beginObject()
        writer.key(key)
        writer.beginArray()
        for row in 0..<count { try write(rows, row: row, into: &writer) }
        writer.endArray()
        writer.key("moreToFollow")
        writer.bool(rows.count > page.limit)
        if rows.count > page.limit {
            writer.key("nextPageToken")
            let last = try rows[page.limit - 1].uuid("id")
            writer.text(page.next(after: [last.description], of: request).token)
        }
        writer.endObject()
        return .json(writer.bytes)
    }

    private static func write(
        _ rows: Rows, row: Int, into writer: inout JSONWriter
    ) throws {
        writer.beginObject()
        for (position, column) in rows.columns.enumerated() {
            guard try !rows[row].isNull(column) else { continue }
            try rows.writeMembers(row: row, columns: position..<position + 1, into: &writer)
        }
        writer.endObject()
    }
}
