import COpenSSL
import Glibc

/// A blocking client that speaks TLS through OpenSSL, over the socket of a plain one.
final class TLSClient {
    /// The handshake failed; the reason is OpenSSL's.
    struct Refused: Error {
        let reason: String
    }

    /// What a client brings to its handshake.
    struct Offer {
        var lowest = TLS1_2_VERSION
        var highest = TLS1_3_VERSION
        /// For ALPN; none are offered if empty.
        var protocols: [String] = []
        var session: Session?
    }

    /// What a later connection may resume.
    final class Session {
        let pointer: OpaquePointer

        init(_ pointer: OpaquePointer) {
            self.pointer = pointer
        }

        deinit { SSL_SESSION_free(pointer) }
    }

    private static let withoutPipeSignal: Void = { signal(SIGPIPE, SIG_IGN) }()

    let raw: TestClient
    private let ssl: OpaquePointer
    private var buffered: [UInt8] = []

    init(port: UInt16, _ offer: Offer = Offer()) throws {
        Self.withoutPipeSignal
        raw = TestClient(port: port)
        let context = SSL_CTX_new(TLS_client_method())
        defer { SSL_CTX_free(context) }
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(offer.lowest), nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(offer.highest), nil)
        if offer.lowest < TLS1_2_VERSION {
            SSL_CTX_set_cipher_list(context, "DEFAULT:@SECLEVEL=0")
        }
        let list = offer.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !list.isEmpty { SSL_CTX_set_alpn_protos(context, list, UInt32(list.count)) }
        ssl = SSL_new(context)
        SSL_set_fd(ssl, raw.descriptor)
        if let session = offer.session { SSL_set_session(ssl, session.pointer) }
        ERR_clear_error()
        guard SSL_connect(ssl) == 1 else {
            let reason = ERR_reason_error_string(ERR_peek_error()).map { String(cString: $0) }
            ERR_clear_error()
            throw Refused(reason: reason ?? "closed")
        }
    }

    deinit {
        // Otherwise OpenSSL would not let the session be resumed.
        SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        SSL_free(ssl)
    }

    var version: String { String(cString: SSL_get_version(ssl)) }
    var cipher: String { String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl))) }
    var isResumed: Bool { SSL_session_reused(ssl) == 1 }
    /// Whether the server has announced its end.
    var hasHeardEnd: Bool { SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 }

    /// The protocol that the server chose from those offered.
    var chosenProtocol: String {
        var start: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &start, &length)
        return String(
            decoding: UnsafeBufferPointer(start: start, count: Int(length)), as: UTF8.self)
    }

    /// The subject of the server's certificate, as `/CN=name`.
    var serverName: String {
        let certificate = SSL_get1_peer_certificate(ssl)
        defer { X509_free(certificate) }
        var name = [CChar](repeating: 0, count: 256)
        X509_NAME_oneline(X509_get_subject_name(certificate), &name, 256)
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }

    /// Available after the first answer: TLS 1.3 sends it with that.
    func session() -> Session? {
        SSL_get1_session(ssl).map(Session.init)
    }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        bytes.isEmpty || SSL_write(ssl, bytes, Int32(bytes.count)) == Int32(bytes.count)
    }

    @discardableResult
    func send(_ text: String) -> Bool {
        send(Array(text.utf8))
    }

    /// The next bytes; empty at the end or after a failure.
    func receive(atMost limit: Int = 65_536) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = SSL_read(ssl, &bytes, Int32(limit))
        return Array(bytes.prefix(max(0, Int(count))))
    }

    func receiveAll() -> String {
        var all: [UInt8] = []
        while case let more = receive(), !more.isEmpty { all += more }
        return String(decoding: all, as: UTF8.self)
    }

    /// One answer with `Content-Length`.
    func answer() -> Answer? {
        while true {
            if let answer = Answer(&buffered, isBodiless: false) { return answer }
            let more = receive()
            if more.isEmpty { return nil }
            buffered += more
        }
    }

    /// Announces that no more will be sent, and closes this side.
    func finish() {
        SSL_shutdown(ssl)
        raw.finish()
    }

    /// Asks both sides to change their keys; only in TLS 1.3.
    func changeKeys() -> Bool {
        SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(ssl) == 1
    }
}
