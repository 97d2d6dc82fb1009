import API
import School

/// The input and output of calls about service accounts.
enum ServiceAccountShapes {
    static let role = Shape.word(Standing.rolesOfServices.map(\.rawValue))

    static let accountChange = Shape.fields(
        "ServiceAccountChange",
        [
            .optional(
                "name", .line(),
                "The role and the expiry cannot change: another script gets another account."),
            .nullable(
                "defaultLocationId", .uuid,
                "Where a directory writer puts people and classes of which it does not say where."),
        ])

    static let accountWithSecret = Shape.fields(
        "ServiceAccountWithSecret",
        Access.serviceAccounts.shape.fields + [
            .required("clientSecret", .text(43...43), "Answered once; it cannot be read again.")
        ])
}
