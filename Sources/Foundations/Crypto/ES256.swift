import COpenSSL

/// A public key on the curve P-256, for verifying ES256 signatures (RFC 7518 section 3.4).
package final class ES256PublicKey: @unchecked Sendable {
    private let key: OpaquePointer

    fileprivate init(owning key: OpaquePointer) {
        self.key = key
    }

    /// Reads a `PUBLIC KEY` (SubjectPublicKeyInfo).
    package convenience init(pem: String) throws(KeyError) {
        if pem.contains("PRIVATE KEY-----") { throw .privateKeyGiven }
        let key = try readKey(pem) { PEM_read_bio_PUBKEY($0, nil, refusePassphrase, nil) }
        self.init(owning: key)
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// The key as `PUBLIC KEY` (SubjectPublicKeyInfo), with a newline at the end.
    package var pem: String {
        writePEM { PEM_write_bio_PUBKEY($0, key) }
    }

    /// The point on the curve, 32 bytes each.
    package var point: (x: [UInt8], y: [UInt8]) {
        var encoded = [UInt8](repeating: 0, count: 133)
        var length = 0
        // Uncompressed: 4, then x and y (SEC 1 section 2.3.3).
        let done = EVP_PKEY_get_octet_string_param(
            key, OSSL_PKEY_PARAM_PUB_KEY, &encoded, encoded.count, &length)
        precondition(done == 1 && length == 65 && encoded[0] == 4, "OpenSSL shows no P-256 point")
        return (Array(encoded[1..<33]), Array(encoded[33..<65]))
    }

    /// Whether the signature (r and s, 32 bytes each) is valid for the message and this key; takes about 70 µs.
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let encoded = DERSignature.encode(signature) else { return false }
        return isSigned(message, encoded, by: key)
    }
}

/// A private key on the curve P-256, for signing.
package final class ES256PrivateKey: @unchecked Sendable {
    private let key: OpaquePointer
    package let publicKey: ES256PublicKey

    private init(owning key: OpaquePointer) {
        self.key = key
        // Both objects share the key; the public one only ever exposes its public half.
        EVP_PKEY_up_ref(key)
        publicKey = ES256PublicKey(owning: key)
    }

    /// Generates a new key.
    package convenience init() {
        guard let key = generateKey() else { preconditionFailure("OpenSSL made no P-256 key") }
        self.init(owning: key)
    }

    /// Reads a `PRIVATE KEY` (PKCS #8, as in Apple's `.p8` files) or an `EC PRIVATE KEY`, unencrypted.
    package convenience init(pem: String) throws(KeyError) {
        let key = try readKey(pem) { PEM_read_bio_PrivateKey($0, nil, refusePassphrase, nil) }
        self.init(owning: key)
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// The key as an unencrypted `PRIVATE KEY` (PKCS #8), with a newline at the end.
    package var pem: String {
        privatePEM(key)
    }

    /// The signature: r and s, 32 bytes each.
    package func sign(_ message: [UInt8]) -> [UInt8] {
        guard let signature = DERSignature.decode(signed(message, by: key, atMost: 80)[...]) else {
            preconditionFailure("OpenSSL made an unreadable signature")
        }
        return signature
    }
}

private func generateKey() -> OpaquePointer? {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1,
        EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1,
        EVP_PKEY_generate(context, &key) == 1
    else { return nil }
    return key
}

private func readKey(
    _ pem: String, _ read: (OpaquePointer) -> OpaquePointer?
) throws(KeyError) -> OpaquePointer {
    let key = try parseKey(pem, read)
    guard isP256(key) else {
        EVP_PKEY_free(key)
        throw .notP256
    }
    return key
}

/// Only the named curve is accepted: explicit curve parameters are refused.
private func isP256(_ key: OpaquePointer) -> Bool {
    guard EVP_PKEY_is_a(key, "EC") == 1 else { return false }
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    return EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
        && name.prefix(length).elementsEqual("prime256v1".utf8CString.dropLast())
}
