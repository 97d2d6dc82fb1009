import COpenSSL

/// What OpenSSL would otherwise look up anew at each call, which costs more than the digest of a token.
///
/// Fetched once and never freed; fetched algorithms are immutable and shared by all threads.
enum Algorithms {
    nonisolated(unsafe) static let sha256: OpaquePointer = {
        guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else {
            preconditionFailure("this OpenSSL has no SHA-256")
        }
        return algorithm
    }()

    nonisolated(unsafe) static let hmac: OpaquePointer = {
        guard let algorithm = EVP_MAC_fetch(nil, "HMAC", nil) else {
            preconditionFailure("this OpenSSL has no HMAC")
        }
        return algorithm
    }()
}
