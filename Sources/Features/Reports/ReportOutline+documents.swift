import Postgres
import Values

/// The documents, built from the columns of `ReportStatements.swift`.
extension ReportOutline {
    /// All tasks of a handout with all students.
    static let handout = ReportOutline(
        head: [handoutHead, .members(["generatedAt"])],
        lists: [
            List(
                name: "tasks",
                parts: [
                    .members(["taskId", "title", "primaryKind", "mixedPrimaryKinds"]), average,
                ]),
            List(
                name: "students",
                parts: [
                    .members([
                        "personId", "givenName", "familyName", "nameOrder", "openedAt", "doneAt",
                        "attempts",
                        "progress", "durationSeconds", "late", "beforeJoined", "returned",
                        "primaryItem",
                        "progressOff", "mark", "handoutMark",
                    ])
                ]),
        ],
        notes: handoutNotes)

    /// One student's attempts at a handout, all of them.
    static let attempts = ReportOutline(
        head: [
            handoutHead, .members(["generatedAt"]), studentHead,
        ],
        lists: [
            List(
                name: "tasks",
                parts: [
                    .members([
                        "taskId", "title", "openedAt", "doneAt", "late", "beforeJoined", "returned",
                    ])
                ]),
            List(
                name: "attempts",
                parts: [
                    .members([
                        "activityId", "startedAt", "stoppedAt", "durationSeconds", "progress",
                        "isFinal", "primaryItem", "additionalItems",
                    ])
                ]),
        ],
        notes: { rows, tasks in
            try tasks.compactMap { task in
                let row = rows[task.lowerBound]
                return try row.int("attempts") >= ReportNote.attemptsMax
                    ? .attemptLimit(row.uuid("task_id")) : nil
            } + (rows[0].bool("progress_off") ? [.progressOffForStudent] : [])
        })

    /// A task, item by item.
    static let items = ReportOutline(
        head: [
            handoutHead, .object("task", ["taskId", "title"]),
            .members(["generatedAt", "studentsWithData", "missedMost"]),
        ],
        lists: [
            List(
                name: "items",
                parts: [
                    .members([
                        "identifier", "title", "kind", "mixedKinds", "isPrimary",
                        "studentsWithItem", "studentsMissed", "missedShare",
                    ]),
                    .object("classAverage", ["score", "quantity", "positiveShare"]),
                ]),
            List(
                name: "students",
                parts: [
                    .members(["personId", "givenName", "familyName", "nameOrder", "missed", "item"])
                ]),
        ],
        notes: { rows, _ in
            let task = try rows[0].uuid("task_id")
            return try ReportNote.ofData(at: rows[0], task)
                + [.attemptLimit(rows[0].int("students_at_limit"), task)].compactMap(\.self)
        })

    /// A class across handouts.
    static let taught = ReportOutline(
        head: [
            .object("class", ["id", "name"]), .members(["generatedAt", "removedHandoutIds"]),
        ],
        lists: taughtTasks, notes: taskNotes)

    /// A class across its handouts with tasks in one app.
    static let appReport = ReportOutline(
        head: [
            .object("class", ["id", "name"]), .members(["generatedAt"]),
            .object("app", ["bundleId", "name"]),
        ],
        lists: taughtTasks, title: [.column("class"), .column("app_name")], notes: taskNotes)

    /// The apps in which a class works.
    static let apps = ReportOutline(
        head: [.object("class", ["id", "name"]), .members(["generatedAt"])],
        lists: [
            List(
                name: "items",
                parts: [
                    .members([
                        "bundleId", "name", "handouts", "tasks", "attempts", "durationSeconds",
                        "studentsWithData",
                    ])
                ])
        ],
        notes: { rows, _ in try [ReportNote.off(rows)].compactMap(\.self) })

    /// The students of a class in one app.
    static let appStudents = ReportOutline(
        head: [
            .object("class", ["id", "name"]), .members(["generatedAt"]),
            .object("app", ["bundleId", "name"]),
        ],
        lists: [
            List(
                name: "items",
                parts: [
                    .members([
                        "personId", "givenName", "familyName", "nameOrder", "progressOff",
                        "tasks", "tasksOpened", "tasksDone", "tasksLate", "tasksOverdue",
                        "tasksWithData", "attempts", "progress", "durationSeconds", "score",
                        "positiveShare",
                    ])
                ])
        ],
        title: [.column("class"), .column("app_name")],
        notes: { rows, students in
            let off = try students.count { try rows[$0.lowerBound].bool("progress_off") }
            return [.progressOff(off, of: students.count)].compactMap(\.self)
        })

    private static let taughtTasks = [
        List(
            name: "handouts",
            parts: [
                .members([
                    "handoutId", "title", "publishAt", "dueAt", "lockedAt", "completedAt",
                ])
            ]),
        List(
            name: "tasks",
            parts: [
                .members([
                    "taskId", "title", "primaryKind", "mixedPrimaryKinds", "students",
                    "studentsOpened", "studentsDone", "studentsLate", "studentsOverdue",
                    "studentsReturned",
                ]), average,
            ]),
    ]

    @Sendable private static func taskNotes(
        _ rows: Rows, _ handouts: [Range<Int>]
    ) throws -> [ReportNote] {
        try rows.flatMap { row in
            try row.optionalUUID("task_id").map { try ReportNote.ofClass(at: row, $0) } ?? []
        } + [ReportNote.off(rows)].compactMap(\.self)
    }

    /// A student across handouts.
    static let student = ReportOutline(
        head: [studentHead, .members(["generatedAt"])],
        lists: [
            List(
                name: "handouts",
                parts: [
                    .members([
                        "handoutId", "title", "classId", "className", "publishAt", "dueAt",
                        "lockedAt", "completedAt",
                    ])
                ]),
            List(
                name: "tasks",
                parts: [
                    .members([
                        "taskId", "title", "openedAt", "doneAt", "attempts", "progress",
                        "durationSeconds", "late", "beforeJoined", "returned", "primaryItem",
                    ])
                ]),
        ],
        title: [.fullName],
        notes: { rows, _ in
            try rows.flatMap { row in
                guard let task = try row.optionalUUID("task_id") else { return [] as [ReportNote] }
                return try (row.bool("is_withdrawn") ? [.withdrawn(task)] : [])
                    + (ReportNote.isRemoved(row) ? [.progressRemoved(task)] : [])
                    + (row.int("attempts") >= ReportNote.attemptsMax ? [.attemptLimit(task)] : [])
            } + (rows[0].bool("progress_off") ? [.progressOffForStudent] : [])
        })

    private static let handoutHead = Part.object("handout", ["id", "title", "dueAt"])
    private static let studentHead = Part.object(
        "student", ["personId", "givenName", "familyName", "nameOrder", "progressOff"])
    private static let average = Part.object(
        "classAverage",
        [
            "progress", "durationSeconds", "score", "quantity", "positiveShare",
            "studentsWithData",
        ])

    /// Notes for each task; notes about all students only once, since every task has the same students.
    @Sendable private static func handoutNotes(
        _ rows: Rows, _ tasks: [Range<Int>]
    ) throws -> [ReportNote] {
        var notes = try tasks.flatMap { task in
            let row = rows[task.lowerBound]
            return try ReportNote.ofClass(at: row, row.uuid("task_id"))
        }
        let students = try (tasks.first ?? 0..<0).filter { try !rows[$0].isNull("person_id") }
        let off = try students.count { try rows[$0].bool("progress_off") }
        if let note = ReportNote.progressOff(off, of: students.count) { notes.append(note) }
        return notes
    }
}
