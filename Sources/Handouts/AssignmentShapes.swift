import School

/// What a student receives about assignments.
enum AssignmentShapes {
    private static let handout = ObjectShape(
        "AssignmentHandout",
        [
            .required("id", .uuid), .required("title", .line()),
            .optional("instructions", .text(0...20_000, lines: true)),
            .required("classId", .uuid), .required("className", .line()),
        ])

    private static let recording = ObjectShape(
        "Recording",
        [
            .required("since", .timestamp, "From this moment on."),
            .required("bundleId", .text(1...155), "By this app."),
        ])

    private static let target = ObjectShape(
        "Target",
        [
            .required("bundleId", .text(1...155)),
            .required("identifierPath", .array(.text(1...256), count: 0...7)),
            .optional("universalLinkURL", .text(1...2048)),
            .optional("minimumBundleVersion", .text(1...64)),
        ])

    private static let givenBack = ObjectShape(
        "GivenBack",
        [
            .required("at", .timestamp), .optional("note", .text(1...4000, lines: true)),
            .required("tryAgain", .boolean, "The teacher asks to do it once more."),
        ])

    /// What a teacher sends who gives work back.
    static let newReturn = ObjectShape(
        "NewReturn",
        [
            .optional("note", .text(1...4000, lines: true), "What the student reads."),
            .optional("tryAgain", .boolean, "Takes the mark done away; absent: false."),
        ])

    /// The same as it is read.
    static let studentReturn = ObjectShape(
        "StudentReturn",
        [
            .required("taskId", .uuid), .required("personId", .uuid),
            .optional("openedAt", .timestamp), .optional("doneAt", .timestamp),
            .required("returnedAt", .timestamp),
            .optional("note", .text(1...4000, lines: true)), .required("tryAgain", .boolean),
        ])

    static let assignment = ObjectShape(
        "Assignment",
        [
            .required("id", .uuid, "The id of the task."),
            .required("handout", .object(handout)), .required("task", .object(TaskShapes.task)),
            .optional("dueAt", .timestamp),
            .required(
                "late", .boolean, "Done after the due time, or not done although it is over."),
            .required("locked", .boolean), .required("completed", .boolean, "By the teacher."),
            .optional("openedAt", .timestamp), .optional("doneAt", .timestamp),
            .optional("returned", .object(givenBack), "The teacher gave the work back."),
            .optional(
                "recording", .object(recording),
                "What the app reports is recorded; absent where nothing is."),
            .optional("target", .object(target), "Where to go in the app."),
        ])
}
