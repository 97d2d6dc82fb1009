import COpenSSL
import JSONBytes

/// A private RSA key, for signing with RS256 (RFC 7518 section 3.3), where a standard asks for that. Public keys of
/// others are `VerificationKey`.
package final class RS256PrivateKey: @unchecked Sendable {
    private static let modulusBits = 2048...8192

    private let key: OpaquePointer

    private init(owning key: OpaquePointer) {
        self.key = key
    }

    /// Generates a new key of 2,048 bits. Takes from 50 ms to a second: never on an event loop.
    package convenience init() {
        guard let key = generateKey() else { preconditionFailure("OpenSSL made no RSA key") }
        self.init(owning: key)
    }

    /// Reads a `PRIVATE KEY` (PKCS #8) or an `RSA PRIVATE KEY`, unencrypted.
    package convenience init(pem: String) throws(KeyError) {
        let key = try parseKey(pem) { PEM_read_bio_PrivateKey($0, nil, refusePassphrase, nil) }
        guard EVP_PKEY_is_a(key, "RSA") == 1,
            Self.modulusBits.contains(Int(EVP_PKEY_get_bits(key)))
        else {
            EVP_PKEY_free(key)
            throw .notRSA
        }
        self.init(owning: key)
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// The key as an unencrypted `PRIVATE KEY` (PKCS #8), with a newline at the end.
    package var pem: String {
        privatePEM(key)
    }

    /// The public half as JSON, with its thumbprint as `kid` (RFC 7517, RFC 7518 section 6.3, RFC 7638).
    package var publicJWK: JSONValue {
        let modulus = Base64.encodeURL(number(OSSL_PKEY_PARAM_RSA_N))
        let exponent = Base64.encodeURL(number(OSSL_PKEY_PARAM_RSA_E))
        return [
            "kty": "RSA", "n": .text(modulus), "e": .text(exponent), "alg": "RS256", "use": "sig",
            "kid": .text(Self.thumbprint(modulus: modulus, exponent: exponent)),
        ]
    }

    /// The members in the order of their names, without blanks.
    private static func thumbprint(modulus: String, exponent: String) -> String {
        let members = #"{"e":"\#(exponent)","kty":"RSA","n":"\#(modulus)"}"#
        return Base64.encodeURL(SHA256.digest(members).bytes)
    }

    /// The signature, as long as the modulus. With 2,048 bits it takes a quarter of a millisecond, as ten whole requests
    /// do; with 3,072 bits two. ES256 takes 20 µs.
    package func sign(_ message: [UInt8]) -> [UInt8] {
        signed(message, by: key, atMost: Self.modulusBits.upperBound / 8)
    }

    /// A number of the public key, its highest byte first.
    private func number(_ name: String) -> [UInt8] {
        var found: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key, name, &found) == 1, let found else {
            preconditionFailure("OpenSSL shows no RSA key")
        }
        defer { BN_free(found) }
        var bytes = [UInt8](repeating: 0, count: (Int(BN_num_bits(found)) + 7) / 8)
        BN_bn2bin(found, &bytes)
        return bytes
    }
}

private func generateKey() -> OpaquePointer? {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1,
        EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1,
        EVP_PKEY_generate(context, &key) == 1
    else { return nil }
    return key
}
