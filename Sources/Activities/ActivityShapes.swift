import School

/// What apps send about activities.
enum ActivityShapes {
    static let upload = Shape.fields(
        "ActivityUpload",
        [.required("activities", .array(.object(activity), count: 0...500))])

    static let completion = Shape.fields(
        "Completion", [.required("identifierPath", identifierPath, "Below the app.")])

    static let activity = ObjectShape(
        "ActivityPart",
        [
            .required("id", .uuid, "Chosen by the app, the same for every part of an attempt."),
            .required(
                "identifierPath", identifierPath, "The context, below the app; [] is the app."),
            .required("startedAt", .timestamp),
            .optional("stoppedAt", .timestamp, "Absent while the attempt goes on."),
            .required("durationSeconds", .number(0...1e9), "Time in running state."),
            .optional(
                "progressRanges",
                .array(.array(.number(0...1), count: 2...2), count: 0...10_000),
                "Pairs of start and end; progress p is the range from 0 to p."),
            .optional("primaryItem", item),
            .optional("additionalItems", .array(item, count: 0...1000)),
            .required("modifiedAt", .timestamp, "Of two sets of items the later one stays."),
        ])

    /// Eight levels at most, the app being the first.
    private static let identifierPath = Shape.array(.line(256), count: 0...7)

    private static let item = Shape.variant(
        name: "NewActivityItem", discriminator: "kind",
        [
            (word: "score", shape: score), (word: "quantity", shape: quantity),
            (word: "binary", shape: binary),
        ])

    private static let score = ObjectShape(
        "NewScoreItem",
        named("score") + [
            .required("score", anyNumber, "From 0 to maxScore."),
            .required("maxScore", anyNumber, "More than 0."),
        ])

    private static let quantity = ObjectShape(
        "NewQuantityItem", named("quantity") + [.required("quantity", anyNumber)])

    private static let binary = ObjectShape(
        "NewBinaryItem",
        named("binary") + [
            .required("value", .boolean),
            .required(
                "valueType", .word(["trueFalse", "passFail", "yesNo", "correctIncorrect"])),
        ])

    private static let anyNumber = Shape.number(-1e300...1e300)

    private static func named(_ kind: String) -> [Field] {
        [
            .required("kind", .word([kind])),
            .required("identifier", .line(256), "Unique inside one activity."),
            .required("title", .line(256)),
        ]
    }
}

extension Shape {
    /// An empty object: it has arrived, and nothing is told.
    static let taken = Shape.fields("Taken", [])
}
