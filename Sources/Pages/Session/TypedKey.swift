import Crypto
import JSONBytes

/// Seals what was typed into a form, and what the form says about itself, so that only this server opens it, and only
/// for the browser that it was made for.
///
/// The secret is a cookie out of scripts' reach, which outlives the session: so a form still says whose it is when
/// the session has ended, and no other site can make one that says so.
struct TypedKey: Sendable {
    /// What is sealed. What was made for one purpose opens for no other.
    enum Purpose: String, Sendable {
        /// What a form says about itself.
        case form
        /// What was typed, on its way through the sign-in.
        case typed
        /// A session that has begun, on its way to the cookie.
        case entry
    }

    private let key: SealingKey

    init(secret: String) {
        let bytes = HMACKey(Array("homeroom typed ".utf8) + Array(secret.utf8))
            .code(for: Array("key".utf8))
        guard let key = SealingKey(bytes) else { preconditionFailure("a code has 32 bytes") }
        self.key = key
    }

    func seal(_ document: JSONValue, for purpose: Purpose) -> String {
        Base64.encodeURL(key.seal(document.bytes, for: Array(purpose.rawValue.utf8)))
    }

    /// `nil` unless this server sealed it for this browser and purpose.
    func open(_ text: some StringProtocol, for purpose: Purpose) -> JSONValue? {
        guard let sealed = Base64.decodeURL(text.utf8),
            let bytes = key.open(sealed, for: Array(purpose.rawValue.utf8))
        else { return nil }
        return try? JSONValue(parsing: bytes)
    }
}
