import API
import School

/// The output of the calls about audit events.
enum AuditShapes {
    static let kinds = [
        "signIn", "signInFailure", "signOut", "denial", "export", "erasure", "roleChange",
        "rosterChange", "personChange", "temporaryPassword", "passwordChange",
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
            .required("standing", .text(1...64), "As what; server: before anybody was known."),
            .orNull("personId", .uuid, "Who; absent for services."),
            .orNull("serviceAccountId", .uuid, "Which service account."),
            .orNull("sessionId", .uuid, "The sign-in whose token acted."),
            .orNull(
                "tokenId", tokenID,
                "The token that acted, as the first 16 digits of its SHA-256; it opens nothing."),
            .orNull("app", .text(1...255)), .orNull("address", .text(1...255), "From where."),
            .orNull("subjectKind", .text(1...64)),
            .orNull("subjectId", .text(1...255), "To what."),
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
                [.required("id", .uuid, "Of the service account."), .orNull("name", .line())]),
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
            "How often; what is less than a minute after the last time counts as the same time."),
        .required("firstAt", .timestamp), .required("lastAt", .timestamp, "When the last began."),
    ]

    private static let person = Shape.fields(
        "ViewingPerson",
        [
            .required("personId", .uuid),
            .orNull("givenName", .line(), "Names are null if the person was erased or removed."),
            .orNull("familyName", .line()), .orNull("nameOrder", .nameOrder),
        ])
}
