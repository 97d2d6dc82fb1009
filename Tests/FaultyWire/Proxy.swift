import EventLoop
import Glibc
import Synchronization

/// Stands between libpq and PostgreSQL and knows where messages end, so that a test can cut, hold or garble a
/// connection between any two of them.
///
/// It listens on a Unix socket, or on TCP without TLS. Each connection has two threads. It must be stopped.
package final class Proxy: Sendable {
    /// Whose messages.
    package enum Side: Sendable, CaseIterable {
        case frontend, backend
    }

    /// What happens to one connection, once.
    package struct Fault: Sendable, CustomStringConvertible {
        package enum Action: Sendable {
            /// Closes both ends.
            case cut
            /// Passes nothing on any more, in either direction, and closes nothing.
            case stall
            /// Passes on something that is not a message.
            case garble
            /// Sends an error of the server instead, as the last message, and closes.
            case complain(ServerComplaint)
        }

        package let action: Action
        package let side: Side
        /// After how many messages of that side were passed on.
        package let after: Int
        /// Which connection, in order of arrival, from 0.
        package let connection: Int

        package init(_ action: Action, _ side: Side, after: Int, connection: Int = 0) {
            self.action = action
            self.side = side
            self.after = after
            self.connection = connection
        }

        package var description: String { "\(action) after \(after) of the \(side)" }
    }

    /// The folder or address, and the port, to connect to.
    package let host: String
    package let port: UInt16
    private let upstream: String
    private let listener: Int32
    private let fault: Fault?
    private let state = Mutex(State())

    private struct State {
        var connections: [ProxiedConnection] = []
        var isStopped = false
        var isHeld = false
    }

    /// - Parameters:
    ///   - folder: where the socket of PostgreSQL is.
    ///   - address: an IPv4 or IPv6 address to listen on, with any free port; otherwise a Unix socket.
    package init(to folder: String, address: String? = nil, fault: Fault? = nil) throws {
        upstream = "\(folder)/.s.PGSQL.5432"
        self.fault = fault
        if let address {
            (listener, port) = try listenOnTCP(address)
            host = address
        } else {
            host = "/tmp/homeroom-proxy-\(getpid())-\(Proxy.next())"
            port = 5432
            mkdir(host, 0o700)
            listener = try listenOnUnix("\(host)/.s.PGSQL.5432")
        }
        startThread { [self] in accept() }
    }

    /// How libpq connects through it.
    package func connectionString(database: String, user: String) -> String {
        "host='\(host)' port=\(port) dbname='\(database)' user='\(user)'"
            + (host.hasPrefix("/") ? "" : " sslmode=disable gssencmode=disable")
    }

    /// All connections so far, including closed ones.
    package var connections: [ProxiedConnection] { state.withLock { $0.connections } }

    /// Passes nothing on, on any connection or any new one, and closes nothing.
    package func hold() {
        let connections = state.withLock { state in
            state.isHeld = true
            return state.connections
        }
        for connection in connections { connection.hold() }
    }

    /// Passes on what was kept, on all connections.
    package func release() {
        let connections = state.withLock { state in
            state.isHeld = false
            return state.connections
        }
        for connection in connections { connection.release() }
    }

    /// Closes all connections, and still accepts new ones.
    package func cut() {
        for connection in connections { connection.cut() }
    }

    /// Closes everything.
    package func stop() {
        let connections = state.withLock { state in
            state.isStopped = true
            return state.connections
        }
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in connections { connection.cut() }
        if host.hasPrefix("/") {
            unlink("\(host)/.s.PGSQL.5432")
            rmdir(host)
        }
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { break }
            let server = connectToUnix(upstream)
            guard server >= 0 else {
                close(client)
                continue
            }
            let accepted: ProxiedConnection? = state.withLock { state in
                guard !state.isStopped else { return nil }
                let number = state.connections.count
                let connection = ProxiedConnection(
                    client: client, server: server,
                    fault: fault.flatMap { $0.connection == number ? $0 : nil })
                if state.isHeld { connection.hold() }
                state.connections.append(connection)
                return connection
            }
            guard let accepted else {
                close(client)
                close(server)
                break
            }
            accepted.start()
        }
        close(listener)
    }

    private static let made = Atomic<Int>(0)

    private static func next() -> Int { made.wrappingAdd(1, ordering: .relaxed).newValue }
}
