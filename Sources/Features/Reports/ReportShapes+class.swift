import API

extension ObjectShape {
    /// A class across handouts.
    static let classReport = ObjectShape(
        "ClassReport",
        [
            .required("class", .object(namedClass)),
            .required("generatedAt", .timestamp, "Send it as `since` next time."),
            .required(
                "removedHandoutIds", .array(.uuid, count: 0...100_000),
                "Only with `since`: the handouts that were deleted."),
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
            .required("students", headcount, "Students who have it to do, or had."),
            .required("studentsOpened", headcount), .required("studentsDone", headcount),
            .required(
                "studentsLate", headcount,
                "Students who did it too late, or have not done it in time."),
            .required("studentsOverdue", headcount, "Late students who have not done it yet."),
            .required("studentsReturned", headcount, "Students whose work was returned."),
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
