import Crypto

/// What an app sends before it gets a code, and proves to know afterwards (RFC 7636). Only the method S256 is taken.
struct CodeChallenge: Sendable {
    static let method = "S256"
    /// The SHA-256 of the verifier in base64url: 43 characters.
    let text: String

    /// - Parameter text: as the app sent it; `nil` if it cannot be a challenge.
    init?(_ text: String) {
        guard text.utf8.count == 43, Base64.decodeURL(text)?.count == 32 else { return nil }
        self.text = text
    }

    init(ofVerifier verifier: String) {
        text = Base64.encodeURL(SHA256.digest(verifier).bytes)
    }
}
