import COpenSSL
import Glibc

/// The TLS side of one connection, over its non-blocking socket. Confined to the connection's loop.
///
/// OpenSSL keeps its errors in a queue per thread, which all connections of the loop share: it is cleared
/// before each call whose failure is examined, and after each failure.
final class TLSChannel {
    /// How far a handshake has come.
    enum Handshake {
        case done
        /// More bytes have to arrive or be sent.
        case waiting
        case failed
        /// The peer does not know that this is TLS and sent a plain request.
        case plainRequest
    }

    /// The result of a read or write.
    enum Outcome {
        case bytes(Int)
        /// Nothing now; that may change when the socket is next ready.
        case none
        /// Nothing ever again: the peer has ended, or there was a failure.
        case end
    }

    /// Never changed once it is made.
    private nonisolated(unsafe) static let method: OpaquePointer = {
        guard let method = openssl_socket_method() else {
            preconditionFailure("OpenSSL cannot make a method")
        }
        return method
    }()

    /// How much a peer may send without yielding a single byte of data. Records that are empty or change keys
    /// cost more than they carry, and one call would process them for as long as they arrive. Each byte of data
    /// earns back 33, so that records of a single byte are fine.
    private static let allowance: Int32 = 65_536

    /// `nil` if memory ran out, and once the connection is closed.
    private var ssl: OpaquePointer?
    private let socket: UnsafeMutablePointer<openssl_socket>
    /// After such a failure the protocol allows no further message.
    private var isBroken = false
    private var isReady = false
    /// Whether reading waits until the kernel takes bytes, and writing until some have arrived.
    private(set) var readAwaitsWrite = false
    private(set) var writeAwaitsRead = false

    init(_ context: TLSContext, descriptor: Int32) {
        socket = .allocate(capacity: 1)
        socket.initialize(
            to: openssl_socket(
                descriptor: descriptor, allowance: Self.allowance, is_drained: 0, has_ended: 0))
        ssl = openssl_accepting(context.pointer, Self.method, socket)
    }

    deinit {
        release()
        socket.deallocate()
    }

    /// Continues the handshake as far as the socket allows.
    func shakeHands() -> Handshake {
        guard let ssl else { return .failed }
        ERR_clear_error()
        let status = SSL_do_handshake(ssl)
        if status == 1 {
            isReady = true
            return .done
        }
        if waits(SSL_get_error(ssl, status)) != nil { return .waiting }
        let isPlain = ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST
        fail()
        return isPlain ? .plainRequest : .failed
    }

    /// Reads at most one record.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        guard let ssl, !isBroken else { return .end }
        readAwaitsWrite = false
        ERR_clear_error()
        let count = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
        if count > 0 {
            let earned = socket.pointee.allowance &+ 33 * min(count, Self.allowance)
            socket.pointee.allowance = min(earned, Self.allowance)
            return .bytes(Int(count))
        }
        let error = SSL_get_error(ssl, count)
        if let direction = waits(error) {
            readAwaitsWrite = direction == .write
            return .none
        }
        // An end without close_notify is like that of a plain socket: a body is incomplete if neither its
        // length nor its last chunk has been reached.
        let hasEnded = error == SSL_ERROR_ZERO_RETURN || socket.pointee.has_ended == 1
        hasEnded ? ERR_clear_error() : fail()
        return .end
    }

    /// Whether there may be more to read before the socket is ready again.
    var mayHaveMore: Bool {
        guard let ssl else { return false }
        return socket.pointee.is_drained == 0 || SSL_has_pending(ssl) == 1
    }

    /// Makes one record of the bytes and hands it to the kernel. After `.none`, the next write must begin
    /// with the same bytes.
    func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        guard let ssl, !isBroken else { return .end }
        writeAwaitsRead = false
        ERR_clear_error()
        let count = SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
        if count > 0 { return .bytes(Int(count)) }
        if let direction = waits(SSL_get_error(ssl, count)) {
            writeAwaitsRead = direction == .read
            return .none
        }
        fail()
        return .end
    }

    /// Sends close_notify: no more will be sent. Returns `false` if the kernel does not take it now.
    func sayEnd() -> Bool {
        guard let ssl, isReady, !isBroken else { return true }
        ERR_clear_error()
        let status = SSL_shutdown(ssl)
        guard status < 0 else { return true }
        if waits(SSL_get_error(ssl, status)) == .write { return false }
        fail()
        return true
    }

    /// Suppresses close_notify, so that the peer does not take what it has for the whole answer.
    func cutShort() {
        isBroken = true
    }

    /// Frees what OpenSSL holds for the connection. The session may be resumed unless something was wrong with
    /// it; not every client sends close_notify.
    func release() {
        guard let ssl else { return }
        if isReady, !isBroken { SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        SSL_free(ssl)
        ERR_clear_error()
        self.ssl = nil
    }

    private enum Direction {
        case read, write
    }

    private func waits(_ error: Int32) -> Direction? {
        switch error {
        case SSL_ERROR_WANT_READ: .read
        case SSL_ERROR_WANT_WRITE: .write
        default: nil
        }
    }

    private func fail() {
        isBroken = true
        ERR_clear_error()
    }
}
