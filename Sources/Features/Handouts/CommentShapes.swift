import API
import School

/// The input and output of the calls about comments.
enum CommentShapes {
    private static let text = Shape.text(1...4000, lines: true)

    static let newComment = ObjectShape("NewComment", [.required("text", text)])

    static let lastSeen = ObjectShape(
        "LastComment", [.required("commentId", .uuid, "The last comment that was shown.")])

    static let comment = ObjectShape(
        "Comment",
        [
            .required("id", .uuid),
            .required("by", .word(["student", "teacher"]), "On whose side its author is."),
            .orNull(
                "author",
                .fields(
                    "CommentAuthor",
                    [
                        .required("givenName", .line()), .required("familyName", .line()),
                        .nameOrder,
                    ]), "Who wrote it; null for a teacher who was erased."),
            .required("own", .boolean, "Whether you wrote it."),
            .orNull("text", text, "Null once its author has removed it."),
            .required("createdAt", .timestamp),
            .orNull("removedAt", .timestamp),
            .required(
                "new", .boolean,
                "Whether the other side wrote it, and you have not marked it as read."),
        ])

    static let conversation = ObjectShape(
        "Conversation",
        [
            .required("personId", .uuid, "The student."),
            .required("comments", .integer(0...1000), "How many there are, without removed ones."),
            .required(
                "newComments", .integer(0...1000),
                "How many the student wrote since you marked them as read."),
            .required("lastAt", .timestamp, "When the latest was written."),
        ])
}
