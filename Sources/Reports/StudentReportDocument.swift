import JSONBytes
import Postgres
import School

/// Puts the attempts of a student, which come by task and time, under their tasks.
enum StudentReportDocument {
    /// Where the parts of the document stand in the columns of `Statement.attempts`.
    private enum Columns {
        static let handout = 0..<3
        static let generatedAt = 3..<4
        static let student = 4..<8
        static let task = 8..<13
        static let attempt = 13..<21
    }

    static func make(_ rows: Rows) throws -> [UInt8] {
        var writer = JSONWriter(reserving: 512 + rows.count * 512)
        writer.beginObject()
        writer.key("handout")
        writer.beginObject()
        try rows.writeMembers(row: 0, columns: Columns.handout, into: &writer)
        writer.endObject()
        try rows.writeMembers(row: 0, columns: Columns.generatedAt, into: &writer)
        writer.key("student")
        writer.beginObject()
        try rows.writeMembers(row: 0, columns: Columns.student, into: &writer)
        writer.endObject()
        writer.key("tasks")
        writer.beginArray()
        var start = 0
        while start < rows.count, let task = try rows[start].optionalUUID("taskId") {
            var end = start + 1
            while end < rows.count, try rows[end].optionalUUID("taskId") == task { end += 1 }
            try write(rows, start..<end, into: &writer)
            start = end
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    private static func write(
        _ rows: Rows, _ range: Range<Int>, into writer: inout JSONWriter
    ) throws {
        writer.beginObject()
        try rows.writeMembers(row: range.lowerBound, columns: Columns.task, into: &writer)
        writer.key("attempts")
        writer.beginArray()
        for row in range where try !rows[row].isNull("activityId") {
            writer.beginObject()
            try rows.writeMembers(row: row, columns: Columns.attempt, into: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
