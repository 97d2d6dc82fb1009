import Postgres
import School
import Values

/// A client that wants to act for the caller, as the caller's organization knows it.
struct AskingClient: Sendable {
    /// What a connected system has registered.
    struct System: Sendable {
        let redirectURIs: [String]
        let scopes: [String]
        let requiresPKCE: Bool
    }

    let id: String
    let name: String
    /// `nil` for an app.
    let system: System?
    /// Whether the caller allowed the system the same before, and it holds that still.
    let isAllowed: Bool
    /// When the caller signed in; `nil` for a token without a sign-in.
    let signedInAt: Timestamp?

    /// `nil` if the organization does not know the client.
    init?(_ id: String, _ row: Row) throws {
        self.id = id
        if let name = try row.optionalText("system_name") {
            self.name = name
            system = System(
                redirectURIs: try row.textArray("redirect_uris"),
                scopes: try row.textArray("scopes"),
                requiresPKCE: try row.bool("requires_pkce"))
        } else if let name = try row.optionalText("app_name") {
            self.name = name
            system = nil
        } else {
            return nil
        }
        isAllowed = try row.bool("is_allowed")
        signedInAt = try row.optionalTimestamp("signed_in_at")
    }

    /// Whether a code may be brought there.
    func owns(_ address: String) -> Bool {
        guard let system else { return RedirectURI.isAllowed(address, for: id) }
        return system.redirectURIs.contains(address)
    }

    /// What the client gets of the requested scopes; `nil` if the request is wrong. A system does not get those that
    /// it has not registered or that nobody knows (OpenID Connect Core section 3.1.2.1).
    func granted(of requested: [String]) -> [String]? {
        guard let system else {
            return requested.allSatisfy { $0 == AppScope.classKit } ? [AppScope.classKit] : nil
        }
        guard requested.contains(SystemScope.openID) else { return nil }
        return SystemScope.allCases.map(\.rawValue).filter {
            requested.contains($0) && system.scopes.contains($0)
        }
    }
}

extension Statement {
    /// How the caller's organization knows a client, if at all.
    static func askingClient(
        _ id: String, scopes: [String], by token: Token
    ) -> Statement {
        """
        select app_name, system_name, redirect_uris, scopes, is_allowed, signed_in_at,
               school.requires_pkce(\(id)) as requires_pkce
          from school.asking_client(\(id), \(scopes), \(token.digest))
        """
    }
}
