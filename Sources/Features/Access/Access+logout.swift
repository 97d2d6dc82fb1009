import API
import Contract
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Signing out with a connected system (OpenID Connect RP-Initiated Logout 1.0), since computers are shared. The page
/// `/oauth/logout` asks here before it does anything.
extension Access {
    var logoutEndpoints: [Endpoint] {
        [
            Endpoint(
                open: .post, LogoutCalls.check.path,
                "Find whether a client may sign its person out, and where the browser goes then",
                description: """
                    For the page `/oauth/logout`, with the token of its browser, if it has one. Signs nobody out. A \
                    hint that cannot be verified counts as none.
                    """,
                body: .json(Self.logoutRequest),
                answers: [.of(LogoutCalls.check, "What the page does.")], keys: .refused,
                handler: checkLogout)
        ]
    }

    private static let logoutRequest = Shape.fields(
        "LogoutRequest",
        [
            .optional(
                "idTokenHint", .text(0...20_000),
                "The ID token that the client got last; it may have expired."),
            .optional("clientId", .text(0...255), "The client that asks, where it sends no hint."),
            .optional(
                "postLogoutRedirectUri", .text(0...2000),
                "Where the browser shall go then; one that the client has registered."),
            .optional("state", .text(0...2000), "Returned to the client as it is."),
        ])

    func checkLogout(_ request: Request) async throws -> Response {
        let body = try await request.body()
        var hint: LogoutHint?
        if let text = body.text("idTokenHint") {
            let keys = try await idTokenKeys.published(by: database)
            hint = LogoutHint(text, keys, issuer: issuer.text(for: request))
        }
        var client = hint?.client
        if let named = body.text("clientId") {
            // A hint of another client says nothing about this one (section 2).
            client = client == nil || client == UUID(named) ? UUID(named) : nil
        }
        let address = body.text("postLogoutRedirectUri")
        let row = try await database.query(
            .logout(of: client, hint, to: address, token: request.bearer))[0]
        let isCurrent = try row.bool("is_current")
        let name = try row.optionalText("system_name")
        var target: String?
        if let address, try row.bool("may_return") {
            let state = body.text("state")
            target =
                state == nil
                ? address : RedirectURI.completed(address, with: [(name: "state", value: state)])
        }
        return .json(
            Document<LogoutAnswer> {
                $0.confirmed = isCurrent
                if let target { $0.redirectTo = target }
                if let name { $0.client = name }
            }.json)
    }
}

/// Whose sign-in ends, as an ID token of ours says.
private struct LogoutHint {
    let client: UUID
    let person: UUID
    let session: UUID

    /// `nil` if the token is not ours, or signed with a key that is forgotten.
    init?(_ text: String, _ keys: JSONValue, issuer: String) {
        guard let keys = KeySet(keys),
            let claims = try? IDToken.claims(ofOwn: text, signedWith: keys, by: issuer),
            let client = claims["aud"]?.text.flatMap({ UUID($0) }),
            let person = claims["sub"]?.text.flatMap({ UUID($0) }),
            let session = claims["sid"]?.text.flatMap({ UUID($0) })
        else { return nil }
        (self.client, self.person, self.session) = (client, person, session)
    }
}

extension Statement {
    fileprivate static func logout(
        of client: UUID?, _ hint: LogoutHint?, to address: String?, token: Token?
    ) -> Statement {
        """
        select system_name, may_return, is_current
          from school.logout_request(
                   \(client), \(hint?.person), \(hint?.session), \(address), \(token?.digest))
        """
    }
}
