import CLibpq
import EventLoop

/// One attempt to connect. It waits on a thread of its own: libpq looks up host names, reads password and
/// certificate files and computes password proofs within the call, and none of that belongs on a loop.
///
/// So where and how to connect is left to libpq: several hosts and addresses of both families, each with its
/// `connect_timeout`, `target_session_attrs`, and TLS with the name that the certificate must match. Each
/// attempt looks names up again. Confined to its loop, except for its thread.
final class Connecting: @unchecked Sendable {
    typealias Completion = (Result<OpaquePointer, PostgresError>) -> Void

    private var completion: Completion?

    /// The completion is called later, on the loop, unless the attempt is cancelled first.
    init(_ settings: ConnectionSettings, on loop: Loop, completion: @escaping Completion) {
        self.completion = completion
        startThread {
            let opened = Opened(settings)
            loop.execute { self.finish(opened) }
        }
    }

    /// Gives up; the completion is no longer called.
    func cancel() {
        completion = nil
    }

    private func finish(_ opened: Opened) {
        guard let completion else { return }
        self.completion = nil
        completion(opened.take())
    }
}

/// The connection the thread opened; closed again unless it is taken.
private final class Opened: @unchecked Sendable {
    private var handle: OpaquePointer?

    /// Waits until there is a connection, or the last address has failed.
    init(_ settings: ConnectionSettings) {
        handle = settings.withPointers { PQconnectdbParams($0, $1, 1) }
    }

    deinit {
        PQfinish(handle)
    }

    /// Hands the connection over; a second call does not find one.
    func take() -> Result<OpaquePointer, PostgresError> {
        guard let handle else { return .failure(.unavailable("out of memory")) }
        guard PQstatus(handle) == CONNECTION_OK else {
            return .failure(.unavailable(connectionMessage(handle)))
        }
        self.handle = nil
        return .success(handle)
    }
}
