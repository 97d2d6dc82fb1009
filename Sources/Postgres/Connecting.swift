import CLibpq
import EventLoop

/// One attempt to connect. A thread of its own waits for it: libpq looks host names up, reads files of passwords
/// and certificates and computes the proofs of passwords in the call, and none of that belongs on a loop.
///
/// So all of where and how is left to libpq: several hosts and addresses of both families, each with its
/// `connect_timeout`, `target_session_attrs`, TLS with the name that the certificate must bear. Each attempt looks
/// names up anew. Confined to its loop, except for its thread.
final class Connecting: @unchecked Sendable {
    typealias Completion = (Result<OpaquePointer, PostgresError>) -> Void

    private var completion: Completion?

    /// The completion is called later, on the loop, unless the attempt is cancelled before.
    init(_ settings: ConnectionSettings, on loop: Loop, completion: @escaping Completion) {
        self.completion = completion
        startThread {
            let opened = Opened(settings)
            loop.execute { self.finish(opened) }
        }
    }

    /// Gives up; the completion is not called any more.
    func cancel() {
        completion = nil
    }

    private func finish(_ opened: Opened) {
        guard let completion else { return }
        self.completion = nil
        completion(opened.take())
    }
}

/// What the thread got; closed again unless somebody takes it.
private final class Opened: @unchecked Sendable {
    private var handle: OpaquePointer?

    /// Waits until there is a connection, or the last address has failed.
    init(_ settings: ConnectionSettings) {
        handle = settings.withPointers { PQconnectdbParams($0, $1, 1) }
    }

    deinit {
        PQfinish(handle)
    }

    /// Hands the connection over; a second call finds none.
    func take() -> Result<OpaquePointer, PostgresError> {
        guard let handle else { return .failure(.unavailable("out of memory")) }
        guard PQstatus(handle) == CONNECTION_OK else {
            return .failure(.unavailable(connectionMessage(handle)))
        }
        self.handle = nil
        return .success(handle)
    }
}
