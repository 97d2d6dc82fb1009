/// Why a token is refused; the sentence is for the signer and repeats nothing from the token.
package enum JWTError: Error, Sendable, Equatable, CustomStringConvertible {
    case tooLong
    /// Not three parts of base64url with JSON objects in the first two.
    case malformed
    /// `alg` is not ES256.
    case unsupportedAlgorithm
    /// `typ` is present and is not JWT.
    case unsupportedType
    case missingKeyID
    /// `crit` names extensions; none is supported.
    case unknownCriticalHeader
    case unknownKey
    case badSignature
    /// A required claim is missing or has the wrong type.
    case missingClaim(String)
    case expired
    case issuedInTheFuture

    package var description: String {
        switch self {
        case .tooLong: "The token is longer than 8,192 characters."
        case .malformed: "The token is not a JSON Web Token in compact form."
        case .unsupportedAlgorithm: "The token is not signed with ES256."
        case .unsupportedType: "The token's header has a typ other than JWT."
        case .missingKeyID: "The token's header has no kid."
        case .unknownCriticalHeader: "The token's header has a crit that is not understood."
        case .unknownKey: "The token is signed with a key that is not registered."
        case .badSignature: "The token's signature does not verify."
        case .missingClaim(let name): "The token has no usable claim \(name)."
        case .expired: "The token has expired."
        case .issuedInTheFuture: "The token is not valid yet; compare the clocks."
        }
    }
}
