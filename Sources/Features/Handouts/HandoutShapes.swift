import API
import School

/// The input and output of the calls about handouts.
enum HandoutShapes {
    static let states = ["draft", "scheduled", "published", "locked", "completed", "archived"]

    static let newHandout = ObjectShape(
        "NewHandout",
        [
            .required("classId", .reference), .required("title", .line()),
            .optional("instructions", .text(0...20_000, lines: true)),
            .optional(
                "recipients",
                .either(.word(["class"]), .array(.reference, count: 1...1000)),
                "The whole class, with those who join it later, or chosen students of it."),
            .optional(
                "publishAt", .timestamp,
                "If absent, it stays a draft; if past, it is published now."),
            .optional(
                "dueAt", .either(.timestamp, .day),
                "A day without a time means 23:59 on that day, in the time zone of the location."),
            .optional("environment", .word(Environment.allCases.map(\.rawValue))),
            .optional(
                "marking", Marking.shape, "How it is marked as a whole. If absent, it is not."),
            .optional(
                "tasks", .array(TaskShapes.newTask, count: 0...20),
                "Only a draft may have none."),
        ])

    /// The body of a `PATCH`: every field may be absent.
    static let change = Shape.fields(
        "HandoutChange",
        newHandout.fields.changed(staying: ["environment", "tasks"]))

    static let copy = ObjectShape(
        "HandoutCopy",
        [
            .optional("classId", .reference, "Another class you teach. If absent, the same class."),
            .optional("title", .line(), "If absent, the same title."),
        ])

    static let publication = ObjectShape(
        "Publication", [.optional("publishAt", .timestamp, "If absent or past, now.")])

    private static let note = ObjectShape(
        "PostingNote",
        [
            .required(
                "code",
                .word(["no_licence", "context_withdrawn", "progress_off", "no_students"])),
            .required("text", .text(1...500), "How many, and never who."),
            .optional("taskId", .uuid),
        ])

    static let handout = ObjectShape(
        "Handout",
        [
            .required("id", .uuid), .required("classId", .uuid),
            .orNull("authorId", .uuid, "Absent if the author was erased."),
            .required("title", .line()), .orNull("instructions", .text(0...20_000, lines: true)),
            .required(
                "recipients", .either(.word(["class"]), .array(.uuid, count: 0...1000)),
                "Of chosen students, a student sees only himself or herself."),
            .required("environment", .word(Environment.allCases.map(\.rawValue))),
            .required("state", .word(states)), .orNull("publishAt", .timestamp),
            .orNull("dueAt", .timestamp), .orNull("lockedAt", .timestamp),
            .orNull("completedAt", .timestamp), .orNull("archivedAt", .timestamp),
            .required("tasks", .array(.object(TaskShapes.task), count: 0...20)),
            .orNull("marking", Marking.shape, "How it is marked as a whole; null: it is not."),
            .required("createdAt", .timestamp), .required("updatedAt", .timestamp),
            .nullable(
                "notes", .array(.object(note), count: 0...100),
                "What to know about the handout; only in answers to creating, changing or publishing it."
            ),
            .optional(
                "counts", .object(counts),
                "How far the students are; only in lists with `counts=true`."),
        ])

    private static let headcount = Shape.integer(0...100_000)

    private static let counts = ObjectShape(
        "HandoutCounts",
        [
            .required(
                "assigned", headcount,
                "Students who have it to do now. Those who joined after it was due count only if a teacher gave it to them."
            ),
            .required("done", headcount, "Students who are done with all of its tasks."),
            .required(
                "late", headcount,
                "Students with a task that was done after the due time, or is not done although that is over; never those who joined later."
            ),
            .required(
                "overdue", headcount,
                "Late students who are not done with all of its tasks yet."
            ),
        ])
}
