import API
import School

/// The browser in which a person signs in.
struct Browser: Sendable {
    /// Whether others use the device, too.
    let isShared: Bool
    /// What the browser calls itself.
    let userAgent: String?
    /// A secret that it keeps and sends with every sign-in, so that the service recognizes it.
    let secret: String?

    init(_ body: Fields) {
        isShared = body.boolean("shared") ?? false
        userAgent = body.text("userAgent")
        secret = body.text("secret")
    }
}
