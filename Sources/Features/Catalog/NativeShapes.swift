import API

/// The contexts that apps save and look up.
enum NativeShapes {
    /// Below the app; [] is the app itself.
    static let path = Shape.array(.text(1...256), count: 0...7)

    static let saved = ObjectShape(
        "NewNativeContexts", [.required("contexts", .array(.object(context), count: 1...200))])

    private static let context = ObjectShape(
        "NewNativeContext",
        [
            .required(
                "identifierPath", path,
                "The path below the app; at most 256 characters together with the bundle id."),
            .required("title", .line()), .required("type", .word(CatalogShapes.types)),
            .optional("customTypeName", .line(), "Only for the type `custom`."),
            .optional("displayOrder", .number(-9e15...9e15), "0 when absent."),
            .optional("isAssignable", .boolean, "true when absent."),
            .optional(
                "progressReportingCapabilities",
                .array(.object(CatalogShapes.capability), count: 0...5),
                "The duration is always reported."),
            .optional("suggestedAge", range, "In years; a null upper bound means none."),
            .optional("suggestedCompletionTime", range, "In minutes."),
            .optional("summary", .text(0...4000, lines: true)),
            .optional("topic", .word(CatalogShapes.topics)),
            .optional("universalLinkURL", .text(1...2048)),
            .optional(
                "navigationPaths", .array(path, count: 0...100),
                "Other contexts it is also shown under; they need not exist."),
        ])

    private static let range = Shape.array(.orNull(.integer(0...Int(Int32.max))), count: 2...2)

    static let found = ObjectShape(
        "AppContext",
        [
            .required("origin", .word(["catalog", "native"]), "native: saved by an app."),
            .required("identifierPath", path), .required("title", .line()),
            .required("type", .word(CatalogShapes.types)), .orNull("customTypeName", .line()),
            .required("displayOrder", .number(-1e300...1e300)),
            .required("isAssignable", .boolean),
            .required(
                "progressReportingCapabilities",
                .array(.object(CatalogShapes.capability), count: 0...5)),
            .orNull("suggestedAge", range), .orNull("suggestedCompletionTime", range),
            .orNull("summary", .text(0...4000, lines: true)),
            .orNull(
                "topic", .word(CatalogShapes.topics),
                "Its own topic, or that of its nearest ancestor."),
            .orNull("universalLinkURL", .text(1...2048)),
            .required(
                "navigationPaths", .array(path, count: 0...100),
                "Other contexts it is also shown under."),
            .required(
                "hasThumbnail", .boolean, "Read it with GET /v1/me/contexts/thumbnail."),
            .required("hasChildren", .boolean),
            .required("createdAt", .timestamp), .required("updatedAt", .timestamp),
        ])

    /// A page of contexts on a path, or of changes.
    static let foundPage = Shape.fields(
        "AppContextPage",
        [
            .required("items", .array(.object(found), count: 0...1000)),
            .optional(
                "removed", .array(path, count: 0...1000),
                "Only with `descendants`: paths at which nothing is left. You may not have known all of them."
            ),
            .optional(
                "startsOver", .boolean,
                """
                Only with `descendants`: drop your copy first. True without `updatedSince`, if that is older than \
                29 days, and if `Accept-Language` is another.
                """),
            .optional(
                "updatedSince", .text(1...2000),
                "Only with `descendants`: where this page ends. Send it as `updatedSince` next time; opaque."
            ),
            .optional("nextPageToken", .text(1...2000), "Absent on the last page; opaque."),
        ])

    /// The contexts have arrived, and nothing more is said.
    static let taken = Shape.fields("SavedContexts", [])
    static let takenThumbnail = Shape.fields("ReceivedThumbnail", [])
}
