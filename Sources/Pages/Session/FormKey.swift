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

    func token() -> String {
        let nonce = SecureRandom.bytes(Self.nonceBytes)
        return Base64.encodeURL(nonce + key.code(for: nonce))
    }

    func accepts(_ token: String) -> Bool {
        guard token.utf8.count <= 100, let bytes = Base64.decodeURL(token),
            bytes.count > Self.nonceBytes
        else { return false }
        return key.isValid(
            Array(bytes[Self.nonceBytes...]), for: Array(bytes[..<Self.nonceBytes]))
    }
}
