import API

extension ObjectShape {
    /// The apps in which a class works.
    static let classApps = ObjectShape(
        "ClassApps",
        [
            .required("class", .object(namedClass)), .required("generatedAt", .timestamp),
            .required("apps", .array(.object(app), count: 0...1000), "By name."), notes,
        ])

    /// A class across its handouts with tasks in one app.
    static let appReport = ObjectShape(
        "AppReport",
        [
            .required("class", .object(namedClass)), .required("generatedAt", .timestamp),
            .required("app", .object(namedApp)),
            .required(
                "handouts", .array(.object(taughtHandout), count: 0...100_000),
                "Those with tasks in the app, and of each only these tasks."), notes,
        ])

    /// The students of a class in one app.
    static let appStudents = ObjectShape(
        "AppStudents",
        [
            .required("class", .object(namedClass)), .required("generatedAt", .timestamp),
            .required("app", .object(namedApp)),
            .required(
                "students", .array(.object(appStudent), count: 0...100_000),
                "By name: those who have one of these handouts, and those who left with something "
                    + "to show."), notes,
        ])

    private static let name = Field.required(
        "name", .text(1...1000),
        "What the catalog calls the app, else the school; else its bundle id.")

    private static let namedApp = ObjectShape(
        "NamedApp", [.required("bundleId", .text(1...1000)), name])

    private static let app = ObjectShape(
        "ClassApp",
        [
            .required("bundleId", .text(1...1000)), name,
            .required("handouts", count, "Those with tasks in the app."),
            .required("tasks", count),
            .required("attempts", count, "Of all students."),
            .required("durationSeconds", anyNumber, "The sum over all students."),
            .required("studentsWithData", count),
        ])

    private static let appStudent = ObjectShape(
        "AppStudent",
        names + [
            .required("progressOff", .boolean),
            .required("tasks", count, "In the app, which the student has to do, or had."),
            .required("tasksOpened", count), .required("tasksDone", count),
            .required("tasksLate", count, "Done after they were due, or due and not done yet."),
            .required("tasksOverdue", count, "Those of the late that are not done yet."),
            .required("tasksWithData", count), .required("attempts", count),
            .orNull("progress", .number(0...1), "Over all attempts."),
            .orNull("durationSeconds", anyNumber, "The sum over all attempts."),
            .orNull(
                "score", .number(0...1),
                "Share of the maximum, over the latest attempts that have a score."),
            .orNull(
                "positiveShare", .number(0...1),
                "Of binary items, over the latest attempts that have one."),
        ])

    private static let count = Shape.integer(0...1_000_000_000)
}
