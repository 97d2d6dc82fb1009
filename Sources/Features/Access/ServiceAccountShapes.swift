import API
import School

/// The input and output of calls about service accounts.
enum ServiceAccountShapes {
    static let role = Shape.word(Standing.rolesOfServices.map(\.rawValue))

    static let accountChange = Shape.fields(
        "ServiceAccountChange",
        [
            .required(
                "name", .line(),
                "The role and the expiry cannot change: another script gets another account.")
        ])

    static let accountWithSecret = Shape.fields(
        "ServiceAccountWithSecret",
        Access.serviceAccounts.shape.fields + [
            .required("clientSecret", .text(43...43), "Answered once; it cannot be read again.")
        ])
}
