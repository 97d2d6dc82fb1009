import API
import School

/// The input and output of calls about service accounts; the token follows RFC 6749.
enum ServiceAccountShapes {
    static let role = Shape.word(Access.serviceRoles.map(\.rawValue))

    static let accountChange = Shape.fields(
        "ServiceAccountChange",
        [.required("name", .line(), "Role and end stay: another script gets another account.")])

    static let accountWithSecret = Shape.fields(
        "ServiceAccountWithSecret",
        Access.serviceAccounts.shape.fields + [
            .required("clientSecret", .text(43...43), "Answered once, and kept nowhere.")
        ])

    static let tokenRequest: [Field] = [
        .required("grant_type", .word(["client_credentials"])),
        .optional("client_id", .text(1...200), "Absent with HTTP Basic, which is preferred."),
        .optional("client_secret", .text(1...200), "Absent with HTTP Basic."),
        .optional("scope", .text(1...200), "The role of the account, which is also the default."),
    ]

    static let token = Shape.fields(
        "ServiceToken",
        [
            .required("access_token", .text(1...200)), .required("token_type", .word(["Bearer"])),
            .required("expires_in", .integer(0...TokenPair.accessSeconds), "Seconds."),
            .required("scope", role),
        ])
}
