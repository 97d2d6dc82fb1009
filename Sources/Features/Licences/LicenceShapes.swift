import API
import School

/// The input and output of the calls about licences.
enum LicenceShapes {
    /// Seats in one pool or of one app; far more than any school buys.
    static let count = Shape.integer(0...10_000_000)
    static let totalCount = Field.required("totalCount", count, "Seats bought.")
    static let assignedCount = Field.required(
        "assignedCount", count, "Seats held by people or devices.")
    static let availableCount = Field.required(
        "availableCount", count, "Seats left.")
    static let waitingCount = Field.optional(
        "waitingCount", .integer(0...10_000_000),
        "Only in lists: students without a licence of the app in classes where an open handout uses it, whether or not "
            + "they did anything. If the handout is for chosen students, the whole class counts, or nobody in a class of "
            + "fewer than five. 0 where devices hold the licences, since nobody knows who uses "
            + "them.")
    private static let stamps: [Field] = [
        .required("createdAt", .timestamp), .required("updatedAt", .timestamp),
    ]

    // MARK: Pools

    static let newPool = ObjectShape("NewPool", [Licences.totalCount.field])
    static let pool = ObjectShape("Pool", Licences.pool.fields)
    static let newTransfer = ObjectShape(
        "NewTransfer",
        [
            .required(
                "locationId", .reference, "Where the seats go; a pool is created there if needed."),
            .required("count", .integer(1...10_000_000), "How many free seats to move."),
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
                "The students who are in the class now. Those who join later get none from this call."
            ),
            .optional(
                "serialNumbers", .array(.text(1...64), count: 1...1000),
                "Serial numbers of devices: letters, digits and hyphens; kept in upper case."),
            .optional(
                "locationId", .reference,
                "The location whose pool the licences come from. When absent: people's own location, that "
                    + "of the class, or for devices the only one with a pool."
            ),
        ])
    static let newReturn = ObjectShape(
        "NewLicenceReturn",
        [
            .optional("personIds", .array(.reference, count: 1...1000)),
            .optional("classId", .reference, "The students who are in the class now."),
            .optional(
                "serialNumbers", .array(.text(1...64), count: 1...1000),
                "Serial numbers of devices."),
            .optional("locationId", .reference, "Only licences from this location's pool."),
        ])
    private static let licenceFields: [Field] = [
        .required("id", .uuid), .required("adamId", Licences.adamID),
        .required("locationId", .uuid, "The location whose pool it comes from."),
        .orNull("personId", .uuid), .orNull("serialNumber", .text(1...64)),
    ]
    static let licence = ObjectShape("Licence", licenceFields + stamps)
    static let returned = ObjectShape(
        "ReturnedLicences",
        [
            .required(
                "items", .array(.object(licence), count: 0...100_000), "The licences as they were."),
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
                                "unchanged: the holder had one already, which stays and takes no other seat."
                            )
                        ]), count: 0...100_000)),
            .required("createdCount", count), .required("unchangedCount", count),
        ])
}
