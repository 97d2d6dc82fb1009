import Crypto
import Values

/// An access or refresh token: 256 random bits, of which only the digest is ever stored.
package struct Token: Sendable {
    /// What the client sends, in base64url.
    package let text: String
    /// The SHA-256 of the text; only the digest is in the database.
    package let digest: [UInt8]

    /// Makes a new token.
    package init() {
        self.init(text: SecureRandom.token())
    }

    /// Reads a token that a client sent.
    package init(text: String) {
        self.text = text
        digest = SHA256.digest(text).bytes
    }
}

/// Recognises a device from which a person signed in before: the secret it sent, and the one it gets if that is
/// unknown.
struct DeviceSecret: Sendable {
    let sent: Token
    let new: Token
    private let isOwn: Bool

    /// - Parameter text: `nil` if nothing was sent; the device is then unknown.
    init(sent text: String?) {
        sent = Token(text: text ?? "")
        new = Token()
        isOwn = false
    }

    /// A browser has one secret, which it chose itself. Each account gets another digest of it, so that what is stored
    /// does not say who shares a browser.
    init(ofBrowser secret: String, account: String) {
        sent = Token(text: "browser \(secret) \(account)")
        new = sent
        isOwn = true
    }

    /// The secret that the device should keep; `nil` if it has it already.
    func kept(_ isKnown: Bool) -> Token? { isOwn ? nil : isKnown ? sent : new }
}

/// The two tokens of a sign-in, made anew for each answer.
struct TokenPair {
    /// How long an access token lives.
    static let accessSeconds = 3600
    /// How long a refresh token lives: 30 days.
    static let refreshSeconds = 2_592_000

    let access = Token()
    let refresh = Token()
    let accessExpiresAt: Timestamp
    let refreshExpiresAt: Timestamp

    init(now: Timestamp) {
        func after(_ seconds: Int) -> Timestamp {
            Timestamp(milliseconds: now.milliseconds + Int64(seconds) * 1000)
        }
        accessExpiresAt = after(TokenPair.accessSeconds)
        refreshExpiresAt = after(TokenPair.refreshSeconds)
    }
}
