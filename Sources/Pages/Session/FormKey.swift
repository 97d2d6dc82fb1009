import Crypto

/// Makes and checks the tokens that every form carries, so that no other site can send it in a person's name.
///
/// A token is a random nonce and its code under a secret that only this browser holds: the session's token, or before
/// anyone is signed in a cookie. It differs each time, so that compressed pages do not betray it.
struct FormKey: Sendable {
    static let field = "formToken"
    private static let nonceBytes = 16

    private let key: HMACKey

    init(secret: String) {
        key = HMACKey(Array("homeroom form ".utf8) + Array(secret.utf8))
    }

    /// - Parameter sealed: what the form says about itself, which the token carries along.
    func token(saying sealed: String? = nil) -> String {
        let nonce = SecureRandom.bytes(Self.nonceBytes)
        let token = Base64.encodeURL(nonce + key.code(for: nonce))
        return sealed.map { "\(token).\($0)" } ?? token
    }

    /// What the form says about itself, sealed; `nil` if it says nothing.
    static func sealedPart(of token: String) -> Substring? {
        guard let dot = token.firstIndex(of: ".") else { return nil }
        return token[token.index(after: dot)...]
    }

    func accepts(_ token: String) -> Bool {
        let token = token.prefix { $0 != "." }
        guard token.utf8.count <= 100, let bytes = Base64.decodeURL(token.utf8),
            bytes.count > Self.nonceBytes
        else { return false }
        return key.isValid(
            Array(bytes[Self.nonceBytes...]), for: Array(bytes[..<Self.nonceBytes]))
    }
}
