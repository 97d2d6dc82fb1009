import API
import Contract
import School

extension ObjectShape {
    /// All tasks of a handout with all students.
    static let report = ObjectShape(
        "Report",
        [
            .required("handout", .object(reportedHandout)),
            .required("generatedAt", .timestamp),
            .required("tasks", .array(.object(reportedTask), count: 0...20)),
            notes,
            .required(
                "position", .text(1...100),
                "Names this state of the report, for following it from here on; opaque."),
        ])

    /// One student's attempts at a handout, all of them.
    static let studentReport = ObjectShape(
        "StudentReport",
        [
            .required("handout", .object(reportedHandout)),
            .required("generatedAt", .timestamp),
            .required("student", .object(reportedStudent)),
            .required(
                "tasks", .array(.object(attemptedTask), count: 0...20),
                "The tasks on this page, in order; one whose attempts fill several pages is on each."
            ),
            notes, nextPageToken,
        ])

    static let nextPageToken = Field.optional(
        "nextPageToken", .text(1...3000), "Absent on the last page; opaque.")

    static let reportedHandout = ObjectShape(
        "ReportedHandout",
        [
            .required("id", .uuid), .required("title", .line()), .orNull("dueAt", .timestamp),
        ])

    private static let reportedTask = ObjectShape(
        "ReportedTask",
        [
            .required("taskId", .uuid), .required("title", .line()),
        ] + primaryKind + [
            .required("classAverage", .object(classAverage)),
            .required("students", .array(.object(cell), count: 0...100_000)),
        ])

    static let primaryKind: [Field] = [
        .orNull("primaryKind", .word(["score", "quantity", "binary"])),
        .required(
            "mixedPrimaryKinds", .boolean,
            "Whether the primary items are of different kinds; then they have no average."),
    ]

    static let classAverage = ObjectShape(
        "ClassAverage",
        [
            .orNull(
                "progress", .number(0...1),
                "The average over all attempts. Averages and sums are rounded to 12 significant digits."
            ),
            .orNull("durationSeconds", anyNumber, "The average of the students' sums."),
            .orNull(
                "score", .number(0...1), "The average share of the maximum, over latest attempts."),
            .orNull("quantity", anyNumber, "The average over latest attempts."),
            .orNull(
                "positiveShare", .number(0...1),
                "The share of binary items of latest attempts that are positive."),
            .required("studentsWithData", .integer(0...100_000)),
        ])

    private static let cell = ObjectShape(
        "ReportCell",
        names + figures + [.required("progressOff", .boolean)]
            + ReportedMarks.declaration.object.fields)

    /// What a student did at a task.
    static let figures: [Field] = [
        .orNull("openedAt", .timestamp), .orNull("doneAt", .timestamp),
        .required("attempts", .integer(0...1_000_000_000)),
        .orNull("progress", .number(0...1), "That of the latest attempt."),
        .orNull("durationSeconds", anyNumber, "The sum over all attempts."),
        late, beforeJoined,
        returned,
        .orNull("primaryItem", item, "That of the latest attempt."),
    ]

    private static let late = Field.required(
        "late", .boolean,
        "Done after it was due, or due and not done yet. Never if the student joined later.")
    private static let beforeJoined = Field.required(
        "beforeJoined", .boolean,
        "It was due before the student joined the class, and no teacher gave it to the student since: it does not count among what the student has to do."
    )

    private static let returned = Field.orNull(
        "returned",
        .fields(
            "ReturnedWork",
            [
                .required("at", .timestamp), .orNull("note", .text(1...4000, lines: true)),
                .required("tryAgain", .boolean, "The teacher asked to do it once more."),
            ]), "Whether the teacher returned the work.")

    static let notes = Field.required(
        "notes", .array(.object(note), count: 0...1_000_000), "What is missing, and why.")

    private static let note = ObjectShape(
        "ReportNote",
        [
            .required("code", .word(ReportNote.Code.allCases.map(\.rawValue))),
            .required("text", .line(1000)), .optional("taskId", .uuid),
        ])

    static let reportedStudent = ObjectShape(
        "ReportedStudent", names + [.required("progressOff", .boolean)])

    private static let attemptedTask = ObjectShape(
        "AttemptedTask",
        [
            .required("taskId", .uuid), .required("title", .line()),
            .orNull("openedAt", .timestamp), .orNull("doneAt", .timestamp),
            late, beforeJoined, returned,
            .required(
                "attempts", .array(.object(attempt), count: 0...1000),
                "The attempts on this page, the oldest first."),
        ])

    private static let attempt = ObjectShape(
        "Attempt",
        [
            .required("activityId", .uuid), .required("startedAt", .timestamp),
            .orNull("stoppedAt", .timestamp), .required("durationSeconds", anyNumber),
            .orNull("progress", .number(0...1)),
            .required("isFinal", .boolean, "Whether a newer attempt has begun since."),
            .orNull("primaryItem", item),
            .required("additionalItems", .array(item, count: 0...1000)),
        ])

    static let names: [Field] = [
        .required("personId", .uuid), .required("givenName", .line()),
        .required("familyName", .line()), .nameOrder,
    ]

    static let anyNumber = Shape.number(-1e300...1e300)
}
