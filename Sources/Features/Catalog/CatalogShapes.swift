import API

/// The bodies that the catalog receives and returns.
enum CatalogShapes {
    static let bundleID = Shape.text(1...155)

    static let topics = [
        "artsAndMusic", "computerScienceAndEngineering", "healthAndFitness",
        "literacyAndWriting", "math", "science", "socialScience", "worldLanguage",
    ]

    static let types = [
        "app", "audio", "book", "challenge", "chapter", "course", "custom", "document",
        "exercise", "game", "lesson", "level", "none", "page", "quiz", "section", "task", "video",
    ]

    static let kinds = ["duration", "percent", "binary", "quantity", "score"]

    static let capability = ObjectShape(
        "ProgressReportingCapability",
        [
            .required("kind", .word(kinds)),
            .optional("details", .text(0...4000, lines: true)),
        ])

    static let path = Shape.array(.text(1...256), count: 1...8)
    /// Apple's samples send numbers and numeric strings; both are accepted.
    static let number = Shape.either(.number(-9.3e18...9.3e18), .text(1...20))
    static let range = Shape.array(number, count: 2...2)

    static let data = ObjectShape(
        "ContextData",
        [
            .required("identifierPath", path, "The bundle id first; 256 characters in total."),
            .required("title", .line()), .required("type", .word(types)),
            .optional("customTypeName", .line()), .optional("displayOrder", number),
            .optional("isAssignable", .boolean),
            .optional(
                "progressReportingCapabilities", .array(.object(capability), count: 0...5)),
            .optional("suggestedAge", range, "In years, both inclusive."),
            .optional("suggestedCompletionTime", range, "In minutes."),
            .optional("summary", .text(0...4000, lines: true)),
            .optional("thumbnailId", .text(1...256)), .optional("topic", .word(topics)),
            .optional("universalLinkURL", .text(1...2048)),
        ])

    static let presentablePath = ObjectShape("PresentablePath", [.required("path", path)])

    static let metadata = ObjectShape(
        "ContextMetadata",
        [
            .required("locale", .text(1...35)),
            .optional("minimumBundleVersion", .text(1...64)),
            .optional("keywords", .array(.text(1...256), count: 0...100)),
            .optional("presentableLocales", .array(.text(1...35), count: 1...200)),
            .optional("presentablePaths", .array(.object(presentablePath), count: 0...100)),
            .optional("standardsAlignments", .array(.text(1...256), count: 0...100)),
        ])

    static let context = ObjectShape(
        "Context",
        [.required("data", .object(data)), .required("metadata", .object(metadata))])

    static let contexts = ObjectShape(
        "ContextsRequest", [.required("contexts", .array(.object(context), count: 1...200))])

    static let publishedContexts = ObjectShape(
        "ContextsResponse", [.required("contexts", .array(.object(context), count: 0...200))])

    static let status = ObjectShape(
        "CatalogStatus",
        [
            .required("statusId", .text(1...64)), .required("teamId", .text(1...64)),
            .required("state", .word(["pending", "inProgress", "complete", "error"])),
            .optional(
                "statusCode", .text(3...3),
                "The status that the call would have been answered with."),
            .optional("error", CatalogError.shape),
            .required("location", .text(1...400), "The address of this status, without a scheme."),
        ])

    static let browsedContext = ObjectShape(
        "CatalogContext",
        [
            .required("id", .uuid),
            .required(
                "origin", .word(["catalog", "native"]),
                "native: saved by an app for you, or shown to you by a handout."),
            .required("bundleId", bundleID),
            .required("identifierPath", .array(.text(1...256), count: 0...7), "Below the app."),
            .required("locale", .text(1...35)), .required("title", .line()),
            .required("type", .word(types)), .orNull("customTypeName", .line()),
            .required("displayOrder", .number(-1e300...1e300)),
            .required("isAssignable", .boolean),
            .required(
                "progressReportingCapabilities", .array(.object(capability), count: 0...5)),
            .orNull("suggestedAge", suggested, "In years; a null upper bound means none."),
            .orNull("suggestedCompletionTime", suggested, "In minutes."),
            .orNull("summary", .text(0...4000, lines: true)),
            .orNull("topic", .word(topics), "Its own topic, or that of its nearest ancestor."),
            .orNull("universalLinkURL", .text(1...2048)),
            .orNull("minimumBundleVersion", .text(1...64)),
            .required("hasChildren", .boolean),
            .orNull("thumbnail", .text(1...100), "Where to get its picture."),
        ])

    private static let suggested = Shape.array(
        .orNull(.integer(0...Int(Int32.max))), count: 2...2)
}
