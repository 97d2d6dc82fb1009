import API

extension ObjectShape {
    /// A class across handouts.
    static let classReport = ObjectShape(
        "ClassReport",
        [
            .required("class", .object(namedClass)),
            .required("generatedAt", .timestamp, "What to ask for with since the next time."),
            .required(
                "removedHandoutIds", .array(.uuid, count: 0...100_000),
                "With since: which handouts were deleted."),
            .required("handouts", .array(.object(taughtHandout), count: 0...100_000)),
            notes,
        ])

    static let namedClass = ObjectShape(
        "NamedClass", [.required("id", .uuid), .required("name", .line())])

    /// One student across handouts.
    static let ownReport = ObjectShape(
        "StudentOverHandouts",
        [
            .required("student", .object(reportedStudent)),
            .required("generatedAt", .timestamp),
            .required("handouts", .array(.object(workedHandout), count: 0...100_000)),
            notes,
        ])

    static let taughtHandout = ObjectShape(
        "ClassReportHandout",
        [.required("handoutId", .uuid), .required("title", .line())] + moments + [
            .required("tasks", .array(.object(taughtTask), count: 0...20))
        ])

    private static let taughtTask = ObjectShape(
        "ClassReportTask",
        [.required("taskId", .uuid), .required("title", .line())] + primaryKind + [
            .required("students", headcount, "Who has it to do, or had."),
            .required("studentsOpened", headcount), .required("studentsDone", headcount),
            .required(
                "studentsLate", headcount, "Who did it too late, or has not done it in time."),
            .required("studentsOverdue", headcount, "Those of the late who have not done it yet."),
            .required("studentsReturned", headcount, "Whose work was given back."),
            .required("classAverage", .object(classAverage)),
        ])

    private static let workedHandout = ObjectShape(
        "StudentReportHandout",
        [
            .required("handoutId", .uuid), .required("title", .line()),
            .required("classId", .uuid), .required("className", .line()),
        ] + moments + [.required("tasks", .array(.object(workedTask), count: 0...20))])

    private static let workedTask = ObjectShape(
        "StudentReportTask",
        [.required("taskId", .uuid), .required("title", .line())] + figures)

    private static let moments: [Field] = [
        .required("publishAt", .timestamp), .orNull("dueAt", .timestamp),
        .orNull("lockedAt", .timestamp), .orNull("completedAt", .timestamp),
    ]

    private static let headcount = Shape.integer(0...100_000)
}
