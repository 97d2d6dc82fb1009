import API
import School

/// The input and output of calls about service accounts; the token follows RFC 6749.
enum ServiceAccountShapes {
    private static let role = Shape.word(ServiceAccount.roles.map(\.rawValue))

    static let newAccount = Shape.fields(
        "NewServiceAccount",
        [
            .required("name", .line(), "What uses it, such as the name of the system."),
            .required("role", role, "Also the scope of its tokens."),
            .optional("expiresAt", .timestamp, "When it expires. If absent, never."),
        ])

    static let accountChange = Shape.fields(
        "ServiceAccountChange",
        [.required("name", .line(), "Role and end stay: another script gets another account.")])

    private static let fields: [Field] = [
        .required("id", .uuid), .required("clientId", .uuid, "The same as the id."),
        .required("name", .line()), .required("role", role),
        .orNull("expiresAt", .timestamp), .orNull("revokedAt", .timestamp),
        .required("secretChangedAt", .timestamp), .required("createdAt", .timestamp),
        .required("updatedAt", .timestamp),
    ]

    static let account = ObjectShape("ServiceAccount", fields)
    static let accountWithSecret = Shape.fields(
        "ServiceAccountWithSecret",
        fields + [.required("clientSecret", .text(43...43), "Answered once, and kept nowhere.")])

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
