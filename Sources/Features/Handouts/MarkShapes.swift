import API
import Contract
import School

/// The input and output of the calls about marks.
enum MarkShapes {
    private static let revision = MarkBounds.revision
    private static let taskID = Field.nullable(
        "taskId", .uuid, "The task; null: it is about the handout as a whole.")

    private static let worth: [Field] = [
        .required("points", MarkBounds.points),
        .required("maximum", MarkBounds.maximum, "How many there were when it was given."),
        .required("givenAt", .timestamp, "When the student was given it."),
    ]

    static let newDraft = ObjectShape(
        "NewMarkDraft",
        [
            .required(
                "points", MarkBounds.points,
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
            .required("points", MarkBounds.points),
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
}
