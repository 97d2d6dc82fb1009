import API
import JSONBytes
import School

/// The input and output of calls about connected systems.
enum ConnectedSystemShapes {
    static let scopes = Shape.array(.word(SystemScope.allCases.map(\.rawValue)), count: 0...4)

    static func redirectURIs(_ count: ClosedRange<Int>) -> Shape {
        .array(
            .form(
                TextForm(
                    "an https address, or an http address on 127.0.0.1 or [::1], without # and user",
                    schema: ["type": "string", "format": "uri", "maxLength": 2000],
                    example: "https://library.example/callback", accepts: RedirectURI.isOfSystem)),
            count: count)
    }

    static let systemWithSecret = Shape.fields(
        "ConnectedSystemWithSecret",
        Access.connectedSystems.shape.fields + [
            .required("clientSecret", .text(43...43), "Answered once; it cannot be read again.")
        ])
}

/// What a connected system may learn of a person, beside the id (OpenID Connect Core section 5.4 for `profile` and
/// `email`).
enum SystemScope: String, CaseIterable, Sendable {
    case profile
    case email
    case roles
    case classes

    /// The scope that every request of OpenID Connect has.
    static let openID = "openid"

    /// The word for what the person is shown of it.
    var shown: String { self == .profile ? "name" : rawValue }
}
