import JSONBytes
import Postgres
import Values

/// What is missing in a report, and why; it never names what was not assigned.
struct ReportNote: Sendable {
    /// Stable, for programs.
    enum Code: String, CaseIterable {
        case mixedPrimaryKinds = "mixed_primary_kinds"
        case progressOff = "progress_off"
        case nothingReported = "nothing_reported"
        case contextWithdrawn = "context_withdrawn"
        case noLicence = "no_licence"
        case attemptLimit = "attempt_limit"
        case fewWeeks = "few_weeks"
        case progressRemoved = "progress_removed"
    }

    let code: Code
    /// A sentence for people.
    let text: String
    /// `nil` if it applies to the whole report.
    let task: UUID?

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("code")
        writer.text(code.rawValue)
        writer.key("text")
        writer.text(text)
        if let task {
            writer.key("taskId")
            writer.uuid(task)
        }
        writer.endObject()
    }
}

extension ReportNote {
    /// For how many students nothing is recorded; `nil` if everyone is recorded.
    static func progressOff(_ off: Int, of students: Int) -> ReportNote? {
        guard off > 0 else { return nil }
        return ReportNote(
            code: .progressOff, text: "Student progress is off for \(off) of \(students) students.",
            task: nil)
    }

    /// The same, as such rows say it.
    static func off(_ rows: Rows) throws -> ReportNote? {
        try progressOff(rows[0].int("students_off"), of: rows[0].int("students_shown"))
    }

    /// The same for one student.
    static let progressOffForStudent = ReportNote(
        code: .progressOff, text: "Student progress is off for this student.", task: nil)

    /// So few earlier weeks had work that nothing can be compared with them.
    static let fewWeeks = ReportNote(
        code: .fewWeeks,
        text:
            "Work was due in fewer than two of the four weeks before, so there is nothing to compare with.",
        task: nil)

    static func withdrawn(_ task: UUID) -> ReportNote {
        ReportNote(
            code: .contextWithdrawn,
            text:
                "The developer withdrew this context; what was done stays, nothing new is recorded.",
            task: task)
    }

    /// How many attempts of a student at a context count for an assignment; the same as `attempts_max()`.
    static let attemptsMax = 1000

    /// Notes that students made so many attempts that more would not be stored; `nil` if no one did.
    static func attemptLimit(_ students: Int, _ task: UUID) -> ReportNote? {
        guard students > 0 else { return nil }
        return ReportNote(
            code: .attemptLimit,
            text: (students == 1 ? "1 student has" : "\(students) students have")
                + " reached the limit of 1,000 attempts at this task. Further attempts are not recorded.",
            task: task)
    }

    /// The same for one student.
    static func attemptLimit(_ task: UUID) -> ReportNote {
        ReportNote(
            code: .attemptLimit,
            text:
                "The limit of 1,000 attempts at this task is reached. Further attempts are not recorded.",
            task: task)
    }

    /// Whether attempts at the task of a row may have been removed by the school's rule of retention.
    static func isRemoved(_ row: Row) throws -> Bool {
        try row.optionalBool("progress_removed") ?? false
    }

    static func progressRemoved(_ task: UUID) -> ReportNote {
        ReportNote(
            code: .progressRemoved,
            text:
                "The school keeps attempts for a limited time. Those at this task were removed, at least in part.",
            task: task)
    }

    /// What is missing in the figures of a class at a task, from the columns of such rows.
    static func ofClass(at row: Row, _ task: UUID) throws -> [ReportNote] {
        var notes: [ReportNote] = []
        if try row.bool("mixed_primary_kinds") {
            notes.append(
                ReportNote(
                    code: .mixedPrimaryKinds,
                    text:
                        "The app reported figures of different kinds, so the class has no average of them.",
                    task: task))
        }
        notes += try ofData(at: row, task)
        let unlicensed = try row.int("unlicensed")
        if unlicensed > 0 {
            notes.append(
                ReportNote(
                    code: .noLicence,
                    text:
                        "\(unlicensed) of the students have no licence of the app that the school bought.",
                    task: task))
        }
        if let note = attemptLimit(try row.int("students_at_limit"), task) { notes.append(note) }
        return notes
    }

    /// Notes that a context is gone, that attempts were removed, or that no data has arrived yet.
    static func ofData(at row: Row, _ task: UUID) throws -> [ReportNote] {
        let removed: [ReportNote] =
            try row.bool("records") && isRemoved(row) ? [.progressRemoved(task)] : []
        if try row.bool("is_withdrawn") { return [.withdrawn(task)] + removed }
        guard removed.isEmpty else { return removed }
        guard try row.bool("records"), try row.int("students_with_data") == 0 else { return [] }
        return [
            ReportNote(
                code: .nothingReported, text: "No app has reported anything for this task yet.",
                task: task)
        ]
    }
}
