import JSONBytes
import Values

/// A JSON Web Token that a client of this system signed with its own key, and that was checked: as it authenticates with
/// one (RFC 7523 section 3), or answers with one (IMS Security Framework 1.0 section 5.2.2).
///
/// That it comes only once is for the caller to see to, with `onceID`.
package struct ClientToken: Sendable {
    /// What makes the token different from all others, until it expires: `jti` or `nonce`, 1 to 255 bytes.
    package let onceID: String
    package let expiresAt: Timestamp
    package let claims: JSONObject

    /// The longest time for which a token may be valid, in milliseconds: for so long its `onceID` is remembered.
    private static let longestLife: Int64 = 3_600_000

    private static func names(_ audiences: Set<String>, _ text: String) -> Bool {
        audiences.contains(text.last == "/" ? String(text.dropLast()) : text)
            || audiences.contains(text)
    }

    /// Verifies the signature and checks issuer, audience and times.
    ///
    /// - Parameters:
    ///   - clientID: what `iss`, and `sub` where there is one, must be.
    ///   - audiences: of which `aud` must name one, perhaps with a slash at its end.
    ///   - onceClaim: `jti` or `nonce`.
    package init(
        verifying text: String, with keys: KeySet, of clientID: String, for audiences: Set<String>,
        onceClaim: String, now: Timestamp
    ) throws(IDTokenError) {
        claims = try IDToken.verifiedClaims(text, keys)
        guard claims["iss"]?.text == clientID,
            claims["sub"].map({ $0.text == clientID }) ?? true
        else { throw .wrongIssuer }
        let named = claims["aud"].map { $0.array ?? [$0] } ?? []
        guard named.count <= 10,
            named.contains(where: { $0.text.map { Self.names(audiences, $0) } == true })
        else { throw .wrongAudience }
        try IDToken.checkTimes(claims, now: now.milliseconds)
        let end = try IDToken.moment("exp", claims)
        guard end <= now.milliseconds + Self.longestLife + IDToken.leeway else {
            throw .livesTooLong
        }
        // Clocks may differ: it has to be remembered for as long as it would be taken.
        expiresAt = Timestamp(milliseconds: end + IDToken.leeway)
        guard let once = claims[onceClaim]?.text, (1...255).contains(once.utf8.count) else {
            throw .missingClaim(onceClaim)
        }
        onceID = once
    }

    /// The client that a token says it is from, unverified: only to find the key.
    package static func claimedIssuer(of text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count <= IDToken.lengthLimit else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Base64.decodeURL(parts[1]) else { return nil }
        return (try? JSONValue(parsing: claims))?.object?["iss"]?.text
    }
}
