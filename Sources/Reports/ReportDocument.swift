import JSONBytes
import Postgres
import School
import Values

/// Puts the cells of a report, which come by task and student, under their tasks.
enum ReportDocument {
    /// Where the parts of the document stand in the columns of `Statement.report`.
    private enum Columns {
        static let handout = 0..<3
        static let generatedAt = 3..<4
        static let task = 4..<8
        static let average = 8..<14
        static let cell = 14..<25
    }

    static func make(_ rows: Rows) throws -> [UInt8] {
        var notes = Notes()
        var writer = JSONWriter(reserving: 512 + rows.count * 320)
        writer.beginObject()
        writer.key("handout")
        writer.beginObject()
        try rows.writeMembers(row: 0, columns: Columns.handout, into: &writer)
        writer.endObject()
        try rows.writeMembers(row: 0, columns: Columns.generatedAt, into: &writer)
        writer.key("tasks")
        writer.beginArray()
        var start = 0
        while start < rows.count, let task = try rows[start].optionalUUID("taskId") {
            var end = start + 1
            while end < rows.count, try rows[end].optionalUUID("taskId") == task { end += 1 }
            try write(rows, start..<end, into: &writer)
            try notes.look(at: rows[start], of: task)
            start = end
        }
        writer.endArray()
        try notes.write(rows, into: &writer)
        writer.endObject()
        return writer.bytes
    }

    private static func write(
        _ rows: Rows, _ range: Range<Int>, into writer: inout JSONWriter
    ) throws {
        writer.beginObject()
        try rows.writeMembers(row: range.lowerBound, columns: Columns.task, into: &writer)
        writer.key("classAverage")
        writer.beginObject()
        try rows.writeMembers(row: range.lowerBound, columns: Columns.average, into: &writer)
        writer.endObject()
        writer.key("students")
        writer.beginArray()
        for row in range where try !rows[row].isNull("personId") {
            writer.beginObject()
            try rows.writeMembers(row: row, columns: Columns.cell, into: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}

/// What a report says about what is missing in it.
private struct Notes {
    private var notes: [(code: String, text: String, task: UUID?)] = []

    mutating func look(at row: Row, of task: UUID) throws {
        if try row.bool("mixedPrimaryKinds") {
            add(
                "mixed_primary_kinds",
                "The app reported figures of different kinds, so the class has no average of them.",
                task)
        }
        if try row.bool("is_withdrawn") {
            add(
                "context_withdrawn",
                "The developer withdrew this context; what was done stays, nothing new is recorded.",
                task)
        } else if try row.bool("records"), try row.int("studentsWithData") == 0 {
            add("nothing_reported", "No app has reported anything for this task yet.", task)
        }
        let unlicensed = try row.int("unlicensed")
        if unlicensed > 0 {
            add(
                "no_licence",
                "\(unlicensed) of the students have no licence of the app that the school bought.",
                task)
        }
    }

    mutating func write(_ rows: Rows, into writer: inout JSONWriter) throws {
        // Every task shows the same students.
        if let first = try rows[0].optionalUUID("taskId") {
            var students = 0
            var off = 0
            for row in rows {
                guard try row.optionalUUID("taskId") == first, try !row.isNull("personId")
                else { break }
                students += 1
                if try row.bool("progressOff") { off += 1 }
            }
            if off > 0 {
                add(
                    "progress_off", "Student progress is off for \(off) of \(students) students.",
                    nil)
            }
        }
        writer.key("notes")
        writer.beginArray()
        for note in notes {
            writer.beginObject()
            writer.key("code")
            writer.text(note.code)
            writer.key("text")
            writer.text(note.text)
            if let task = note.task {
                writer.key("taskId")
                writer.uuid(task)
            }
            writer.endObject()
        }
        writer.endArray()
    }

    private mutating func add(_ code: String, _ text: String, _ task: UUID?) {
        notes.append((code: code, text: text, task: task))
    }
}
