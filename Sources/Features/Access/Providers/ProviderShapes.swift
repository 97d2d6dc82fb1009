import API
import School

/// The input and output of signing in with another system.
enum ProviderShapes {
    static let kind = Shape.word(ProviderKind.allCases.map(\.rawValue))
    private static let address = Shape.text(1...4000)

    static let check = Shape.fields(
        "SignInProviderCheck",
        [
            .required("issuer", address), .required("authorizationEndpoint", address),
            .required("tokenEndpoint", address),
            .required("keys", .integer(1...100), "How many keys verify its tokens."),
        ])

    static let offered = Shape.fields(
        "OfferedSignInProviders",
        [
            .required(
                "items",
                .array(
                    .fields(
                        "OfferedSignInProvider",
                        [
                            .required("id", .uuid), .required("name", .line(100)),
                            .required("kind", kind),
                        ]), count: 0...1000)),
            .required(
                "byDomain", .boolean,
                "Whether there are several organizations, some with a provider; then ask with a domain."
            ),
            .required(
                "withoutPasswords", .boolean,
                "Whether nobody but administrators signs in with a password there."),
            .required(
                "redirectUri", address, "The address that a provider has to allow for Homeroom."),
        ])

    static let beginning = Shape.fields(
        "ProviderSignInBeginning", [.required("providerId", .uuid)])

    static let begun = Shape.fields(
        "BegunProviderSignIn",
        [
            .required("redirectTo", .text(1...8000), "Where to send the person's browser."),
            .required(
                "secret", .text(43...43),
                "Keep it in this browser, and send it when the person comes back."),
        ])

    static let signIn = Shape.fields(
        "ProviderSignIn",
        [
            .required("providerId", .uuid),
            .required("secret", .text(43...43), "The `secret` that the beginning answered."),
            .required("state", .text(1...200), "As the provider sent it back."),
            .required("code", .text(1...4000), "The code that the provider sent back."),
            .optional("iss", address, "The issuer, if the provider sent one (RFC 9207)."),
            .required("browser", .fields("ProviderSignInBrowser", AccessShapes.browser)),
        ])
}
