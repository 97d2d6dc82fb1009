import JSONBytes
import Values

/// An ID token that another system signed for this one, and that was checked (OpenID Connect Core 1.0 section 3.1.3.7).
package struct IDToken: Sendable {
    /// What the token must say.
    package struct Expectation: Sendable {
        package let issuer: String
        package let clientID: String
        package let nonce: String

        package init(issuer: String, clientID: String, nonce: String) {
            self.issuer = issuer
            self.clientID = clientID
            self.nonce = nonce
        }
    }

    /// The longest token, in bytes.
    package static let lengthLimit = 16_384
    /// How much clocks may differ, in milliseconds.
    static let leeway: Int64 = 120_000
    /// How old a token may be: a sign-in takes no longer.
    private static let longestAge: Int64 = 600_000

    /// `sub`: who signed in, as the issuer names the person for good.
    package let subject: String
    package let claims: JSONObject

    /// Verifies the signature and checks what every ID token must say.
    package init(
        verifying text: String, with keys: KeySet, expecting expected: Expectation, now: Timestamp
    ) throws(IDTokenError) {
        claims = try Self.verifiedClaims(text, keys)
        try Self.checkIssuer(claims, expected)
        try Self.checkTimes(claims, now: now.milliseconds)
        guard let nonce = claims["nonce"]?.text,
            equalInConstantTime(Array(nonce.utf8), Array(expected.nonce.utf8))
        else { throw .wrongNonce }
        guard let subject = claims["sub"]?.text, (1...255).contains(subject.utf8.count),
            subject.unicodeScalars.allSatisfy({ $0.value > 0x1F && $0.value != 0x7F })
        else { throw .missingClaim("sub") }
        self.subject = subject
    }

    /// The claims of a token that this server signed itself, as a hint of who signs out. It counts although it has
    /// expired (OpenID Connect RP-Initiated Logout 1.0 section 2).
    package static func claims(
        ofOwn text: String, signedWith keys: KeySet, by issuer: String
    ) throws(IDTokenError) -> JSONObject {
        let claims = try verifiedClaims(text, keys)
        guard claims["iss"]?.text == issuer else { throw .wrongIssuer }
        return claims
    }

    static func verifiedClaims(
        _ text: String, _ keys: KeySet
    ) throws(IDTokenError) -> JSONObject {
        let bytes = Array(text.utf8)
        guard bytes.count <= lengthLimit else { throw .tooLong }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = object(parts[0]), let claims = object(parts[1]),
            let signature = Base64.decodeURL(parts[2])
        else { throw .malformed }
        guard let algorithm = header["alg"]?.text.flatMap(SignatureAlgorithm.init) else {
            throw .unsupportedAlgorithm
        }
        guard header["crit"] == nil else { throw .unknownCriticalHeader }
        if let id = header["kid"], id.text == nil { throw .malformed }
        guard let key = keys.key(header["kid"]?.text, for: algorithm) else { throw .unknownKey }
        guard key.isValid(signature, for: Array(bytes[..<parts[1].endIndex])) else {
            throw .badSignature
        }
        return claims
    }

    private static func object(_ part: ArraySlice<UInt8>) -> JSONObject? {
        Base64.decodeURL(part).flatMap { try? JSONValue(parsing: $0) }?.object
    }

    private static func checkIssuer(
        _ claims: JSONObject, _ expected: Expectation
    ) throws(IDTokenError) {
        guard claims["iss"]?.text == expected.issuer else { throw .wrongIssuer }
        let audience = claims["aud"].map { $0.array ?? [$0] } ?? []
        guard audience.contains(.text(expected.clientID)) else { throw .wrongAudience }
        let party = claims["azp"]
        guard audience.count == 1 || party != nil,
            party.map({ $0.text == expected.clientID }) ?? true
        else { throw .wrongAudience }
    }

    static func checkTimes(_ claims: JSONObject, now: Int64) throws(IDTokenError) {
        let issued = try moment("iat", claims)
        guard try moment("exp", claims) > now - leeway else { throw .expired }
        guard issued > now - leeway - longestAge else { throw .tooOld }
        guard issued < now + leeway else { throw .issuedInTheFuture }
        if claims["nbf"] != nil, try moment("nbf", claims) > now + leeway {
            throw .issuedInTheFuture
        }
    }

    static func moment(
        _ name: String, _ claims: JSONObject
    ) throws(IDTokenError) -> Int64 {
        guard let seconds = claims[name]?.double, seconds.magnitude < 1e11 else {
            throw .missingClaim(name)
        }
        return Int64(seconds * 1000)
    }
}

/// Why an ID token is refused. The sentences repeat nothing from the token.
package enum IDTokenError: Error, Sendable, Equatable, CustomStringConvertible {
    case tooLong
    case malformed
    /// `alg` is neither RS256 nor ES256.
    case unsupportedAlgorithm
    case unknownCriticalHeader
    /// The issuer publishes no such key, at least when it was last asked.
    case unknownKey
    case badSignature
    case wrongIssuer
    /// Made for another system, or for several and not asked for by this one.
    case wrongAudience
    case wrongNonce
    case missingClaim(String)
    case expired
    /// It has not expired, and was issued long ago.
    case tooOld
    case livesTooLong
    case issuedInTheFuture

    package var description: String { sentence(about: "ID token") }

    /// The reason, with another name for the token, such as `client assertion`.
    package func sentence(about token: String) -> String {
        switch self {
        case .tooLong: "The \(token) is longer than 16,384 characters."
        case .malformed: "The \(token) is not a JSON Web Token in compact form."
        case .unsupportedAlgorithm: "The \(token) is signed with neither RS256 nor ES256."
        case .unknownCriticalHeader: "The \(token)'s header has a crit that is not understood."
        case .unknownKey: "The \(token) is signed with a key that the issuer does not publish."
        case .badSignature: "The \(token)'s signature does not verify."
        case .wrongIssuer: "The \(token) is another issuer's."
        case .wrongAudience: "The \(token) is for another client id."
        case .wrongNonce: "The \(token) belongs to another sign-in."
        case .missingClaim(let name): "The \(token) has no usable claim \(name)."
        case .expired: "The \(token) has expired; compare the clocks."
        case .tooOld: "The \(token) was issued too long ago; compare the clocks."
        case .livesTooLong: "The \(token) may live at most an hour: its exp is later."
        case .issuedInTheFuture: "The \(token) is not valid yet; compare the clocks."
        }
    }
}
