import API
import School

/// The input and output of the calls about licences.
enum LicenceShapes {
    /// Seats in one pool or of one app; far more than any school buys.
    private static let count = Shape.integer(0...10_000_000)
    private static let counts: [Field] = [
        .required("totalCount", count, "Seats that were bought."),
        .required("assignedCount", count, "Seats that a person or a device holds."),
        .required("availableCount", count, "Seats that are left."),
    ]
    private static let stamps: [Field] = [
        .required("createdAt", .timestamp), .required("updatedAt", .timestamp),
    ]

    // MARK: Apps

    private static let adamID = Shape.text(1...20)
    private static let appFields: [Field] = [
        .required("name", .line()), .required("productType", .word(["App", "Book"])),
        .optional("bundleId", .line(255), "Required unless it is a book."),
        .optional(
            "deviceAssignable", .boolean,
            "Whether devices can hold licences; absent: an app yes, a book never."),
        .optional(
            "revocable", .boolean,
            "Whether licences can be given back; absent: an app yes, a book never."),
        .optional(
            "platforms",
            .array(.word(["iOS", "macOS", "tvOS", "visionOS", "watchOS"]), count: 0...5)),
    ]
    /// Answers contain every field, even those left out of a body; only books may lack a bundle id.
    private static let answeredFields: [Field] = appFields.map {
        $0.name == "bundleId"
            ? .orNull($0.name, $0.shape) : .required($0.name, $0.shape, $0.meaning)
    }
    /// The body of `POST`.
    static let newApp = ObjectShape(
        "NewApp", [.required("adamId", adamID, "The id in the store: digits.")] + appFields)
    /// The body of `PUT`, whose path names the app.
    static let appReplacement = ObjectShape(
        "AppReplacement", [.optional("adamId", adamID, "As in the path.")] + appFields)
    /// The body of `PATCH`.
    static let appChange = ObjectShape(
        "AppChange", appFields.changed())
    static let app = ObjectShape(
        "App",
        [.required("id", adamID), .required("adamId", adamID)] + answeredFields + [
            .required(
                "worksWithSchoolwork", .boolean,
                "Whether it has contexts to assign: published ones, or your own.")
        ] + counts + stamps)

    // MARK: Pools

    static let newPool = ObjectShape(
        "NewPool", [.required("totalCount", count, "Seats that the location bought.")])
    static let pool = ObjectShape(
        "Pool", [.required("adamId", adamID), .required("locationId", .uuid)] + counts + stamps)
    static let newTransfer = ObjectShape(
        "NewTransfer",
        [
            .required("locationId", .reference, "Where the seats go; its pool is made if need be."),
            .required("count", .integer(1...10_000_000), "Free seats."),
        ])
    static let transfer = ObjectShape(
        "Transfer", [.required("from", .object(pool)), .required("to", .object(pool))])

    // MARK: Licences

    static let newLicences = ObjectShape(
        "NewLicences",
        [
            .optional("personIds", .array(.reference, count: 1...1000)),
            .optional(
                "classId", .reference,
                "The students of the class now. Those who join later get none by this call."),
            .optional(
                "serialNumbers", .array(.text(1...64), count: 1...1000),
                "Of devices: letters, digits and hyphens; kept in upper case."),
            .optional(
                "locationId", .reference,
                "From which location's pool. If absent: for people their own, for a class the class's, "
                    + "for devices the only one there is."
            ),
        ])
    static let newReturn = ObjectShape(
        "NewLicenceReturn",
        [
            .optional("personIds", .array(.reference, count: 1...1000)),
            .optional("classId", .reference, "The students of the class now."),
            .optional(
                "serialNumbers", .array(.text(1...64), count: 1...1000), "Of devices."),
            .optional("locationId", .reference, "Only what is out of this location's pool."),
        ])
    private static let licenceFields: [Field] = [
        .required("id", .uuid), .required("adamId", adamID),
        .required("locationId", .uuid, "Out of whose pool."),
        .orNull("personId", .uuid), .orNull("serialNumber", .text(1...64)),
    ]
    static let licence = ObjectShape("Licence", licenceFields + stamps)
    static let returned = ObjectShape(
        "ReturnedLicences",
        [
            .required(
                "items", .array(.object(licence), count: 0...100_000), "As they were."),
            .required("returnedCount", count),
        ])
    static let granted = ObjectShape(
        "GrantedLicences",
        [
            .required(
                "items",
                .array(
                    .fields(
                        "GrantedLicence",
                        licenceFields + stamps + [
                            .required(
                                "outcome", .word(["created", "unchanged"]),
                                "unchanged: had one before, which stays and costs nothing more.")
                        ]), count: 0...100_000)),
            .required("createdCount", count), .required("unchangedCount", count),
        ])
}
