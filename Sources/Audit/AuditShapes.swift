import API

/// The output of the calls about audit events.
enum AuditShapes {
    static let kinds = [
        "signIn", "signInFailure", "signOut", "denial", "export", "erasure", "roleChange",
        "rosterChange", "personChange", "temporaryPassword", "passwordChange",
        "organizationChange", "import", "tokenCreated", "tokenRevoked", "developerTeamChange",
        "studentProgressChange", "licenceChange", "poolChange", "serviceAccountChange",
        "signInProviderChange", "connectedSystemChange", "privilegeChange", "classChange",
        "retentionChange", "retention",
        "termClosing", "termReopening", "removal", "developmentChange",
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
}
