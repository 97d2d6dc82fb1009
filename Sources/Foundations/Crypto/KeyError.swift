/// Why a text is not a key for ES256 or RS256.
package enum KeyError: Error, Sendable, Equatable, CustomStringConvertible {
    case notPEM
    /// A private key was given where a public one belongs.
    case privateKeyGiven
    /// A key of another algorithm or another curve.
    case notP256
    /// A key of another algorithm, or with a modulus of fewer than 2,048 or more than 8,192 bits.
    case notRSA
    case tooLong

    package var description: String {
        switch self {
        case .notPEM: "The text is not a key in PEM, or it is encrypted."
        case .privateKeyGiven: "This is a private key; keep it secret and give the public key."
        case .notP256: "The key is not an elliptic curve key of the curve P-256."
        case .notRSA: "The key is not an RSA key of 2,048 to 8,192 bits."
        case .tooLong: "A key in PEM has at most 8,192 characters."
        }
    }
}
