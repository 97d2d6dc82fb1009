import API

extension ObjectShape {
    /// The apps in which a class works.
    static let classApps = ObjectShape(
        "ClassApps",
        [
            .required("class", .object(namedClass)), .required("generatedAt", .timestamp),
            .required("items", .array(.object(app), count: 0...1000), "By name."), notes,
        ])

    /// A class across its handouts with tasks in one app.
    static let appReport = ObjectShape(
        "AppReport",
        [
            .required("class", .object(namedClass)), .required("generatedAt", .timestamp),
            .required("app", .object(namedApp)),
            .required(
                "handouts", .array(.object(taughtHandout), count: 0...100_000),
                "The handouts with tasks in the app, each with only those tasks."), notes,
        ])

    /// The students of a class in one app.
    static let appStudents = ObjectShape(
        "AppStudents",
        [
            .required("class", .object(namedClass)), .required("generatedAt", .timestamp),
            .required("app", .object(namedApp)),
            .required(
                "items", .array(.object(appStudent), count: 0...100_000),
                "By name: students who have one of these handouts, and former students with "
                    + "results."), notes,
        ])

    private static let name = Field.required(
        "name", .text(1...1000),
        "The app's name in the catalog, otherwise the school's name for it, otherwise its bundle id."
    )

    private static let namedApp = ObjectShape(
        "NamedApp", [.required("bundleId", .text(1...1000)), name])

    private static let app = ObjectShape(
        "ClassApp",
        [
            .required("bundleId", .text(1...1000)), name,
            .required("handouts", count, "Handouts with tasks in the app."),
            .required("tasks", count),
            .required("attempts", count, "Attempts of all students."),
            .required("durationSeconds", anyNumber, "The sum over all students."),
            .required("studentsWithData", count),
        ])

    private static let appStudent = ObjectShape(
        "AppStudent",
        names + [
            .required("progressOff", .boolean),
            .required("tasks", count, "The tasks in the app that the student has to do, or had."),
            .required("tasksOpened", count), .required("tasksDone", count),
            .required(
                "tasksLate", count, "Tasks done after they were due, or due and not done yet."),
            .required("tasksOverdue", count, "Late tasks that are not done yet."),
            .required("tasksWithData", count), .required("attempts", count),
            .orNull("progress", .number(0...1), "The average over all attempts."),
            .orNull("durationSeconds", anyNumber, "The sum over all attempts."),
            .orNull(
                "score", .number(0...1),
                "The average share of the maximum, over the latest attempts that have a score."),
            .orNull(
                "positiveShare", .number(0...1),
                "The share of binary items that are positive, over the latest attempts that have one."
            ),
        ])

    private static let count = Shape.integer(0...1_000_000_000)
}
