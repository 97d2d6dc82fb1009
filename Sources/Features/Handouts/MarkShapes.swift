import API
import School

/// The input and output of the calls about marks.
enum MarkShapes {
    private static let revision = Shape.integer(0...1_000_000_000)
    private static let taskID = Field.nullable(
        "taskId", .uuid, "The task; null: it is about the handout as a whole.")

    private static let worth: [Field] = [
        .required("points", Marking.points),
        .required("maximum", Marking.maximum, "How many there were when it was given."),
        .required("givenAt", .timestamp, "When the student was given it."),
    ]

    static let newDraft = ObjectShape(
        "NewMarkDraft",
        [
            .required(
                "points", Marking.points,
                "At most as many as there are, with at most two decimal places."),
            .optional(
                "replaces", revision,
                "The `revision` of the mark that you were shown, 0 for none. If another has been given by the time that you give this one, it stays a draft. The one there is when absent."
            ),
        ])

    static let draft = ObjectShape(
        "MarkDraft",
        [
            .required("personId", .uuid, "The student."), taskID,
            .required("points", Marking.points),
            .required(
                "replaces", revision, "The `revision` of the mark that it replaces; 0: none."),
            .required("updatedAt", .timestamp),
        ])

    static let mark = ObjectShape(
        "Mark",
        [.required("personId", .uuid, "The student."), taskID] + worth + [
            .required("revision", revision, "Grows with each mark that is given.")
        ])

    /// The marks of a handout for its student.
    static let ownMark = ObjectShape(
        "OwnMark",
        [.optional("taskId", .uuid, "The task; absent: it is about the handout as a whole.")]
            + worth)

    /// What a teacher sees of a student and a task.
    static let marked = ObjectShape(
        "MarkedWork",
        [
            .required("personId", .uuid, "The student."), taskID,
            .orNull(
                "mark",
                .fields(
                    "GivenMark",
                    worth + [.required("revision", revision, "Grows with each that is given.")]),
                "What the student and all who teach the class see."),
            .orNull(
                "draft",
                .fields(
                    "OwnMarkDraft",
                    [
                        .required("points", Marking.points), .required("replaces", revision),
                        .required("updatedAt", .timestamp),
                    ]), "What you have not given yet, and nobody else sees."),
        ])
}
