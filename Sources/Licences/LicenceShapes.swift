import API
import School

/// The input and output of the calls about licences.
enum LicenceShapes {
    /// Seats in one pool or of one app; far more than any school buys.
    static let count = Shape.integer(0...10_000_000)
    static let totalCount = Field.required("totalCount", count, "Seats that were bought.")
    static let assignedCount = Field.required(
        "assignedCount", count, "Seats that a person or a device holds.")
    static let availableCount = Field.required(
        "availableCount", count, "Seats that are left.")
    static let waitingCount = Field.optional(
        "waitingCount", .integer(0...10_000_000),
        "Only in lists: students who hold no licence of the app and sit in a class in which an open handout gives it, "
            + "whether or not they did anything. If it is for chosen students, all of the class count, or nobody if "
            + "they are fewer than five. 0 where devices hold licences, since nobody knows who "
            + "uses them.")
    private static let stamps: [Field] = [
        .required("createdAt", .timestamp), .required("updatedAt", .timestamp),
    ]

    // MARK: Pools

    static let newPool = ObjectShape("NewPool", [Licences.totalCount.field])
    static let pool = ObjectShape("Pool", Licences.pool.fields)
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
        .required("id", .uuid), .required("adamId", Licences.adamID),
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
