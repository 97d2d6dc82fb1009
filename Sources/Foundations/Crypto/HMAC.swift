import COpenSSL

/// A key for HMAC-SHA256 (RFC 2104), prepared once and used by any thread.
package final class HMACKey: @unchecked Sendable {
    /// Initialised with the key and never updated: each use works on a copy.
    private let template: OpaquePointer

    package init(_ key: [UInt8]) {
        guard let context = EVP_MAC_CTX_new(Algorithms.hmac) else {
            preconditionFailure("OpenSSL has no memory for HMAC")
        }
        // An empty key needs an address too, otherwise OpenSSL takes it for a missing key.
        let status = openssl_hmac_sha256_init(context, key + [0], key.count)
        precondition(status == 1, "OpenSSL refused HMAC-SHA256")
        template = context
    }

    deinit {
        EVP_MAC_CTX_free(template)
    }

    /// The authentication code of a message: 32 bytes.
    package func code(for message: [UInt8]) -> [UInt8] {
        let context = EVP_MAC_CTX_dup(template)
        defer { EVP_MAC_CTX_free(context) }
        var code = [UInt8](repeating: 0, count: 32)
        var length = 0
        let done =
            EVP_MAC_update(context, message, message.count) == 1
            && EVP_MAC_final(context, &code, &length, code.count) == 1
        precondition(done && length == 32, "OpenSSL refused HMAC-SHA256")
        return code
    }

    /// Whether the code belongs to the message; the time taken does not depend on where it differs.
    package func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
        equalInConstantTime(code, self.code(for: message))
    }
}

/// Compares secrets; the time taken reveals only a difference in length.
package func equalInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
