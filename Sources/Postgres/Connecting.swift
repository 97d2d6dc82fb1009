import CLibpq
import EventLoop

/// One attempt to connect without blocking its loop, except for the look-up of a host name: give an address
/// or a Unix socket. Confined to its loop.
final class Connecting: @unchecked Sendable {
    typealias Completion = (Result<OpaquePointer, PostgresError>) -> Void

    private static let limitMilliseconds = 10_000

    private let loop: Loop
    private var connection: OpaquePointer?
    private var registration: Registration?
    private var timer: LoopTimer?
    private var completion: Completion?

    init(_ settings: ConnectionSettings, on loop: Loop, completion: @escaping Completion) {
        self.loop = loop
        self.completion = completion
        connection = settings.withPointers { PQconnectStartParams($0, $1, 1) }
        // Later, so that the caller holds this object before it hears of it.
        loop.execute { self.begin() }
    }

    /// Gives up; the completion is not called any more.
    func cancel() {
        completion = nil
        finish(.failure(.cancelled))
    }

    private func begin() {
        guard completion != nil else { return }
        guard let connection, PQstatus(connection) != CONNECTION_BAD else { return fail() }
        timer = loop.schedule(afterMilliseconds: Self.limitMilliseconds) {
            self.finish(.failure(.unavailable("no answer within ten seconds")))
        }
        watch(.write)
    }

    /// libpq may change its socket from one step to the next, so each step registers anew.
    private func step() {
        registration?.cancel()
        registration = nil
        guard let connection else { return }
        switch PQconnectPoll(connection) {
        case PGRES_POLLING_READING: watch(.read)
        case PGRES_POLLING_WRITING: watch(.write)
        case PGRES_POLLING_OK: finish(.success(connection))
        default: fail()
        }
    }

    private func watch(_ interest: Interest) {
        do {
            registration = try loop.register(PQsocket(connection), interest) { _ in self.step() }
        } catch {
            finish(.failure(.unavailable(error.description)))
        }
    }

    private func fail() {
        let reason = connection.map(connectionMessage) ?? "out of memory"
        finish(.failure(.unavailable(reason)))
    }

    private func finish(_ result: Result<OpaquePointer, PostgresError>) {
        registration?.cancel()
        registration = nil
        timer?.cancel()
        timer = nil
        if case .failure = result, let connection { PQfinish(connection) }
        connection = nil
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}
