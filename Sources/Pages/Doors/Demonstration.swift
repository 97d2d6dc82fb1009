import HTTPServer
import HTTPWire

/// A person of the demonstration school whom the sign-in page offers, so that trying it out takes one click.
package struct OfferedAccount: Sendable {
    let role: RoleText
    let givenName: String
    let managedID: String
    let password: String

    /// `nil` for a role that people do not have.
    ///
    /// - Parameter role: as the API calls it, such as `teacher`.
    package init?(role: String, givenName: String, managedID: String, password: String) {
        guard let role = RoleText(rawValue: role) else { return nil }
        self.role = role
        self.givenName = givenName
        self.managedID = managedID
        self.password = password
    }

    /// Whether a browser is on the server's own machine and addresses it by a loopback name.
    ///
    /// The passwords are no secret, but the demonstration is nobody's business in a network.
    static func areFor(_ request: HTTPRequest) -> Bool {
        guard NetworkAddress(request.clientAddress)?.isLoopback == true else { return false }
        return ["localhost", "127.0.0.1", "[::1"].contains(hostName(of: request))
    }

    /// The host that the request names, without its port.
    fileprivate static func hostName(of request: HTTPRequest) -> String {
        let host = request.headers["host"] ?? ""
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } : host.prefix { $0 != ":" }
        return name.lowercased()
    }
}

/// The app of the demonstration school that runs in the browser, on an origin of its own.
package struct OfferedApp: Sendable {
    private let bundleID: String
    /// The title of the handout that assigns it.
    let handout: String
    private let port: UInt16

    /// - Parameter port: of this machine, on which it is served.
    package init(bundleID: String, handout: String, port: UInt16) {
        self.bundleID = bundleID
        self.handout = handout
        self.port = port
    }

    /// The app, which signs people in at the name of this server by which it is visited.
    func address(from visit: Visit) -> String { address(isVisitedByAddress(visit)) }

    /// The app for a second window: it signs in at another name of this server, for which the browser keeps another
    /// session, so that the first window stays who it is.
    func addressOfSecondWindow(from visit: Visit) -> String { address(!isVisitedByAddress(visit)) }

    func isNamed(_ bundleID: String) -> Bool { bundleID == self.bundleID }

    private func isVisitedByAddress(_ visit: Visit) -> Bool {
        OfferedAccount.hostName(of: visit.request) == "127.0.0.1"
    }

    private func address(_ isByAddress: Bool) -> String {
        "http://127.0.0.1:\(port)/?at=\(isByAddress ? "127.0.0.1" : "localhost")"
    }
}

/// What the demonstration school offers a browser on the server's own machine; all others are offered nothing.
struct Offered: Sendable {
    var accounts: [OfferedAccount] = []
    var app: OfferedApp?

    static let nothing = Offered()
}

/// What the sign-in page and the strip say about the demonstration school.
enum DemonstrationText: String, TextKey {
    case title, hint
    case strip, you, be, report, secondWindow, watch, sums, beTeacher, adminBeTeacher

    static let section = "demonstration"
}

/// The part of the sign-in page that lets people into the demonstration school.
enum DemonstrationDoor {
    /// Forms that sign in like the one above them.
    static func card(_ visit: Visit, to back: LocalPath) -> HTML {
        guard !visit.offered.accounts.isEmpty else { return .nothing }
        let texts = visit.texts
        return section(.class("card stack")) {
            h2 { texts(DemonstrationText.title) }
            p(.class("soft")) { texts(DemonstrationText.hint) }
            for account in visit.offered.accounts {
                signIn(visit, as: account, to: back) {
                    TypedForm.carrying(visit)
                    button(.class("button button-wide"), .type("submit")) { texts(account.role) }
                }
            }
        }
    }

    /// A form that signs in as that person.
    static func signIn(
        _ visit: Visit, as account: OfferedAccount, to back: LocalPath,
        @HTMLBuilder content: () -> [HTML]
    ) -> HTML {
        postForm(visit, "/sign-in") {
            input(.type("hidden"), .name("managedId"), .value(account.managedID))
            input(.type("hidden"), .name("password"), .value(account.password))
            if back != "/" { input(.type("hidden"), .name("to"), .value(back.text)) }
            HTML.parts(content())
        }
    }
}
