import API
import School

/// The output of the calls about assignments, for students.
enum AssignmentShapes {
    private static let handout = ObjectShape(
        "AssignmentHandout",
        [
            .required("id", .uuid), .required("title", .line()),
            .orNull("instructions", .text(0...20_000, lines: true)),
            .required("classId", .uuid), .required("className", .line()), teachers,
            .required(
                "newComments", .integer(0...1000),
                "How many comments of your teachers you have not marked as read."),
        ])

    private static let teachers = Field.required(
        "teachers",
        .array(
            .fields(
                "TeacherName",
                [.required("givenName", .line()), .required("familyName", .line()), .nameOrder]),
            count: 0...1000), "The teachers of the class, who see what you do with the handout.")

    private static let recording = ObjectShape(
        "Recording",
        [
            .required("since", .timestamp, "From this moment on."),
            .required(
                "bundleId", .text(1...155),
                "The app that reports it, or `tool:` and the id of a tool."),
        ])

    private static let target = ObjectShape(
        "Target",
        [
            .required("bundleId", .text(1...155)),
            .required("identifierPath", .array(.text(1...256), count: 0...7)),
            .orNull("universalLinkURL", .text(1...2048)),
            .orNull("minimumBundleVersion", .text(1...64)),
            .orNull("thumbnail", .text(1...100), "Where to get its picture."),
        ])

    private static let givenBack = ObjectShape(
        "GivenBack",
        [
            .required("at", .timestamp), .orNull("note", .text(1...4000, lines: true)),
            .required("tryAgain", .boolean, "Whether the teacher asks for another try."),
        ])

    /// The body with which a teacher returns work.
    static let newReturn = ObjectShape(
        "NewReturn",
        [
            .optional("note", .text(1...4000, lines: true), "A note that the student reads."),
            .optional(
                "tryAgain", .boolean,
                "Whether the student should try again, which removes the mark done; false when absent."
            ),
        ])

    /// The same in answers.
    static let studentReturn = ObjectShape(
        "StudentReturn",
        [
            .required("taskId", .uuid), .required("personId", .uuid),
            .orNull("openedAt", .timestamp), .orNull("doneAt", .timestamp),
            .required("returnedAt", .timestamp),
            .orNull("note", .text(1...4000, lines: true)), .required("tryAgain", .boolean),
        ])

    static let assignment = ObjectShape(
        "Assignment",
        [
            .required("id", .uuid, "The id of the task."),
            .required("handout", .object(handout)), task, .orNull("dueAt", .timestamp), late,
            beforeJoined,
        ] + closed + done)

    /// A handout as a student has it.
    static let ownHandout = ObjectShape(
        "OwnHandout",
        ownHandoutHead + [
            .required(
                "assignments",
                .array(
                    .fields(
                        "OwnHandoutAssignment",
                        [
                            .required("id", .uuid, "The id of the task."), task, late,
                            beforeJoined,
                        ] + done),
                    count: 1...20), "In the order of the tasks.")
        ])

    static let ownHandoutHead: [Field] =
        handout.fields + [.required("publishAt", .timestamp), .orNull("dueAt", .timestamp)] + closed
        + [
            .required(
                "marks", .array(.object(MarkShapes.ownMark), count: 0...21),
                "What your teachers gave you; for the handout as a whole first.")
        ]

    private static let task = Field.required("task", .object(TaskShapes.task))
    private static let late = Field.required(
        "late", .boolean,
        "Whether it was done after the due time, or is not done although that is over. Never if the student joined later."
    )
    private static let beforeJoined = Field.required(
        "beforeJoined", .boolean,
        "Whether it was due before the student joined the class, and no teacher gave it to the student since. Then the student may do it, but need not."
    )
    private static let closed: [Field] = [
        .required("locked", .boolean),
        .required("completed", .boolean, "Whether the teacher has completed the handout."),
    ]
    private static let done: [Field] = [
        .orNull("openedAt", .timestamp), .orNull("doneAt", .timestamp),
        .orNull("returned", .object(givenBack), "How the teacher returned the work."),
        .orNull(
            "recording", .object(recording),
            "Since when and by what progress is recorded; absent where nothing is."),
        .orNull("target", .object(target), "Where to go in the app."),
    ]
}
