import API
import School

/// The output of the calls about audit events.
enum AuditShapes {
    static let kinds = [
        "signIn", "signInFailure", "signOut", "denial", "export", "erasure", "roleChange",
        "rosterChange", "personChange", "temporaryPassword", "passwordChange", "badgeChange",
        "organizationChange", "import", "tokenCreated", "tokenRevoked", "developerTeamChange",
        "studentProgressChange", "licenceChange", "poolChange", "serviceAccountChange",
        "signInProviderChange", "connectedSystemChange", "webhookChange", "rosterSourceChange",
        "rosterPull", "privilegeChange", "classChange", "toolChange",
        "retentionChange", "retention",
        "termClosing", "termReopening", "rollover", "removal", "developmentChange",
    ]

    static let tokenID = Shape.text(16...16)

    static let event = ObjectShape(
        "AuditEvent",
        [
            .required("id", .uuid), .required("at", .timestamp), .required("kind", .word(kinds)),
            .required(
                "standing", .text(1...64),
                "The standing in which they acted; `server` if nobody was signed in."),
            .orNull("personId", .uuid, "The person who acted; absent for services."),
            .orNull("serviceAccountId", .uuid, "The service account that acted."),
            .orNull("sessionId", .uuid, "The sign-in whose token acted."),
            .orNull(
                "tokenId", tokenID,
                "The token that acted, by the first 16 digits of its SHA-256, which nobody can use as a token."
            ),
            .orNull("app", .text(1...255)),
            .orNull("address", .text(1...255), "The network address it came from."),
            .orNull("subjectKind", .text(1...64)),
            .orNull("subjectId", .text(1...255), "What it was done to."),
            .required("details", .map(.anything), "Ids, counts and words; no names."),
        ])

    static let viewing = ObjectShape("Viewing", whoLooked + [student] + howOften)

    /// As the student whose work it is sees it.
    static let ownViewing = ObjectShape("OwnViewing", whoLooked + howOften)

    private static let whoLooked: [Field] = [
        .required("id", .uuid),
        .required("viewedOn", .day, "The day, in the time zone of the organization."),
        .orNull(
            "reader", person,
            "Who looked; null for another system, and if that person was erased since."),
        .orNull(
            "system",
            .fields(
                "ViewingSystem",
                [
                    .required("id", .uuid, "The id of the service account."),
                    .orNull("name", .line()),
                ]),
            "Which other system of the school looked; null for a person."),
        .required("classId", .uuid),
        .orNull("className", .line(), "Null if the class was removed."),
        .required(
            "workOf", .word(["class", "student"]),
            "A report on the class, with all its students, or on one student in it."),
    ]

    private static let student = Field.orNull(
        "student", person, "Whose work it was; null for a class.")

    private static let howOften: [Field] = [
        .required(
            "times", .integer(1...Int.max),
            "How often; looking again within a minute counts as the same time."),
        .required("firstAt", .timestamp),
        .required("lastAt", .timestamp, "When the last time began."),
    ]

    private static let person = Shape.fields(
        "ViewingPerson",
        [
            .required("personId", .uuid),
            .orNull("givenName", .line(), "Names are null if the person was erased or removed."),
            .orNull("familyName", .line()), .orNull("nameOrder", .nameOrder),
        ])
}
