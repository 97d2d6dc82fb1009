import API
import School

/// The input and output of OAuth 2, with the names of its standards, and of the calls behind its pages.
enum OAuthShapes {
    static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
    static let grants = [
        "authorization_code", "refresh_token", deviceGrant, "client_credentials",
    ]

    private static let token43 = Shape.text(1...200)
    private static let url = Shape.text(1...2000)
    private static let scope = Shape.text(1...1000)
    private static let bundleID = Shape.text(1...255)
    private static let environment = Shape.word(Environment.allCases.map(\.rawValue))

    // MARK: Tokens

    static let tokenRequest: [Field] = [
        .required("grant_type", .word(grants)),
        .optional(
            "client_id", bundleID,
            "An app's bundle id, or the id of a service account or a connected system; absent with HTTP Basic, which is "
                + "preferred for those."
        ),
        .optional("client_secret", token43, secretMeaning),
        .optional(
            "scope", scope,
            "For a service account its role, for an app `classkit`; also the default."),
        .optional("code", token43, "For `authorization_code`."),
        .optional(
            "redirect_uri", url,
            "For `authorization_code`: the same as in the authorization request."),
        .optional(
            "code_verifier", .text(43...128),
            "For `authorization_code`: the text whose SHA-256 was the challenge."),
        .optional("refresh_token", token43, "For `refresh_token`."),
        .optional("device_code", token43, "For the device grant."),
    ]

    static let token = Shape.fields(
        "OAuthToken",
        [
            .required("access_token", token43), .required("token_type", .word(["Bearer"])),
            .required("expires_in", .integer(0...TokenPair.accessSeconds), "Seconds."),
            .required(
                "scope", scope,
                "`classkit`, the role of a service account, or what a person allowed a connected system."
            ),
            .optional(
                "refresh_token", token43,
                "For an app or a connected system. Valid once, for 30 days."),
            .optional(
                "id_token", .text(1...100_000),
                "For a connected system: who signed in, signed as the system has it."),
            .optional("subject", .text(43...43), subjectMeaning),
        ])

    private static let secretMeaning =
        "The secret of a service account or a connected system; absent with HTTP Basic."

    static let subjectMeaning =
        "For an app: the person's pseudonym, for this app and no other."

    static let revocation: [Field] =
        [
            .required("token", token43, "An access or refresh token."),
            .optional("token_type_hint", .text(1...100), "Not needed."),
        ] + client

    static let introspectionRequest: [Field] =
        [
            .required("token", token43, "An access token."),
            .optional("token_type_hint", .text(1...100), "Not needed."),
        ] + client

    private static let client: [Field] = [
        .optional("client_id", bundleID, "Absent with HTTP Basic."),
        .optional("client_secret", token43, secretMeaning),
    ]

    static let introspection = Shape.fields(
        "Introspection",
        [
            .required("active", .boolean, "If false, there are no other members."),
            .optional("token_type", .word(["Bearer"])),
            .optional(
                "scope", scope,
                "`classkit`, what the token may act as, or what a connected system sees."),
            .optional("client_id", bundleID, "The app, the service account or the system."),
            .optional("sub", .text(1...100), "For an app's token, the person's pseudonym."),
            .optional("iat", .integer(0...253_402_300_799)),
            .optional("exp", .integer(0...253_402_300_799)),
        ])

    static let metadata = Shape.fields("AuthorizationServer", metadataFields)

    static let metadataFields: [Field] =
        [
            "issuer", "authorization_endpoint", "token_endpoint", "device_authorization_endpoint",
            "revocation_endpoint", "introspection_endpoint", "service_documentation",
        ].map { Field.required($0, url) }
        + [
            "scopes_supported", "response_types_supported", "response_modes_supported",
            "grant_types_supported", "code_challenge_methods_supported",
            "token_endpoint_auth_methods_supported",
            "revocation_endpoint_auth_methods_supported",
            "introspection_endpoint_auth_methods_supported",
        ].map { Field.required($0, .array(.text(1...200), count: 1...20)) }
        + [.required("authorization_response_iss_parameter_supported", .boolean)]

    // MARK: Devices

    static let deviceRequest: [Field] = [
        .required("client_id", bundleID, "The bundle id of the app."),
        .optional("scope", scope, "`classkit`, which is also the default."),
        .optional("environment", environment, "`production` when absent."),
    ]

    static let device = Shape.fields(
        "DeviceAuthorization",
        [
            .required("device_code", token43, "To be sent to `POST /oauth/token`."),
            .required("user_code", .text(9...9), "The code to show; the person types it in."),
            .required("verification_uri", url, "Where the person types it in."),
            .required(
                "verification_uri_complete", url,
                "The same address with the code in it, for a QR code."),
            .required("expires_in", .integer(1...600), "Seconds."),
            .required("interval", .integer(1...60), "Seconds to wait between two requests."),
        ])

    static let userCode = Shape.fields(
        "UserCodeAnswer",
        [
            .required(
                "userCode", .text(1...64), "As the person typed it; case and hyphen do not matter.")
        ])

    // MARK: Pages

    static let authorization = Shape.fields(
        "AuthorizationRequest",
        [
            .required(
                "clientId", bundleID,
                "The bundle id of an app of your organization, or the id of a connected system."),
            .required(
                "redirectUri", url,
                "For an app `http://127.0.0.1:PORT/callback`, `http://[::1]:PORT/callback` or `BUNDLEID:/callback`; "
                    + "for a system one that is registered."
            ),
            .optional(
                "responseType", .text(0...200), "`code`; anything else is a mistake of the client."),
            .optional(
                "responseMode", .text(0...200),
                "`query`, which is also the default, or `form_post`: send what follows the redirect URI as a form."
            ),
            .optional(
                "scope", .text(0...2000),
                "For an app `classkit`, which is also the default; for a system `openid` and what it wants to see."
            ),
            .optional("state", .text(0...2000), "Returned to the client as it is."),
            .optional(
                "codeChallenge", .text(0...200),
                "The SHA-256 of the verifier, in base64url; required unless a system need not send it."
            ),
            .optional("codeChallengeMethod", .text(0...100), "`S256`, with a challenge."),
            .optional("nonce", .text(0...2000), "Returned in the ID token; apps get none."),
            .optional(
                "prompt", .text(0...200), "`none`, `login`, `consent` or `select_account`."),
            .optional(
                "maxAge", .text(0...20),
                "How many seconds ago, at most, the person may have signed in."),
            .optional(
                "request", .text(0...100_000),
                "Not supported: answered with `request_not_supported`."),
            .optional("requestUri", .text(0...2000), "Not supported, either."),
            .optional("environment", .text(0...100), "`production` when absent."),
        ])

    static let asking = Shape.fields(
        "AskingApp",
        [
            .required(
                "client",
                .fields(
                    "OAuthClient", [.required("id", bundleID), .required("name", .text(1...256))])),
            .optional(
                "kind", .word(["app", "system"]),
                "Absent for a device code, which is always an app's."),
            .required("sees", .array(.word(sees), count: 0...20), "What it will see."),
            .optional(
                "next", .word(Prompts.Step.allCases.map(\.rawValue)),
                "What the page does next: let the person sign in again, ask, or allow without asking because the "
                    + "person allowed the system the same before."),
            .optional(
                "refusedTo", .text(1...8000), "Where to send the browser if you refuse."),
            .optional("requestedAt", .timestamp, "Only for a device: when it asked."),
        ])

    private static let sees = AppScope.sees + ["id"] + SystemScope.allCases.map(\.shown)

    static let redirect = Shape.fields("Redirect", [.required("redirectTo", .text(1...8000))])
}
