import HTTPServer
import HTTPWire

/// A person of the demonstration school whom the sign-in page offers, so that trying it out takes one click.
package struct OfferedAccount: Sendable {
    let role: RoleText
    let managedID: String
    let password: String

    /// `nil` for a role that people do not have.
    ///
    /// - Parameter role: as the API calls it, such as `teacher`.
    package init?(role: String, managedID: String, password: String) {
        guard let role = RoleText(rawValue: role) else { return nil }
        self.role = role
        self.managedID = managedID
        self.password = password
    }

    /// Whether a browser is on the server's own machine and addresses it by a loopback name.
    ///
    /// The passwords are no secret, but the demonstration is nobody's business in a network.
    static func areFor(_ request: HTTPRequest) -> Bool {
        guard NetworkAddress(request.clientAddress)?.isLoopback == true else { return false }
        let host = request.headers["host"] ?? ""
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } : host.prefix { $0 != ":" }
        return ["localhost", "127.0.0.1", "[::1"].contains(name.lowercased())
    }
}

/// What the sign-in page says about the demonstration school.
enum DemonstrationText: String, TextKey {
    case title, hint

    static let section = "demonstration"
}

/// The part of the sign-in page that lets people into the demonstration school.
enum DemonstrationDoor {
    /// Forms that sign in like the one above them.
    static func card(_ visit: Visit, to back: LocalPath) -> HTML {
        guard !visit.offered.isEmpty else { return .nothing }
        let texts = visit.texts
        return section(.class("card stack")) {
            h2 { texts(DemonstrationText.title) }
            p(.class("soft")) { texts(DemonstrationText.hint) }
            for account in visit.offered {
                postForm(visit, "/sign-in") {
                    input(.type("hidden"), .name("managedId"), .value(account.managedID))
                    input(.type("hidden"), .name("password"), .value(account.password))
                    if back != "/" { input(.type("hidden"), .name("to"), .value(back.text)) }
                    TypedForm.carrying(visit)
                    button(.class("button button-wide"), .type("submit")) { texts(account.role) }
                }
            }
        }
    }
}
