import JSONBytes

/// A private key that signs tokens, which others verify with its public half.
package protocol SigningKey: Sendable {
    /// What tokens call the way of signing (RFC 7518 section 3.1).
    static var algorithm: String { get }

    /// Whether a signature takes so long that an event loop would serve many requests meanwhile.
    static var isSlow: Bool { get }

    /// Makes a new key, which may take a second: never on an event loop.
    init()

    /// Reads what `pem` wrote; throws `KeyError`.
    init(pem: String) throws

    /// The key as an unencrypted `PRIVATE KEY` (PKCS #8), with a newline at the end.
    var pem: String { get }

    /// The public half as JSON, with its thumbprint as `kid` (RFC 7517, RFC 7638).
    var publicJWK: JSONValue { get }

    /// The signature as JSON Web Signatures have it (RFC 7518 section 3).
    func sign(_ message: [UInt8]) -> [UInt8]
}

extension ES256PrivateKey: SigningKey {
    package static var algorithm: String { "ES256" }
    package static var isSlow: Bool { false }

    package var publicJWK: JSONValue { JWK(publicKey).json }
}

extension RS256PrivateKey: SigningKey {
    package static var algorithm: String { "RS256" }
    package static var isSlow: Bool { true }
}

extension JWT {
    /// Signs claims; the caller puts `iss`, `iat` and `exp` into them.
    package static func sign(
        _ claims: JSONObject, keyID: String, with key: some SigningKey
    ) -> String {
        let header: JSONValue = [
            "alg": .text(type(of: key).algorithm), "kid": .text(keyID), "typ": "JWT",
        ]
        let payload = JSONValue.object(claims)
        let signed = "\(Base64.encodeURL(header.bytes)).\(Base64.encodeURL(payload.bytes))"
        return "\(signed).\(Base64.encodeURL(key.sign(Array(signed.utf8))))"
    }
}
