import HTTPWire
import JSONBytes

/// What an app asks for in the query of `/oauth/authorize`. The API judges it.
struct AuthorizationRequest: Sendable {
    private let query: Query
    /// The body of the calls about it.
    let body: JSONValue

    private static let names = [
        ("client_id", "clientId"), ("redirect_uri", "redirectUri"),
        ("response_type", "responseType"), ("scope", "scope"), ("state", "state"),
        ("code_challenge", "codeChallenge"), ("code_challenge_method", "codeChallengeMethod"),
        ("nonce", "nonce"), ("environment", "environment"),
    ]

    /// `nil` if a parameter is there twice, so that nobody knows which one counts (RFC 6749, section 3.1).
    init?(_ query: Query) {
        var members = JSONObject()
        for (name, field) in Self.names {
            let values = query.all(name)
            guard values.count <= 1 else { return nil }
            if let value = values.first, !value.isEmpty { members[field] = .text(value) }
        }
        self.query = query
        body = .object(members)
    }

    /// Where the app learns that the person refused. To be followed only after the API has checked the address.
    var refusal: String {
        let address = query["redirect_uri"] ?? ""
        let separator = address.contains("?") ? "&" : "?"
        let state = query["state"].map { "&state=\(LocalPath.encoded($0))" } ?? ""
        return "\(address)\(separator)error=access_denied\(state)"
    }

    /// The app's address as sources of a content security policy: browsers hold redirects after a form against it.
    var formTargets: [String] {
        let parts = (query["redirect_uri"] ?? "").split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = (parts.first ?? "").lowercased()
        let isScheme =
            scheme.first?.isLetter == true
            && scheme.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || "+-.".utf8.contains($0)
            }
        guard isScheme, parts.count == 2 else { return [] }
        guard scheme == "http" || scheme == "https" else { return ["\(scheme):"] }
        let authority = parts[1].dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let isPlain =
            !authority.isEmpty
            && authority.utf8.allSatisfy {
                (0x30...0x3A).contains($0) || (0x41...0x5A).contains($0)
                    || (0x61...0x7A).contains($0) || "-.".utf8.contains($0)
            }
        // A policy cannot name an IPv6 address.
        return [isPlain ? "\(scheme)://\(authority)" : "\(scheme):"]
    }
}
