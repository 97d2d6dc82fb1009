import Postgres
import Values

/// The documents: where their parts stand in the columns of `ReportStatements.swift`.
extension ReportOutline {
    /// All tasks of a handout with all students.
    static let handout = ReportOutline(
        head: [Part(name: "handout", columns: 0..<3), Part(columns: 3..<4)],
        lists: [
            List(
                name: "tasks",
                parts: [Part(columns: 4..<8), Part(name: "classAverage", columns: 8..<14)]),
            List(name: "students", parts: [Part(columns: 14..<26)]),
        ],
        notes: handoutNotes)

    /// One student of a handout with every attempt.
    static let attempts = ReportOutline(
        head: [
            Part(name: "handout", columns: 0..<3), Part(columns: 3..<4),
            Part(name: "student", columns: 4..<8),
        ],
        lists: [
            List(name: "tasks", parts: [Part(columns: 8..<14)]),
            List(name: "attempts", parts: [Part(columns: 14..<22)]),
        ],
        notes: { rows, tasks in
            try tasks.compactMap { task in
                let row = rows[task.lowerBound]
                return try row.int("attempts") >= ReportNote.attemptsMax
                    ? .attemptLimit(row.uuid("taskId")) : nil
            } + (rows[0].bool("progressOff") ? [.progressOffForStudent] : [])
        })

    /// A task, item by item.
    static let items = ReportOutline(
        head: [
            Part(name: "handout", columns: 0..<3), Part(name: "task", columns: 3..<5),
            Part(columns: 5..<8),
        ],
        lists: [
            List(
                name: "items",
                parts: [Part(columns: 8..<16), Part(name: "classAverage", columns: 16..<19)]),
            List(name: "students", parts: [Part(columns: 19..<24)]),
        ],
        repeated: [Part(name: "task", columns: 3..<5)],
        notes: { rows, _ in
            let task = try rows[0].uuid("taskId")
            return try ReportNote.ofData(at: rows[0], task)
                + [.attemptLimit(rows[0].int("students_at_limit"), task)].compactMap(\.self)
        })

    /// A class over handouts.
    static let taught = ReportOutline(
        head: [Part(name: "class", columns: 0..<2), Part(columns: 2..<4)],
        lists: [
            List(name: "handouts", parts: [Part(columns: 4..<10)]),
            List(
                name: "tasks",
                parts: [Part(columns: 10..<19), Part(name: "classAverage", columns: 19..<25)]),
        ],
        notes: { rows, _ in
            try rows.flatMap { row in
                try row.optionalUUID("taskId").map { try ReportNote.ofClass(at: row, $0) } ?? []
            }
                + [.progressOff(rows[0].int("students_off"), of: rows[0].int("students_shown"))]
                .compactMap(\.self)
        })

    /// A student over handouts.
    static let student = ReportOutline(
        head: [Part(name: "student", columns: 0..<4), Part(columns: 4..<5)],
        lists: [
            List(name: "handouts", parts: [Part(columns: 5..<13)]),
            List(name: "tasks", parts: [Part(columns: 13..<23)]),
        ],
        repeated: [Part(columns: 0..<3)], title: [["givenName", "familyName"]],
        notes: { rows, _ in
            try rows.flatMap { row in
                guard let task = try row.optionalUUID("taskId") else { return [] as [ReportNote] }
                return try (row.bool("is_withdrawn") ? [.withdrawn(task)] : [])
                    + (row.int("attempts") >= ReportNote.attemptsMax ? [.attemptLimit(task)] : [])
            } + (rows[0].bool("progressOff") ? [.progressOffForStudent] : [])
        })

    /// Task by task; and of all students once, since every task shows the same ones.
    @Sendable private static func handoutNotes(
        _ rows: Rows, _ tasks: [Range<Int>]
    ) throws -> [ReportNote] {
        var notes = try tasks.flatMap { task in
            let row = rows[task.lowerBound]
            return try ReportNote.ofClass(at: row, row.uuid("taskId"))
        }
        let students = try (tasks.first ?? 0..<0).filter { try !rows[$0].isNull("personId") }
        let off = try students.count { try rows[$0].bool("progressOff") }
        if let note = ReportNote.progressOff(off, of: students.count) { notes.append(note) }
        return notes
    }
}
