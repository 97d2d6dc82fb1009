import API
import School

/// The output of the calls about sign-ins.
enum SessionShapes {
    static let session = ObjectShape(
        "SignInSession",
        [
            .required("id", .uuid, "Audit events name it as `sessionId`."),
            .required(
                "kind", .word(["browser", "app", "system", "password"]),
                "What is signed in. `system` is a connected system; `password` is a script or program that signed in "
                    + "without a browser."
            ),
            .orNull("bundleId", .text(1...255), "The app that is signed in."),
            .orNull("connectedSystemId", .uuid, "The connected system that is signed in."),
            .orNull(
                "clientName", .text(1...256), "What your organization calls that app or system."),
            .orNull("userAgent", .text(1...512), "What the browser called itself."),
            .orNull("address", .text(1...255), "The address it was last used from."),
            .required("startedAt", .timestamp),
            .required(
                "lastUsedAt", .timestamp, "When it began, or was last refreshed or renewed."),
            .required("current", .boolean, "Whether it is the sign-in that makes this call."),
        ])

    static let renewal = Shape.fields(
        "SessionRenewal",
        [
            .required(
                "expiresIn", .integer(0...2_592_000),
                "Seconds from now; fewer towards the end of the 30 days that a sign-in can last."
            )
        ])
}
