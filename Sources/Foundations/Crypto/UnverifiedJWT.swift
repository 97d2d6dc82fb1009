import JSONBytes
import Values

/// A JSON Web Token (RFC 7519) in compact form whose signature has not been verified yet.
///
/// Its content only serves to find the key; `verified(by:)` turns it into a `JWT`, which can be trusted.
package struct UnverifiedJWT: Sendable {
    /// The longest token, in bytes.
    package static let lengthLimit = 8192

    /// `kid`: the name of the key, 1 to 255 bytes.
    package let keyID: String
    package let claims: JSONObject
    private let signed: [UInt8]
    private let signature: [UInt8]

    package init(parsing token: String) throws(JWTError) {
        try self.init(parsing: Array(token.utf8))
    }

    package init(parsing token: [UInt8]) throws(JWTError) {
        guard token.count <= UnverifiedJWT.lengthLimit else { throw .tooLong }
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed }
        keyID = try UnverifiedJWT.keyID(ofHeader: try UnverifiedJWT.object(parts[0]))
        claims = try UnverifiedJWT.object(parts[1])
        guard let signature = Base64.decodeURL(parts[2]) else { throw .malformed }
        guard signature.count == 64 else { throw .badSignature }
        self.signature = signature
        signed = Array(token[..<parts[1].endIndex])
    }

    /// `iss`: the claimed signer of the token.
    package var issuer: String? { claims["iss"]?.text }

    /// When the token expires, if its times are valid (see `JWT.checkTimes`). Lets callers refuse it before
    /// they look up its key; not to be trusted until the signature is verified.
    package func checkedExpiry(
        now: Timestamp, leewayMilliseconds: Int64
    ) throws(JWTError) -> Timestamp {
        let unproven = JWT(keyID: keyID, claims: claims)
        try unproven.checkTimes(now: now, leewaySeconds: leewayMilliseconds / 1000)
        return try unproven.expiresAt
    }

    /// Whether the signature is by this key; takes about 70 µs.
    package func isSigned(by key: ES256PublicKey) -> Bool {
        key.isValid(signature, for: signed)
    }

    /// The token as a trusted one; throws `badSignature`.
    package func verified(by key: ES256PublicKey) throws(JWTError) -> JWT {
        guard isSigned(by: key) else { throw .badSignature }
        return JWT(keyID: keyID, claims: claims)
    }

    private static func object(_ part: ArraySlice<UInt8>) throws(JWTError) -> JSONObject {
        guard let bytes = Base64.decodeURL(part), let value = try? JSONValue(parsing: bytes),
            let object = value.object
        else { throw .malformed }
        return object
    }

    private static func keyID(ofHeader header: JSONObject) throws(JWTError) -> String {
        guard header["alg"]?.text == "ES256" else { throw .unsupportedAlgorithm }
        if let type = header["typ"], type.text?.lowercased() != "jwt" { throw .unsupportedType }
        guard header["crit"] == nil else { throw .unknownCriticalHeader }
        guard let keyID = header["kid"]?.text, (1...255).contains(keyID.utf8.count) else {
            throw .missingKeyID
        }
        return keyID
    }
}
