import COpenSSL
import Files
import Glibc
import Synchronization

/// The certificate and key with which a server identifies itself, from PEM files that may be reloaded while it
/// runs. Thread-safe.
package final class TLSEndpoint: Sendable {
    /// Why a certificate and key cannot be used: the file and what is wrong with it, never its content.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        package enum Part: Sendable {
            case certificate, key
        }

        /// The file at fault.
        package let part: Part
        package let description: String
    }

    private let certificate: String
    private let key: String
    private let current: Mutex<TLSContext>

    /// - Parameters:
    ///   - certificate: the file with the server's certificate first, then those that lead to a root.
    ///   - key: the file with the certificate's private key, without a password.
    package init(certificate: String, key: String) throws(Failure) {
        self.certificate = certificate
        self.key = key
        current = Mutex(try TLSContext(certificate: certificate, key: key))
    }

    /// Reads both files again for new connections; existing ones continue as they are. After a failure
    /// everything stays as it was.
    package func reload() throws(Failure) {
        let context = try TLSContext(certificate: certificate, key: key)
        current.withLock { $0 = context }
    }

    /// When the certificate for new connections expires, in seconds since 1970.
    package var expiry: Int? { current.withLock { $0.expiry } }

    /// The context for new connections.
    var context: TLSContext { current.withLock { $0 } }
}

/// OpenSSL's settings for connections under one certificate, and the sessions that may be resumed on any loop.
/// A connection keeps the settings that it began with.
final class TLSContext: @unchecked Sendable {
    /// How many sessions are remembered (about a kilobyte each), and for how long.
    private static let sessions = 8192
    private static let sessionSeconds = 7200

    let pointer: OpaquePointer

    /// When the server's own certificate expires, in seconds since 1970.
    var expiry: Int? {
        var parts = tm()
        guard let certificate = SSL_CTX_get0_certificate(pointer),
            ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) == 1
        else { return nil }
        return timegm(&parts)
    }

    init(certificate: String, key: String) throws(TLSEndpoint.Failure) {
        try Self.checkReadable(certificate, .certificate)
        try Self.checkReadable(key, .key)
        guard let pointer = openssl_server_context(Self.sessions, Self.sessionSeconds) else {
            preconditionFailure("OpenSSL cannot make a context")
        }
        self.pointer = pointer
        ERR_clear_error()
        guard SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
            throw Self.failure(.certificate, certificate, "holds no certificate that can be used")
        }
        guard SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_check_private_key(pointer) == 1
        else {
            throw Self.failure(.key, key, "holds no key, without a password, of the certificate")
        }
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    private static func checkReadable(
        _ file: String, _ part: TLSEndpoint.Failure.Part
    ) throws(TLSEndpoint.Failure) {
        do throws(FileError) {
            _ = try File.reading(file)
        } catch {
            throw TLSEndpoint.Failure(part: part, description: "\(file): \(error.reason)")
        }
    }

    /// Describes the OpenSSL error, whose reasons are fixed texts, and empties the error queue.
    private static func failure(
        _ part: TLSEndpoint.Failure.Part, _ file: String, _ problem: String
    ) -> TLSEndpoint.Failure {
        let reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) }
        ERR_clear_error()
        return TLSEndpoint.Failure(
            part: part, description: "\(file) \(problem) (\(reason ?? "no reason given"))")
    }
}
