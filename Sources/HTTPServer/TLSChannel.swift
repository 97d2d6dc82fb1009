import COpenSSL
import Glibc

/// The TLS side of one connection, over its non-blocking socket. Confined to the connection's loop.
///
/// OpenSSL keeps its errors in a queue per thread, which others on the loop use too: it is cleared before
/// each call whose failure is looked into, and after each failure.
final class TLSChannel {
    /// How far a handshake has come.
    enum Handshake {
        case done
        /// More bytes have to come or go.
        case waiting
        case failed
        /// The peer does not know that this is TLS and began with a request.
        case plainRequest
    }

    /// What a call for bytes gave.
    enum Outcome {
        case bytes(Int)
        /// Nothing now; the socket's next readiness may change that.
        case none
        /// Nothing ever: the peer's end, or a failure.
        case end
    }

    /// Never changed once it is made.
    private nonisolated(unsafe) static let method: OpaquePointer = {
        guard let method = openssl_socket_method() else {
            preconditionFailure("OpenSSL cannot make a method")
        }
        return method
    }()

    /// What a peer may send without one byte of data coming out of it: records that are empty or change keys
    /// cost more than they carry, and one call would go on with them as long as they come. Each byte of data
    /// gives it back 33, so that records of a single byte are fine.
    private static let allowance: Int32 = 65_536

    /// None without memory, and once the connection is closed.
    private var ssl: OpaquePointer?
    private let socket: UnsafeMutablePointer<openssl_socket>
    /// A failure after which the protocol allows no word more.
    private var isBroken = false
    private var isReady = false
    /// Whether reading waits until the kernel takes bytes, and writing until some have come.
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

    /// Goes on with the handshake as far as the socket lets it.
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

    /// Takes what one record holds, at most.
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
        // An end without the word for it is like that of a plain socket: what a length or the last chunk
        // does not complete is incomplete.
        let hasEnded = error == SSL_ERROR_ZERO_RETURN || socket.pointee.has_ended == 1
        hasEnded ? ERR_clear_error() : fail()
        return .end
    }

    /// Whether there may be more to read without a new readiness of the socket.
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

    /// Says that no more will be sent (close_notify); `false` if the kernel does not take it now.
    func sayEnd() -> Bool {
        guard let ssl, isReady, !isBroken else { return true }
        ERR_clear_error()
        let status = SSL_shutdown(ssl)
        guard status < 0 else { return true }
        if waits(SSL_get_error(ssl, status)) == .write { return false }
        fail()
        return true
    }

    /// Says nothing from now on, so that the peer does not take what it has for everything.
    func cutShort() {
        isBroken = true
    }

    /// Gives back what OpenSSL holds for the connection. The session may be resumed unless something was
    /// wrong with it; not every client says that it leaves.
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
