import API
import School

/// The output of OpenID Connect, with the names of its standard.
enum OpenIDShapes {
    private static let url = Shape.text(1...2000)

    static let claims = [
        "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "sid", "name", "given_name",
        "middle_name", "family_name", "preferred_username", "email", "email_verified", "roles",
        "classes",
    ]

    static let metadata = Shape.fields(
        "OpenIDProvider",
        OAuthShapes.metadataFields
            + ["jwks_uri", "userinfo_endpoint", "end_session_endpoint"].map { .required($0, url) }
            + [
                "subject_types_supported", "id_token_signing_alg_values_supported",
                "claims_supported", "prompt_values_supported",
            ].map { .required($0, .array(.text(1...200), count: 1...20)) }
            + [
                "claims_parameter_supported", "request_parameter_supported",
                "request_uri_parameter_supported",
            ].map { .required($0, .boolean) })

    static let keySet = Shape.fields(
        "KeySet",
        [
            .required(
                "keys",
                .array(
                    .fields(
                        "SigningKey",
                        [
                            .required("kty", .word(["RSA", "EC"])),
                            .optional("n", .text(342...1366), "The modulus of an RSA key."),
                            .optional("e", .text(2...11), "Its exponent."),
                            .optional("crv", .word(["P-256"]), "The curve of an EC key."),
                            .optional("x", .text(43...43)), .optional("y", .text(43...43)),
                            .required("kid", .text(43...43), "The key's thumbprint (RFC 7638)."),
                            .required("alg", .word(IDTokenAlgorithm.allCases.map(\.rawValue))),
                            .required("use", .word(["sig"])),
                        ]), count: 1...20))
        ])

    static let userinfo = Shape.fields(
        "UserInfo",
        [
            .required("sub", .uuid, "The id of the person, the same for all connected systems."),
            .optional("name", .text(1...800), "With the scope `profile`, as the next four."),
            .optional("given_name", .line()), .optional("middle_name", .line()),
            .optional("family_name", .line()),
            .optional("preferred_username", .text(1...320), "The managed ID."),
            .optional("email", .text(1...320), "With the scope `email`, if the person has one."),
            .optional(
                "email_verified", .boolean,
                "Whether the address is in a domain of the school, and nobody else's there."),
            .optional("roles", .array(.object(role), count: 0...1000), "With the scope `roles`."),
            .optional(
                "classes", .array(.object(seat), count: 0...1000),
                "With the scope `classes`: those in which the person sits now."),
        ])

    private static let role = ObjectShape(
        "RoleClaim",
        [
            .required("role", .word(Standing.rolesOfPeople.map(\.rawValue))),
            .required(
                "location",
                .fields("LocationClaim", [.required("id", .uuid), .required("name", .line())])),
        ])

    private static let seat = ObjectShape(
        "ClassClaim",
        [
            .required("id", .uuid), .required("name", .line()),
            .required("role", .word(["student", "teacher"])),
        ])

    static let refusal = Shape.fields(
        "TokenRefusal",
        [
            .required(
                "error", .word(["invalid_request", "invalid_token", "insufficient_scope"])),
            .required("error_description", .text(1...200)),
        ])
}
