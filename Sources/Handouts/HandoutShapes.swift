import School

/// What is sent about handouts and received of them.
enum HandoutShapes {
    static let states = ["draft", "scheduled", "published", "locked", "completed"]

    static let newAppActivity = ObjectShape(
        "NewAppActivityTask",
        [
            .required("kind", .word(["appActivity"])), .required("bundleId", .text(1...155)),
            .required(
                "identifierPath", .array(.text(1...256), count: 0...7),
                "Below the app; [] is the app itself."),
        ])

    static let newLink = ObjectShape(
        "NewLinkTask",
        [
            .required("kind", .word(["link"])),
            .required("url", .text(1...2048), "http or https."), .required("title", .line()),
        ])

    static let newHandout = ObjectShape(
        "NewHandout",
        [
            .required("classId", .reference), .required("title", .line()),
            .optional("instructions", .text(0...20_000, lines: true)),
            .optional(
                "recipients",
                .either(.word(["class"]), .array(.reference, count: 1...1000)),
                "The class, also who joins it later; or chosen students of it."),
            .optional("publishAt", .timestamp, "Absent: a draft. Past: now."),
            .optional(
                "dueAt", .either(.timestamp, .day),
                "A day means 23:59 of it in the time zone of the location."),
            .optional("environment", .word(Environment.allCases.map(\.rawValue))),
            .optional(
                "tasks",
                .array(
                    .variant(
                        name: "NewTask", discriminator: "kind",
                        [("appActivity", newAppActivity), ("link", newLink)]), count: 0...20)),
        ])

    static let publication = ObjectShape(
        "Publication", [.optional("publishAt", .timestamp, "Absent or past: now.")])

    static let task = ObjectShape(
        "Task",
        [
            .required("id", .uuid), .required("kind", .word(["appActivity", "link"])),
            .required("title", .line()), .optional("bundleId", .text(1...155)),
            .optional("identifierPath", .array(.text(1...256), count: 0...7)),
            .optional("url", .text(1...2048)),
        ])

    static let handout = ObjectShape(
        "Handout",
        [
            .required("id", .uuid), .required("classId", .uuid),
            .optional("authorId", .uuid, "Absent where the author was erased."),
            .required("title", .line()), .optional("instructions", .text(0...20_000, lines: true)),
            .required(
                "recipients", .either(.word(["class"]), .array(.uuid, count: 0...1000)),
                "A student sees only himself or herself among chosen ones."),
            .required("environment", .word(Environment.allCases.map(\.rawValue))),
            .required("state", .word(states)), .optional("publishAt", .timestamp),
            .optional("dueAt", .timestamp), .optional("lockedAt", .timestamp),
            .optional("completedAt", .timestamp),
            .required("tasks", .array(.object(task), count: 0...20)),
            .required("createdAt", .timestamp), .required("updatedAt", .timestamp),
        ])
}

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

    static let assignment = ObjectShape(
        "Assignment",
        [
            .required("id", .uuid, "The id of the task."),
            .required("handout", .object(handout)), .required("task", .object(HandoutShapes.task)),
            .optional("dueAt", .timestamp),
            .required(
                "late", .boolean, "Done after the due time, or not done although it is over."),
            .required("locked", .boolean), .required("completed", .boolean, "By the teacher."),
            .optional("openedAt", .timestamp), .optional("doneAt", .timestamp),
            .optional(
                "recording", .object(recording),
                "What the app reports is recorded; absent where nothing is."),
            .optional("target", .object(target), "Where to go in the app."),
        ])
}
