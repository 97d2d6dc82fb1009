import COpenSSL

/// A key that keeps secrets sealed where others may read them: AES-256 in Galois/Counter Mode (NIST SP 800-38D).
///
/// What is sealed opens only with the same key and for the same context. Used by any thread.
package struct SealingKey: Sendable {
    /// The length of a key, in bytes.
    package static let length = 32
    private static let nonceLength = 12
    private static let tagLength = 16

    private let key: [UInt8]
    /// Names the key without giving it away: 32 hexadecimal digits of its digest.
    package let id: String

    /// `nil` unless there are 32 bytes.
    package init?(_ key: [UInt8]) {
        guard key.count == Self.length else { return nil }
        self.key = key
        let code = HMACKey(key).code(for: Array("homeroom sealing key".utf8))
        id = code.prefix(16).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    /// A new key of random bytes.
    package static func random() -> [UInt8] { SecureRandom.bytes(length) }

    /// A random nonce, the encrypted secret, and the tag: 28 bytes more than the secret.
    ///
    /// - Parameter context: what the secret belongs to, which is not in the result.
    package func seal(_ secret: [UInt8], for context: [UInt8]) -> [UInt8] {
        let nonce = SecureRandom.bytes(Self.nonceLength)
        var sealed = [UInt8](repeating: 0, count: secret.count)
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        let cipher = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(cipher) }
        var count: Int32 = 0
        var done =
            EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1
            && EVP_EncryptUpdate(cipher, nil, &count, context, Int32(context.count)) == 1
            && EVP_EncryptUpdate(cipher, &sealed, &count, secret, Int32(secret.count)) == 1
        var rest = [UInt8](repeating: 0, count: Self.tagLength)
        done = done && EVP_EncryptFinal_ex(cipher, &rest, &count) == 1
        done =
            done
            && EVP_CIPHER_CTX_ctrl(
                cipher, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), &tag) == 1
        precondition(done, "OpenSSL refused AES-256-GCM")
        return nonce + sealed + tag
    }

    /// The secret; `nil` if this is not what `seal` made with this key for this context.
    package func open(_ sealed: [UInt8], for context: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.nonceLength + Self.tagLength else { return nil }
        let nonce = Array(sealed.prefix(Self.nonceLength))
        let content = Array(sealed.dropFirst(Self.nonceLength).dropLast(Self.tagLength))
        var tag = Array(sealed.suffix(Self.tagLength))
        var secret = [UInt8](repeating: 0, count: content.count)
        let cipher = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(cipher) }
        var count: Int32 = 0
        var rest = [UInt8](repeating: 0, count: Self.tagLength)
        let isOpen =
            EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1
            && EVP_DecryptUpdate(cipher, nil, &count, context, Int32(context.count)) == 1
            && EVP_DecryptUpdate(cipher, &secret, &count, content, Int32(content.count)) == 1
            && EVP_CIPHER_CTX_ctrl(
                cipher, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), &tag) == 1
            && EVP_DecryptFinal_ex(cipher, &rest, &count) == 1
        return isOpen ? secret : nil
    }
}
