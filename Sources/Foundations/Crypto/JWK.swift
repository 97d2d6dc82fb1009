import JSONBytes

/// A public key on the curve P-256 as JSON (RFC 7517, RFC 7518 section 6.2).
package struct JWK: Sendable {
    /// The thumbprint of the key (RFC 7638): the same wherever it is computed.
    package let keyID: String
    private let x: String
    private let y: String

    package init(_ key: ES256PublicKey) {
        let point = key.point
        x = Base64.encodeURL(point.x)
        y = Base64.encodeURL(point.y)
        // The members in the order of their names, without blanks.
        let members = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        keyID = Base64.encodeURL(SHA256.digest(members).bytes)
    }

    /// What a key set lists.
    package var json: JSONValue {
        [
            "kty": "EC", "crv": "P-256", "x": .text(x), "y": .text(y), "kid": .text(keyID),
            "alg": "ES256", "use": "sig",
        ]
    }
}
