import API

/// What apps send about activities.
enum ActivityShapes {
    /// An upload as the API document shows it.
    static let upload = shape(of: .object(activity))

    /// An upload whose activities are checked one by one later.
    static let envelope = shape(of: .anything)

    private static func shape(of activity: Shape) -> Shape {
        .fields(
            "ActivityUpload",
            [
                .required(
                    "activities", .array(activity, count: 0...500),
                    "Each is accepted or refused on its own."),
                .optional(
                    "sentAt", .timestamp,
                    "The time on the device's clock at sending. All times are shifted by that clock's error."
                ),
            ])
    }

    /// The result of an upload, as far as its form is concerned.
    static let uploaded = Shape.fields(
        "ActivityUploadTaken",
        [
            .optional(
                "refused", .array(.object(refused), count: 1...500),
                "The malformed activities. Absent if there are none.")
        ])

    private static let refused = ObjectShape(
        "RefusedActivity",
        [
            .required("id", .orNull(.text(0...256)), "As you sent it; null if it is not text."),
            .required("pointer", .text(0...100_000), "Where the body is wrong."),
            .required("code", .line(64)), .required("detail", .line(1000)),
        ])

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
            .required("durationSeconds", .number(0...1e9), "How long it was running."),
            .optional(
                "progressRanges",
                .array(.array(.number(0...1), count: 2...2), count: 0...10_000),
                "Pairs of start and end; progress p is the range from 0 to p."),
            .optional("primaryItem", item),
            .optional("additionalItems", .array(item, count: 0...1000)),
            .required(
                "modifiedAt", .timestamp, "If two parts list different items, the later list stays."
            ),
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
            .required("score", .number(0...largest), "From 0 to maxScore; 0, or at least 1e-9."),
            .required("maxScore", .number(ActivityChecks.smallestFigure...largest)),
        ])

    private static let quantity = ObjectShape(
        "NewQuantityItem",
        named("quantity") + [
            .required("quantity", .number(-largest...largest), "0, or at least 1e-9 in size.")
        ])

    private static let binary = ObjectShape(
        "NewBinaryItem",
        named("binary") + [
            .required("value", .boolean),
            .required(
                "valueType", .word(["trueFalse", "passFail", "yesNo", "correctIncorrect"])),
        ])

    private static let largest = ActivityChecks.largestFigure

    private static func named(_ kind: String) -> [Field] {
        [
            .required("kind", .word([kind])),
            .required("identifier", .line(256), "Unique inside one activity."),
            .required("title", .line(256)),
        ]
    }
}

extension Shape {
    /// An empty object: the upload has arrived, and nothing more is said.
    static let taken = Shape.fields("Taken", [])
}
