import COpenSSL

/// Algorithms that OpenSSL would otherwise look up on each call, which costs more than digesting a token.
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
