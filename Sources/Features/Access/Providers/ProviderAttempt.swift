import Crypto
import Values

/// One sign-in with a provider, from its beginning to its end.
///
/// Everything that belongs to it follows from a secret that only the browser holds, so that the server keeps nothing of
/// sign-ins that may never end. State, nonce and verifier of one provider are of no use at another, and none of them
/// leads to the secret.
struct ProviderAttempt: Sendable {
    let providerID: UUID
    let secret: String
    private let key: HMACKey

    /// - Parameter secret: of a sign-in that has begun; a new one begins with a new secret.
    init(with providerID: UUID, secret: String = SecureRandom.token()) {
        self.providerID = providerID
        self.secret = secret
        key = HMACKey(Array(secret.utf8))
    }

    /// Comes back with the person, and shows that the same browser began.
    var state: String { derived("state") }
    /// Comes back in the ID token, which therefore is of this sign-in.
    var nonce: String { derived("nonce") }
    /// Proves to the provider that who exchanges the code also asked for it (RFC 7636).
    var verifier: String { derived("verifier") }

    func isOwn(state sent: String) -> Bool {
        equalInConstantTime(Array(sent.utf8), Array(state.utf8))
    }

    private func derived(_ purpose: String) -> String {
        Base64.encodeURL(key.code(for: Array("\(purpose) \(providerID)".utf8)))
    }
}
