import API
import School

/// What the calls answer, under Apple's names.
enum RosterShapes {
    static let roleWords = ["Student", "Instructor", "Staff"]

    static let role = Endpoint.Parameter.optional(
        "role", .word(roleWords),
        "Only people with this role at a location. Who manages the school is Staff.")
    static let roleInClass = Endpoint.Parameter.optional(
        "role", .word(["Student", "Instructor"]), "Only who is that in the class.")

    private static let stamps: [Field] = [
        .required("dateCreated", .timestamp), .required("dateLastModified", .timestamp),
    ]

    static let organization = ObjectShape(
        "RosterOrganization",
        [
            .required("id", .uuid), .required("name", .line()),
            .required("type", .word(["EDUCATION"])),
            .required(
                "domains",
                .array(
                    .fields(
                        "RosterDomain",
                        [
                            .required("name", .text(1...253)),
                            .required(
                                "isVerified", .boolean,
                                "true: no other organization here has managed IDs in this domain."),
                        ]), count: 0...1000)),
        ] + stamps)

    static let location = ObjectShape(
        "RosterLocation",
        [
            .required("id", .uuid), .required("name", .line()),
            .required("timeZone", .text(1...100), "A name of the tz database."),
        ] + stamps)

    static let user = ObjectShape(
        "RosterUser",
        [
            .required("id", .uuid), .required("givenName", .line()),
            .required("middleName", .text(0...256)), .required("familyName", .line()),
            .optional("email", .text(3...320)), .optional("grade", .line(64)),
            .required(
                "roleLocationMapping",
                .array(
                    .fields(
                        "RosterRoleLocation",
                        [
                            .required("roleName", .word(roleWords)),
                            .required("locationId", .uuid),
                        ]), count: 0...1500)),
            .required("roles", .array(.word(roleWords), count: 0...3), "Without locations."),
        ] + stamps)

    static let `class` = ObjectShape(
        "RosterClass",
        [
            .required("id", .uuid), .required("name", .line()), .optional("number", .line()),
            .optional("room", .line()), .optional("displayName", .line()),
            .required("locationId", .uuid),
            .required("instructorIds", .array(.uuid, count: 0...100_000), "Who teaches it now."),
            .required("studentIds", .array(.uuid, count: 0...100_000), "Who sits in it now."),
        ] + stamps)

    static let users = page("users", of: user)
    static let classes = page("classes", of: `class`)
    static let locations = page("locations", of: location)

    private static func page(_ key: String, of item: ObjectShape) -> Endpoint.Answer {
        .json(
            "A page, in the order of the ids.",
            .fields(
                "\(item.name)List",
                [
                    .required(key, .array(.object(item), count: 0...1000)),
                    .required("moreToFollow", .boolean),
                    .optional(
                        "nextPageToken", .text(1...2000),
                        "Send it back as pageToken; absent on the last page."),
                ]))
    }
}
