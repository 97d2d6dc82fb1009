import API
import School

/// The input and output of signing in.
enum AccessShapes {
    private static let password = Shape.text(1...256)
    private static let token = Shape.text(1...200)

    static let signIn = Shape.fields(
        "SignIn",
        [
            .required("managedId", .text(1...320)),
            .required("password", password),
            .optional(
                "bundleId", .text(1...255),
                "The app that signs in; its token reaches that app's contexts only. For scripts of your own: in "
                    + "production refused with 401, whatever the password, unless the organization allows it "
                    + "(`allowsPasswordsInApps`). Apps use OAuth."),
            .optional("environment", environment, "`production` when absent."),
            .optional(
                "browser", .fields("SignInBrowser", browser + [secretOfBrowser]),
                "The browser that keeps the sign-in. It gets no refresh token; it renews its access token with "
                    + "POST /v1/me/session/renewal."),
            .optional(
                "deviceToken", token,
                "From the answer to the last sign-in on this device. With it, the right password works even while other "
                    + "people's wrong ones lock the account."),
        ])

    static let browser: [Field] = [
        .required(
            "shared", .boolean,
            "Whether other people use the device, too. Without renewal, a student's sign-in then ends after the "
                + "organization's `sharedDeviceIdleMinutes`, and anyone else's after 12 hours at most. On a personal "
                + "device, every sign-in ends after `ownDeviceIdleHours` without renewal."),
        .optional("userAgent", .text(0...512), "What the browser calls itself."),
    ]

    private static let secretOfBrowser = Field.optional(
        "secret", .text(43...200),
        "256 random bits that the browser keeps for everyone who uses it to sign in. It takes the place of a "
            + "`deviceToken`, and none is answered.")

    static let refresh = Shape.fields("Refresh", [.required("refreshToken", token)])

    static let changePassword = Shape.fields(
        "ChangePassword",
        [
            .required("password", password, "The current one, temporary or not."),
            .required("newPassword", password),
        ])

    static let tokens = Shape.fields(
        "Tokens",
        [
            .required("accessToken", token),
            .required("tokenType", .word(["Bearer"])),
            .required("expiresIn", .integer(1...2_592_000), "Seconds."),
            .optional(
                "refreshToken", token, "Valid once, for 30 days. Absent for a browser."),
            .required(
                "mustChangePassword", .boolean,
                "The tokens can only change the password until that is done."),
            .optional(
                "deviceToken", token,
                "Keep it on the device and send it with the next sign-in, within 180 days. A refresh gives none."
            ),
            .optional("subject", .text(43...43), OAuthShapes.subjectMeaning),
            .optional("person", .object(person), "Absent from an app's tokens."),
        ])

    static let temporaryPassword = Shape.fields(
        "TemporaryPassword",
        [
            .required("temporaryPassword", .text(4...20)),
            .required("expiresAt", .timestamp),
        ])

    static let me = Shape.fields(
        "Me",
        [
            .required("kind", .word(["person", "service"])),
            .required(
                "organization",
                .fields(
                    "MyOrganization",
                    [
                        .required("id", .uuid), .required("name", .line()),
                        .required("timeZone", .text(1...64), "An IANA name."),
                        .required(
                            "withoutPasswords", .boolean,
                            "Whether nobody but administrators has a password here."),
                    ])),
            .required(
                "standings", .array(.word(Standing.allCases.map(\.rawValue)), count: 0...20),
                "What the token may act as."),
            .required("environment", environment),
            .orNull("person", .object(person), "Absent for a service."),
            .required(
                "byBadge", .boolean,
                "Whether a badge signed you in. Then you reach your work, and not how you sign in."),
            .orNull(
                "serviceAccount",
                .fields(
                    "MyServiceAccount",
                    [.required("id", .uuid), .required("name", .line())]),
                "Absent for people, and for a service whose token was made by the command."),
        ])

    private static let environment = Shape.word(Environment.allCases.map(\.rawValue))

    /// A person's view of himself or herself.
    private static let person = ObjectShape(
        "MyPerson",
        [
            .required("id", .uuid),
            .required("managedId", .text(1...320)),
            .required("givenName", .line()),
            .orNull("middleName", .line()),
            .required("familyName", .line()), .nameOrder,
            .orNull("email", .text(1...320)),
            .orNull("grade", .line()),
            .required("usesPassword", .boolean, "Whether a password counts for you."),
            .required(
                "roles",
                .array(
                    .fields(
                        "MyRole",
                        [
                            .required("role", .word(Standing.rolesOfPeople.map(\.rawValue))),
                            .required("locationId", .uuid),
                            .required("locationName", .line()),
                        ]), count: 0...1000)),
            .orNull(
                "signInChanges", .array(signInChange, count: 1...20),
                "What others changed about how you sign in, the latest first, until you confirm it "
                    + "with `DELETE /v1/me/sign-in-changes`."),
        ])

    private static let signInChange = Shape.fields(
        "SignInChange",
        [
            .required("changedAt", .timestamp),
            .required(
                "change", .word(["password", "email", "managedId", "link", "badge"]),
                "`password`: it was replaced. `badge`: one was made. `link`: an account at a sign-in provider was "
                    + "linked, by signing in there."),
            .orNull(
                "standing", .word(Standing.allCases.map(\.rawValue) + ["server"]),
                "In which role. `server` is the operator of the machine. Null for `link`."),
            .orNull(
                "name", .text(1...600),
                "The name of the person, the service account or the sign-in provider. Null for the operator, and "
                    + "where it has been erased or removed since."
            ),
        ])
}
