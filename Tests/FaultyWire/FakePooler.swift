import Glibc
import Synchronization

/// Stands between clients and PostgreSQL as pgbouncer does, for logins without a password: gives each transaction its
/// one session, or each connection one of its own.
package final class FakePooler: Sendable {
    /// What a client gives as its host.
    package let host: String
    private let upstream: String
    private let listener: Int32
    private let shared: Mutex<Backend?> = Mutex(nil)
    private let keepsSessions: Bool

    /// - Parameters:
    ///   - folder: where the server's socket is.
    ///   - keepsSessions: whether each connection has a session of its own.
    package init(to folder: String, keepsSessions: Bool) throws {
        self.keepsSessions = keepsSessions
        host = "/tmp/homeroom-pooler-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        guard mkdir(host, 0o755) == 0 else { throw SocketError(call: "mkdir", number: errno) }
        upstream = "\(folder)/.s.PGSQL.5432"
        listener = try listenOnUnix("\(host)/.s.PGSQL.5432")
        chmod("\(host)/.s.PGSQL.5432", 0o777)
        runOnThread { [listener] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                self.runOnThread { self.serve(Wire(client)) }
            }
        }
    }

    package func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        unlink("\(host)/.s.PGSQL.5432")
        rmdir(host)
    }

    private func runOnThread(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { pointer in
                Unmanaged<Body>.fromOpaque(pointer!).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        pthread_detach(thread)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private func serve(_ client: Wire) {
        defer { client.end() }
        guard let startup = client.readStartup(), let backend = backend(startup) else { return }
        defer { if keepsSessions { backend.wire.end() } }
        // Accepted; the server's own settings; a cancellation key that belongs to no process; ready.
        client.write([0x52, 0, 0, 0, 8, 0, 0, 0, 0] + backend.settings)
        client.write([0x4B, 0, 0, 0, 12, 0x7F, 1, 2, 3, 4, 5, 6, 7, 0x5A, 0, 0, 0, 5, 0x49])
        var isHolding = false
        while let message = client.readMessage(), message[0] != UInt8(ascii: "X") {
            if !isHolding { backend.lock() }
            isHolding = true
            backend.wire.write(message)
            guard [UInt8(ascii: "Q"), UInt8(ascii: "S")].contains(message[0]) else { continue }
            guard let state = backend.answer({ client.write($0) }) else { break }
            guard state == UInt8(ascii: "I") else { continue }
            backend.unlock()
            isHolding = false
        }
        guard isHolding else { return }
        backend.wire.write([0x51, 0, 0, 0, 13] + Array("rollback".utf8) + [0])
        _ = backend.answer { _ in }
        backend.unlock()
    }

    private func backend(_ startup: [UInt8]) -> Backend? {
        if keepsSessions { return Backend(upstream, startup) }
        return shared.withLock { shared in
            if shared == nil { shared = Backend(upstream, startup) }
            return shared
        }
    }
}

/// One session of the server, for one client at a time.
private final class Backend: @unchecked Sendable {
    let wire: Wire
    /// The settings that the server reported.
    private(set) var settings: [UInt8] = []
    private let turn: UnsafeMutablePointer<sem_t>

    init?(_ path: String, _ startup: [UInt8]) {
        let descriptor = connectToUnix(path)
        guard descriptor >= 0 else { return nil }
        wire = Wire(descriptor)
        turn = .allocate(capacity: 1)
        sem_init(turn, 0, 1)
        wire.write(startup)
        var settings: [UInt8] = []
        _ = answer { if $0[0] == UInt8(ascii: "S") { settings += $0 } }
        self.settings = settings
    }

    func lock() { sem_wait(turn) }
    func unlock() { sem_post(turn) }

    /// Passes on what the server sends until it is ready; returns its state, `nil` at its end.
    func answer(_ take: ([UInt8]) -> Void) -> UInt8? {
        while let message = wire.readMessage() {
            take(message)
            if message[0] == UInt8(ascii: "Z") { return message[5] }
        }
        return nil
    }
}

/// A socket from which whole messages of PostgreSQL's protocol are read.
private struct Wire: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    func end() { close(descriptor) }

    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Length and content, without a type.
    func readStartup() -> [UInt8]? {
        guard let head = read(4) else { return nil }
        return read(Wire.length(head) - 4).map { head + $0 }
    }

    /// Type, length and content.
    func readMessage() -> [UInt8]? {
        guard let head = read(5) else { return nil }
        return read(Wire.length(Array(head[1...])) - 4).map { head + $0 }
    }

    private static func length(_ bytes: [UInt8]) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    private func read(_ count: Int) -> [UInt8]? {
        guard count >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress! + done, count - done, 0)
            }
            guard got > 0 else { return nil }
            done += got
        }
        return bytes
    }
}
