import API

/// What the licences of a location are called there.
enum ContentAsset {
    /// The qualities that Apple sells; everything here is of the first one.
    static let pricings = ["STDQ", "PLUS"]
    static let pricing = "STDQ"
}

/// What lists hold, under Apple's names.
enum ContentShapes {
    private static let count = Shape.integer(0...1_000_000_000)
    private static let pricing = Field.required("pricingParam", .word(ContentAsset.pricings))

    static let asset = ObjectShape(
        "ContentAsset",
        [
            .required("adamId", .text(1...20)), pricing,
            .required("productType", .word(["App", "Book"])), .required("assignedCount", count),
            .required("availableCount", count),
            .required("retiredCount", count, "0: nothing here is retired."),
            .required("totalCount", count), .required("deviceAssignable", .boolean),
            .required("revocable", .boolean),
            .required("supportedPlatforms", .array(.text(1...20), count: 0...10)),
        ])

    static let assignment = ObjectShape(
        "ContentAssignment",
        [
            .required("adamId", .text(1...20)), pricing,
            .optional(
                "clientUserId", .text(1...255),
                "Of a person: the name that the device manager registered, or our id for somebody whom it did not."
            ), .optional("serialNumber", .text(1...64), "Of a device."),
        ])

    static let user = ObjectShape(
        "ContentUser",
        [
            .required("clientUserId", .text(1...255)),
            .optional("email", .text(3...320), "As the device manager sent it."),
            .required("status", .word(["Associated", "Retired"])),
            .optional(
                "idHash", .text(44...44), "The same for the same person; absent when retired."),
        ])
}
