import API

/// The bodies that a development environment receives and returns.
enum DevelopmentShapes {
    private static let person = ObjectShape(
        "MadeUpPerson",
        [
            .required("id", .uuid), .required("role", .word(["teacher", "student"])),
            .required("givenName", .line()), .required("familyName", .line()),
        ])

    static let environment = Shape.fields(
        "DevelopmentEnvironment",
        [
            .required("organizationId", .uuid, "The id of the made-up people's organization."),
            .required("name", .line()), .required("turnedOnAt", .timestamp),
            .required("classId", .uuid, "The class that they are all in."),
            .required("people", .array(.object(person), count: 0...100)),
        ])

    static let newToken = Shape.fields(
        "NewDevelopmentToken",
        [
            .required("role", .word(["teacher", "student"])),
            .optional("personId", .uuid, "Which made-up person; the first one when absent."),
            .optional(
                "bundleId", CatalogShapes.bundleID,
                "The app that gets the token; it reaches that app's contexts only."),
        ])

    static let token = Shape.fields(
        "DevelopmentToken",
        [
            .required("accessToken", .text(1...200)), .required("tokenType", .word(["Bearer"])),
            .required("expiresIn", .integer(1...3600), "Seconds."),
            .required("person", .object(person), "The person whose token it is."),
            .optional(
                "subject", .text(43...43),
                "The pseudonym by which the app knows the person, in every answer of its tokens; only with a `bundleId`."
            ),
        ])

    static let organizations = Shape.fields(
        "DeveloperOrganizations",
        [
            .required(
                "items",
                .array(
                    .fields(
                        "DeveloperOrganization",
                        [
                            .required("organizationId", .uuid),
                            .required(
                                "bundleIds", .array(CatalogShapes.bundleID, count: 0...1000)),
                        ]), count: 0...100_000))
        ])
}
