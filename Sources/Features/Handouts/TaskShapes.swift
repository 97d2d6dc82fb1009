import API

/// The input and output of tasks.
enum TaskShapes {
    /// The kinds of tasks that can be given, in the order of the API document.
    static let kinds = ["appActivity", "wholeApp", "timedApp", "link", "tool"]

    private static let id = Field.optional(
        "id", .uuid, "When a handout is changed: the id of a task that stays.")
    private static let title = Field.optional(
        "title", .line(), "As it is read; what the app calls it counts.")
    private static let marking = Field.optional(
        "marking", Marking.shape, "How it is marked. If absent, it is not.")
    private static let bundleID = Field.required("bundleId", .text(1...155))
    private static let minutes = Field.required("minutes", .integer(1...1440))

    private static func kind(_ word: String) -> Field { .required("kind", .word([word])) }

    private static let appActivity = ObjectShape(
        "NewAppActivityTask",
        [
            kind("appActivity"), id, bundleID,
            .required(
                "identifierPath", .array(.text(1...256), count: 0...7),
                "Below the app; [] is the app itself."),
            title, marking,
        ])

    private static let wholeApp = ObjectShape(
        "NewWholeAppTask", [kind("wholeApp"), id, bundleID, title, marking])

    private static let timedApp = ObjectShape(
        "NewTimedAppTask", [kind("timedApp"), id, bundleID, minutes, title, marking])

    private static let link = ObjectShape(
        "NewLinkTask",
        [
            kind("link"), id, .required("url", .text(1...2048), "http or https."),
            .required("title", .line()), marking,
        ])

    private static let tool = ObjectShape(
        "NewToolTask",
        [
            kind("tool"), id,
            .required("toolId", .uuid, "One of `GET /v1/tools`."),
            .optional(
                "url", .text(1...1000), "What the tool opens; its own launch URL when absent."),
            .required("title", .line()),
            .optional(
                "custom", .map(.text(0...2000)),
                "What the tool is told about the task; up to 50 texts, 4,000 bytes in all."),
            .optional(
                "scoreMaximum", .number(1e-9...1e12),
                "The highest score, as the tool said; 100 when absent."),
            .optional("resourceId", .text(1...256), "The tool's own id of the resource."),
            .optional(
                "tag", .text(1...256), "A word of the tool's own by which it finds the task."),
            marking,
        ])

    private static let handIn = ObjectShape(
        "NewHandInTask", [reserved("handIn"), .optional("title", .line())])
    private static let exitTicket = ObjectShape(
        "NewExitTicketTask",
        [reserved("exitTicket"), .optional("questions", .array(.anything, count: 0...100))])
    private static let file = ObjectShape(
        "NewFileTask", [reserved("file"), .optional("fileId", .anything)])

    private static func reserved(_ word: String) -> Field {
        .required("kind", .word([word]), "Cannot be given yet: 422.")
    }

    /// A task as a teacher sends it.
    static let newTask = Shape.variant(
        name: "NewTask", discriminator: "kind",
        [
            ("appActivity", appActivity), ("wholeApp", wholeApp), ("timedApp", timedApp),
            ("link", link), ("tool", tool), ("handIn", handIn), ("exitTicket", exitTicket),
            ("file", file),
        ])

    /// A task in answers.
    static let task = ObjectShape(
        "Task",
        [
            .required("id", .uuid), .required("kind", .word(kinds)),
            .required("title", .line()), .optional("bundleId", .text(1...155)),
            .optional("identifierPath", .array(.text(1...256), count: 0...7)),
            .optional("minutes", .integer(1...1440), "For a timed app: how long."),
            .optional("url", .text(1...2048)),
            .optional("toolId", .uuid, "For a tool: which one. `POST /v1/tool-launches` opens it."),
            .optional("toolName", .line(), "What that tool is called."),
            .optional("custom", .map(.text(0...2000)), "For a tool: what it is told."),
            .optional("scoreMaximum", .number(0...1e12), "For a tool: the highest score."),
            .optional("resourceId", .text(1...256), "For a tool: its own id of the resource."),
            .optional(
                "tag", .text(1...256), "For a tool: a word of its own by which it finds the task."),
            .optional("marking", Marking.shape, "How it is marked; absent: it is not."),
        ])
}
