import JSONBytes
import Values

/// A token whose ES256 signature has been verified; its times have not (see `checkTimes`).
package struct JWT: Sendable {
    package let keyID: String
    package let claims: JSONObject

    init(keyID: String, claims: JSONObject) {
        self.keyID = keyID
        self.claims = claims
    }

    /// Parses and verifies with the key that the closure finds; throws `unknownKey` if it finds none.
    package init(
        verifying token: String,
        key: (_ unverified: UnverifiedJWT) throws(JWTError) -> ES256PublicKey?
    ) throws(JWTError) {
        let unverified = try UnverifiedJWT(parsing: token)
        guard let key = try key(unverified) else { throw .unknownKey }
        self = try unverified.verified(by: key)
    }

    /// Throws unless `exp` is in the future, and `iat` and `nbf` (if present) are not; clocks may differ by the leeway.
    package func checkTimes(now: Timestamp, leewaySeconds: Int64 = 60) throws(JWTError) {
        let leeway = leewaySeconds * 1000
        guard try moment("exp") > now.milliseconds - leeway else { throw .expired }
        guard try moment("iat") <= now.milliseconds + leeway else { throw .issuedInTheFuture }
        if claims["nbf"] != nil, try moment("nbf") > now.milliseconds + leeway {
            throw .issuedInTheFuture
        }
    }

    /// When the token expires (`exp`).
    package var expiresAt: Timestamp {
        get throws(JWTError) { Timestamp(milliseconds: try moment("exp")) }
    }

    /// A NumericDate in milliseconds; fractions of a second are allowed (RFC 7519 section 2).
    private func moment(_ name: String) throws(JWTError) -> Int64 {
        guard let seconds = claims[name]?.double, seconds.magnitude < 1e11 else {
            throw .missingClaim(name)
        }
        return Int64(seconds * 1000)
    }
}
