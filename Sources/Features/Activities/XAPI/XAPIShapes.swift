import API
import JSONBytes

/// What apps send and receive over xAPI.
enum XAPIShapes {
    /// How many statements one request has at most.
    static let statementsMax = 500

    /// A statement as the API document shows it.
    static let statement = Shape.object(shape(actor: actor, object: object))
    static let statements = Shape.either(statement, .array(statement, count: 1...statementsMax))

    /// A statement whose actor and object are judged by `StatementReader`, which says more about what is wrong.
    static let received = Shape.object(shape(actor: .map(.anything), object: .map(.anything)))

    static let ids = Shape.array(.uuid, count: 1...statementsMax)

    static let about = Shape.fields(
        "XapiAbout",
        [
            .required("version", .array(.text(1...20), count: 1...10)),
            .required("extensions", .map(.anything)),
        ])

    private static let iri = Shape.text(1...2048)
    /// What is not kept may have any characters.
    private static let anyText = Shape.form(
        TextForm("a text", schema: ["type": "string"], example: "Cells") { _ in true })
    private static let largest = ActivityChecks.largestFigure

    private static func shape(actor: Shape, object: Shape) -> ObjectShape {
        ObjectShape(
            "XapiStatement",
            [
                .optional("id", .uuid, "Made here when absent. Send one, so that you can repeat."),
                .required("actor", actor), .required("verb", verb), .required("object", object),
                .optional("result", result), .optional("context", context),
                .optional(
                    "timestamp", .timestamp, "When it happened; the time of arrival when absent."),
                .optional("stored", .timestamp, "Ignored."),
                .optional("authority", .map(.anything), "Ignored."),
                .optional("version", anyText, "Ignored; the header counts."),
                .optional(
                    "attachments", .array(.map(.anything), count: 0...100),
                    "Ignored; each needs a fileUrl, since contents are not taken."),
            ])
    }

    private static let actor = Shape.fields(
        "XapiActor",
        [
            .optional("objectType", .word(["Agent"])),
            .optional("name", anyText, "Ignored."),
            .required(
                "account",
                .fields(
                    "XapiAccount",
                    [
                        .required("homePage", iri, "The URL of this server."),
                        .required("name", .text(1...256), "The subject that came with the token."),
                    ])),
        ])

    private static let object = Shape.fields(
        "XapiActivity",
        [
            .optional("objectType", .word(["Activity"])),
            .required("id", iri, "URL/xapi/activities/BUNDLE/IDENTIFIER/…; others are dropped."),
            .optional("definition", .map(.anything), "Ignored."),
        ])

    private static let verb = Shape.fields(
        "XapiVerb",
        [.required("id", iri), .optional("display", .map(anyText), "Ignored.")])

    private static let result = Shape.fields(
        "XapiResult",
        [
            .optional(
                "score",
                .fields(
                    "XapiScore",
                    [
                        .optional("scaled", .number(-1...1)),
                        .optional("raw", .number(-largest...largest)),
                        .optional("min", .number(-largest...largest)),
                        .optional("max", .number(-largest...largest)),
                    ])),
            .optional("success", .boolean), .optional("completion", .boolean),
            .optional("response", anyText, "Ignored."),
            .optional("duration", .text(1...100), "As in ISO 8601, such as PT4M30S."),
            .optional("extensions", .map(.anything), "Progress of cmi5 or of the video profile."),
        ])

    private static let context = Shape.fields(
        "XapiContext",
        [
            .optional(
                "registration", .uuid,
                "Names the attempt; without it, the statement is an attempt of its own."),
            .optional("instructor", .map(.anything)), .optional("team", .map(.anything)),
            .optional("contextActivities", .map(.anything)),
            .optional("contextAgents", .array(.map(.anything), count: 0...1000)),
            .optional("contextGroups", .array(.map(.anything), count: 0...1000)),
            .optional("revision", anyText), .optional("platform", anyText),
            .optional("language", anyText), .optional("statement", .map(.anything)),
            .optional("extensions", .map(.anything)),
        ])
}
