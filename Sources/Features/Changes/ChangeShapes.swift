import API
import School

/// The input and output of the call that follows changes.
enum ChangeShapes {
    /// As they are named in answers; `roster` is the seats of a class.
    static let kinds = [
        "location", "term", "course", "person", "class", "roster", "handout",
    ]

    /// How many columns of a row make an answer; the others are its position.
    static let columns = 4

    static let parameters: [Endpoint.Parameter] = [
        .optional(
            "after", .text(1...200),
            "The `position` of your last answer. Without it you get no changes, only the position of now."
        ),
        .optional("limit", .integer(1...1000), "How many changes; 100 when absent."),
    ]

    /// What nobody follows, and who edits it: to others it is not there.
    static let editors: [String: [Standing]] = [
        "announcement": [.teacher], "app": [.administrator, .contentManager],
    ]

    static let latestParameters: [Endpoint.Parameter] = [
        .required(
            "kind", .word(kinds + ["announcement", "app"]),
            "The kind of record, as in `/v1/changes`; or an announcement or an app."
        ),
        .required(
            "id", .text(1...64),
            "The id of the record; for a roster, that of its class; for an app, its `adamId`."),
    ]

    static let latest = ObjectShape(
        "LatestChange",
        [
            .required("at", .timestamp, "When the change began."),
            .nullable(
                "changedBy", .object(author),
                "null for a system, for someone who was erased, and for someone you do not see."),
        ])

    private static let author = ObjectShape(
        "ChangeAuthor",
        [
            .required("id", .uuid, "The id of the person."), .required("givenName", .text(1...200)),
            .required("familyName", .text(1...200)), .nameOrder,
        ])

    static let changes = ObjectShape(
        "Changes",
        [
            .required("items", .array(.object(change), count: 0...1000)),
            .required(
                "position", .text(1...200),
                "Send it as `after` next time; opaque. Keep it after you have taken in the changes."
            ),
            .required("hasMore", .boolean, "If true, ask again at once; otherwise later."),
        ])

    private static let change = ObjectShape(
        "Change",
        [
            .required(
                "kind", .word(kinds),
                "roster: who is in a class and who teaches it, and since when. Changes of tasks and recipients are changes of their handout."
            ),
            .required("id", .uuid, "The id of the record; for a roster, that of its class."),
            .required(
                "what", .word(["created", "changed", "removed"]),
                "Treat an id that you do not know as a new one, whatever this says."),
            .required("at", .timestamp, "When the change began; positions are in another order."),
        ])
}
