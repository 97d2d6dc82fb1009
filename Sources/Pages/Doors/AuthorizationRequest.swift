import HTTPWire
import JSONBytes

/// What an app or a connected system asks for in the query of `/oauth/authorize`. The API judges it.
struct AuthorizationRequest: Sendable {
    private let query: Query
    /// The body of the calls about it.
    let body: JSONValue

    private static let names: [(StaticString, String)] = [
        ("client_id", "clientId"), ("redirect_uri", "redirectUri"),
        ("response_type", "responseType"), ("scope", "scope"), ("state", "state"),
        ("code_challenge", "codeChallenge"), ("code_challenge_method", "codeChallengeMethod"),
        ("nonce", "nonce"), ("environment", "environment"), ("response_mode", "responseMode"),
        ("prompt", "prompt"), ("max_age", "maxAge"), ("request", "request"),
        ("request_uri", "requestUri"),
    ]

    /// `nil` if a parameter is there twice, so that nobody knows which one counts (RFC 6749, section 3.1).
    init?(_ query: Query) {
        var members = JSONObject()
        for (name, field) in Self.names {
            let values = query.all("\(name)")
            guard values.count <= 1 else { return nil }
            if let value = values.first, !value.isEmpty { members[field] = .text(value) }
        }
        self.query = query
        body = .object(members)
    }

    /// The page of a question that came as a form. What is too long for an address is left out, so that the page says
    /// that something is wrong.
    static func address(of form: Form) -> LocalPath {
        var address: LocalPath = "/oauth/authorize"
        for (name, _) in names {
            for value in form.all("\(name)") { address = address.with(name, value) }
        }
        return address.text.utf8.count <= 8_192 ? address : "/oauth/authorize"
    }

    /// Where the answer goes as a form (OAuth 2.0 Form Post Response Mode); `nil` if it goes in the address.
    var formAddress: String? { query["response_mode"] == "form_post" ? query["redirect_uri"] : nil }

    /// Whether no page may appear.
    var isSilent: Bool { query["prompt"] == "none" }

    /// The address of this request after the person signed in again, which it no longer asks for.
    static func afterSignIn(_ address: LocalPath) -> LocalPath {
        let items = address.text.drop { $0 != "?" }.dropFirst().split(separator: "&").filter {
            !$0.hasPrefix("prompt=") && !$0.hasPrefix("max_age=")
        }
        return LocalPath(
            own: address.withoutQuery.text + "?" + items.joined(separator: "&"))
    }

    /// What pages with a form allow that lead to the question of an app. If the person need not be asked, the browser
    /// goes on to the app at once, and holds that against the policy of the page whose form began it.
    static func formTargets(to next: LocalPath) -> [String] {
        guard next.withoutQuery == "/oauth/authorize",
            let items = HTTPWire.Form.items(Array(next.text.drop { $0 != "?" }.dropFirst().utf8))
        else { return [] }
        return AuthorizationRequest(Query(items))?.formTargets ?? []
    }

    /// The app's address as sources of a content security policy: browsers hold redirects after a form against it.
    var formTargets: [String] { Self.sources(of: query["redirect_uri"] ?? "") }

    /// An address as sources of a content security policy.
    static func sources(of address: String) -> [String] {
        let parts = address.split(
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
