import API
import School

/// The input and output of the directory's calls.
enum DirectoryShapes {
    static let timeZone = Shape.text(1...64)

    private static let idleMinutes = Shape.integer(5...720)
    private static let idleHours = Shape.integer(1...720)

    private static let stamps: [Field] = [
        .required("createdAt", .timestamp), .required("updatedAt", .timestamp),
    ]

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
            .required("sharedDeviceIdleMinutes", idleMinutes),
            .required("ownDeviceIdleHours", idleHours),
            .required("nameOrder", .nameOrder), .required("allowsPasswordsInApps", .boolean),
            .required("withoutPasswords", .boolean),
            .required("importLeftOutPercent", .integer(0...100)),
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
                "How many people a class may hold. A class that already has more takes no new ones."
            ),
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
            .optional(
                "sharedDeviceIdleMinutes", idleMinutes,
                "How many minutes a student stays signed in on a shared device without using it; 60 at first."
            ),
            .optional(
                "ownDeviceIdleHours", idleHours,
                "How many hours people stay signed in on their own devices without using them; 12 at first, 720 (30 days) "
                    + "at most."),
            .optional(
                "nameOrder", .nameOrder,
                "Which name of its people comes first, unless a person has an order; givenFirst at first."
            ),
            .optional(
                "allowsPasswordsInApps", .boolean,
                "Whether `POST /v1/sign-in` gives apps tokens in production for a managed ID and a password; false at "
                    + "first. OAuth does in any case, and apps see no password there."),
            .optional(
                "withoutPasswords", .boolean,
                "Whether passwords count for administrators alone, and everybody else signs in with a sign-in provider; "
                    + "false at first. It needs a provider."),
            .optional(
                "importLeftOutPercent", .integer(0...100),
                "Which share of a file's rows an import may leave out because they cannot be used, beyond ten rows; 1 at "
                    + "first. If there are more, nothing is imported."),
        ])

    // MARK: Rosters

    static let newRoster = ObjectShape(
        "NewRoster", [.required("personIds", .array(.reference, count: 0...5000))])
    static let roster = ObjectShape(
        "Roster", [.required("personIds", .array(.uuid, count: 0...100_000))])
}
