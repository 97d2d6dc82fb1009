import School

/// What the calls of the directory take and give.
enum DirectoryShapes {
    static let sourceID = Field.optional(
        "sourceId", .text(1...255), "The id in the school's information system.")
    static let timeZone = Shape.text(1...64)

    /// What every answer has beside the fields that were sent.
    static let stamps: [Field] = [
        .required("createdAt", .timestamp), .required("updatedAt", .timestamp),
    ]

    // MARK: Organization

    private static let classSizes: [Field] = [
        .optional("students", .integer(1...5000)), .optional("teachers", .integer(1...5000)),
    ]

    static let organization = ObjectShape(
        "Organization",
        [
            .required("id", .uuid), .required("name", .line()),
            .required("domains", .array(.text(1...253), count: 0...100)),
            .required("managedIdFormat", .text(1...128)), .required("timeZone", timeZone),
            .required(
                "classSizeLimits",
                .fields("ClassSizeLimits", classSizes.map { .required($0.name, $0.shape) })),
            .required(
                "studentProgress", .fields("StudentProgress", [.required("enabled", .boolean)])),
            .required("reclaimLicences", .boolean),
        ] + stamps)

    static let organizationChange = ObjectShape(
        "OrganizationChange",
        [
            .optional("name", .line()),
            .optional(
                "domains", .array(.text(1...100), count: 1...100),
                "All of them; new managed IDs are made in the first."),
            .optional(
                "managedIdFormat", .text(1...128),
                "Elements in braces: \(ManagedIDFormat.elements.joined(separator: ", ")). What a "
                    + "person does not have is left out."),
            .optional("timeZone", timeZone, "An IANA name, such as Europe/Zurich."),
            .optional(
                "classSizeLimits", .fields("ClassSizeLimitsChange", classSizes),
                "How many a class may hold. Where there are more already, nobody joins."),
            .optional(
                "studentProgress",
                .fields(
                    "StudentProgressChange",
                    [
                        .required("enabled", .boolean),
                        .optional(
                            "onDisable", .word(["pause", "delete"]),
                            "What happens to all progress so far; pause when absent."),
                    ])),
            .optional(
                "reclaimLicences", .boolean,
                "Whether deactivated people lose the licences that can be returned."),
        ])

    // MARK: Locations and courses

    private static let locationFields: [Field] = [
        .required("name", .line()), sourceID,
        .optional("timeZone", timeZone, "An IANA name; the organization's when absent."),
        .optional(
            "passwordPolicy", .word(["4", "6", "8"]),
            "Of students who have none of their own: 4 or 6 digits, or 8, the standard one."),
    ]
    static let newLocation = ObjectShape("NewLocation", locationFields)
    static let location = ObjectShape(
        "Location", [.required("id", .uuid)] + locationFields.answered + stamps)

    private static let courseFields: [Field] = [
        .required("name", .line()), sourceID, .optional("number", .line()),
    ]
    static let newCourse = ObjectShape(
        "NewCourse", courseFields + [.required("locationId", .reference)])
    static let course = ObjectShape(
        "Course",
        [.required("id", .uuid), .required("locationId", .uuid)] + courseFields.answered + stamps)

    // MARK: People

    static let roles = Standing.rolesOfPeople.map(\.rawValue)
    private static let personFields: [Field] = [
        .required("givenName", .line()), .required("familyName", .line()), sourceID,
        .optional("middleName", .line()), .optional("personNumber", .line()),
        .optional("email", .text(3...320)), .optional("grade", .line(64)),
        .optional("passwordPolicy", .word(["4", "6", "8"]), "Digits; 8 is the standard password."),
    ]
    static let newPerson = ObjectShape(
        "NewPerson",
        personFields + [
            .required("roles", .array(.object(newRole), count: 1...500)),
            .optional(
                "managedId", .text(3...128),
                "In one of the organization's domains; made by its format when absent."),
        ])
    private static let newRole = ObjectShape(
        "NewRole", [.required("role", .word(roles)), .required("locationId", .reference)])
    static let person = ObjectShape(
        "Person",
        [.required("id", .uuid), .required("managedId", .text(3...128))] + personFields.answered + [
            .required("status", .word(PersonStatus.allCases.map(\.rawValue))),
            .required(
                "roles",
                .array(
                    .fields(
                        "Role", [.required("role", .word(roles)), .required("locationId", .uuid)]),
                    count: 0...10_000)),
            .required("progressPaused", .boolean, "Student progress is off for this person."),
        ] + stamps)

    // MARK: Classes and rosters

    private static let classFields: [Field] = [
        .required("name", .line()), sourceID, .optional("number", .line()),
        .optional("displayName", .line()), .optional("room", .line()),
    ]
    private static let references = Shape.array(.reference, count: 0...5000)
    static let newClass = ObjectShape(
        "NewClass",
        classFields + [
            .required("locationId", .reference), .optional("courseId", .reference),
            .optional("termId", .reference, "The smallest term that covers its time; an open one."),
            .optional(
                "teacherIds", references, "The teachers. A PUT without this field keeps them."),
            .optional(
                "studentIds", references, "The students. A PUT without this field keeps them."),
        ])
    static let classShape = ObjectShape(
        "Class",
        [
            .required("id", .uuid), .required("locationId", .uuid), .orNull("courseId", .uuid),
            .orNull("termId", .uuid),
        ] + classFields.answered + [
            .required("status", .word(["active", "archived"])),
            .required("teacherIds", .array(.uuid, count: 0...100_000)),
            .required("studentIds", .array(.uuid, count: 0...100_000)),
            .nullable(
                "teachers", .array(classTeacher, count: 0...100_000),
                "Who teaches the class since when, and who did for less than a day in the last "
                    + "thirty; absent from lists."),
        ] + stamps)
    private static let classTeacher = Shape.fields(
        "ClassTeacher",
        [
            .required("personId", .uuid), .required("givenName", .line()),
            .required("familyName", .line()), .required("joinedAt", .timestamp),
            .orNull("leftAt", .timestamp),
            .required(
                "isUnusual", .boolean,
                "Seated by nobody else, or for less than a day: ask them why."),
        ])

    static let newRoster = ObjectShape("NewRoster", [.required("personIds", references)])
    static let roster = ObjectShape(
        "Roster", [.required("personIds", .array(.uuid, count: 0...100_000))])

    // MARK: Parameters

    static let sourceParameter = Endpoint.Parameter.optional(
        "sourceId", .text(1...255), "Only the one with this id in the school's information system.")
    static let nameParameter = Endpoint.Parameter.optional(
        "q", .text(1...256),
        "Only with each of these words in the name, the beginning or a part of it; accents and case "
            + "make no difference.")
    static let updatedParameter = Endpoint.Parameter.optional(
        "updatedSince", .timestamp, "Only what changed at this moment or later.")
    static let locationParameter = Endpoint.Parameter.optional(
        "locationId", .reference, "Only at this location.")
}
